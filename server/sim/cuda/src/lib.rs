//! The machine that PTX and SASS program: threads in warps and blocks, the state spaces, and what operations compute.
//!
//! * `semantics`: the values of operations, lane by lane;
//! * `memory`: the state spaces of a launch;
//! * `sanitizer`: races, uninitialized values and the cost of accesses;
//! * `grid`: blocks and clusters, their order and their barriers.
//!
//! Each language decodes and runs its instructions in its own folder, together with its divergence models.

pub mod address;
pub mod async_ops;
pub mod fault;
pub mod further_faults;
pub mod grid;
pub mod grown;
pub mod inactive_sources;
pub mod launch_config;
pub mod listed_warps;
pub mod memory;
pub mod meter;
pub mod objects;
pub mod order;
pub mod race_context;
pub mod registers;
pub mod run_state;
pub mod sanitizer;
pub mod semantics;
pub mod slot;
pub mod tensor;
pub mod tensor_memory;
pub mod value_trace;
pub mod visits;
pub mod windows;
pub mod work;
