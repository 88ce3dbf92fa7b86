//! A warp and the instructions that it executes.
//!
//! Memory accesses are in `memory`, and the choice of the next group is in `divergence`.

mod absence;
mod call_checks;
mod calls;
pub(crate) mod context;
mod convergence;
mod dependence;
mod dynamic_stack;
mod execute;
mod exiting;
pub(super) mod frame;
mod interpreter_loop;
mod loop_exit;
mod loop_watch;
mod matrix;
pub(crate) mod operand;
mod paths;
mod poll_log;
mod poll_window;
mod print;
mod quick_run;
mod shared_words;
mod snapshot;
pub(super) mod spin;
mod system_calls;
pub(crate) mod tensor;
pub(super) mod value_tracer;
pub(super) mod warp;
pub(crate) mod warp_collectives;
