//! A warp and the instructions that it executes.
//!
//! Accesses to memory belong to `memory`, the choice of the group that runs next to `divergence`.

pub(super) mod calls;
mod convergence;
mod dynamic_stack;
pub(super) mod execute;
pub(super) mod frame;
mod interpreter_loop;
mod matrix;
mod print;
mod spin;
pub(super) mod system_calls;
mod value_tracer;
pub(super) mod warp;
mod warp_collectives;
