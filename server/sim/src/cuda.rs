//! The machine that PTX and SASS program: threads in warps and blocks, the state spaces, and what operations compute.
//!
//! * `semantics`: the values of operations, lane by lane;
//! * `memory`: the state spaces of a launch;
//! * `sanitizer`: races, uninitialized values and the cost of accesses.
//!
//! A language decodes and runs its instructions in its own folder, with its divergence models.

pub mod address;
pub(crate) mod async_ops;
pub(crate) mod fault;
pub(crate) mod inactive_sources;
pub mod launch_config;
pub(crate) mod listed_warps;
pub(crate) mod memory;
pub mod objects;
pub mod order;
pub(crate) mod race_context;
pub mod registers;
pub(crate) mod run_state;
pub(crate) mod sanitizer;
pub mod semantics;
pub mod slot;
pub mod tensor;
pub(crate) mod tensor_memory;
pub(crate) mod visits;
pub mod windows;
