//! The simulator: which lanes of a warp execute each statement.
//!
//! Programs are decoded from `hir`; a run is a function of program, launch, divergence model and limits, and returns a
//! [`trace::RunResult`]. Deterministic, bounded, cancellable. No threads, no clock, no files, no text positions.

pub mod cuda;
mod ids;
pub mod lanes;
pub mod launch;
pub mod memory;
mod note;
pub mod objects;
pub mod ptx;
mod reconvergences;
pub mod record;
pub mod sass;
mod scalar_type;
pub mod soft_float;
mod step_stream;
pub mod trace;
pub mod values;
mod warp;
pub mod wave;

pub use lanes::Lanes;
pub use note::Note;
pub use ptx::meaning::{OperandMeaning, ValuesOf};
pub use scalar_type::{Class, ScalarType};
pub use step_stream::{StepSink, StepStream, WarpSteps};
pub use trace::{
    Cancelled, Checks, Control, Counters, Divergence, Finding, LaneStore, Limits, LineTrace, Mask, ModelDiff,
    Output, Progress, Reconvergence, RegisterValues, Related, RunOptions, RunOutcome, RunResult, Severity,
    StatementId, Status, Totals, Visit, WarpId, WarpTrace, Workers,
};
pub use values::{
    AccessSpace, LaneAccesses, Moment, StackEntry, TraceRequest, TracedRegister, TracedVisit, Values,
    WaitingLanes,
};
pub use warp::{
    BlockEnd, ControlFlow, Correction, DynEq, Executable, FindingKind, LaunchConfig, ModelInfo, RaceScope,
};
