//! What a warp does: the simulator.
//!
//! Programs come decoded from `hir`; a run is a function of program, launch, divergence model and limits, and gives a
//! [`trace::RunResult`]. Deterministic, bounded, cancellable. No threads, no clock, no files, no text positions.

pub mod lanes;
pub mod launch;
mod meetings;
pub mod memory;
pub mod ptx;
pub mod record;
pub mod soft_float;
pub mod trace;
pub mod values;
pub mod wave;

pub use lanes::Lanes;
pub use trace::{
    Beside, Cancelled, Checks, Control, Counters, Finding, Limits, LineTrace, Mask, Meeting, Output, Parting,
    Progress, RegisterValues, Related, RunOptions, RunResult, Severity, StatementId, Status, Totals, Visit,
    WarpId, WarpTrace, Workers,
};
pub use values::{Held, Look, Seen, StackEntry, Values, Waiting};
