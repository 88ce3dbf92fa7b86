//! A warp and the instructions that it executes.
//!
//! Memory accesses are in `memory`, and the choice of the next group is in `divergence`.

mod absence;
mod branching;
mod call_checks;
mod calls;
pub(crate) mod context;
mod convergence;
mod dynamic_stack;
mod execute;
pub(super) mod frame;
mod group_run;
mod interpreter_loop;
mod loop_exit;
mod matrix;
mod observers;
pub(crate) mod operand;
mod order_points;
mod paths;
mod print;
mod quick_run;
pub(crate) mod register_count;
mod shared_words;
mod skipped_accesses;
mod system_calls;
pub(crate) mod tensor;
mod unknown_values;
pub(crate) mod value_tracer;
pub(super) mod warp;
pub(crate) mod warp_collectives;
