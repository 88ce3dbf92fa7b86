//! Runs a decoded kernel.
//!
//! [`run`] runs a launch from its first block to its last. A block runs its warps, a warp its groups of lanes, and a group
//! its instructions:
//!
//! * `schedule`: blocks, clusters and their barriers;
//! * `divergence`: the groups of a warp under each divergence model; models differ in nothing else;
//! * `exec`: a warp, the interpreter loop, and the operations that touch no memory;
//! * `memory`: the operations that access memory;
//! * `waits`: whether a warp only waits for other threads.
//!
//! State spaces and the sanitizer come from [`warplens_sim_cuda`].

mod divergence;
pub(crate) mod exec;
pub(crate) mod launch;
pub(crate) mod memory;
mod run;
mod run_context;
mod schedule;
mod waits;

pub use divergence::model::{MODELS, Model};
pub(crate) use exec::value_tracer::register_infos;
pub use run::run;
