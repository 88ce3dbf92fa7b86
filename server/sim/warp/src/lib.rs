//! The warp core: data structures and algorithms that the machines of all languages share.
//!
//! A language adds its program, registers and divergence models, and implements [`Executable`] for its decoded kernels.
//! A run is a function of program, launch, divergence model and limits, and returns a [`trace::RunResult`]. Runs are
//! deterministic, bounded and cancellable. No crate of the simulator uses threads, a clock or files, and nothing here
//! depends on a language.

pub mod accessed_bytes;
mod advice;
mod control_flow;
mod correction;
mod dyn_eq;
mod executable;
pub mod finding_kind;
pub mod findings;
pub mod ids;
pub mod lane_iter;
pub mod lane_masks;
pub mod lane_row;
pub mod lanes;
pub mod launch_config;
pub mod listing;
pub mod memory;
pub mod moment;
pub mod note;
pub mod objects;
pub mod order_log;
pub mod race_scope;
pub mod races;
pub mod reconvergences;
pub mod record;
pub mod recording;
pub mod scalar_type;
pub mod schedule;
pub mod severity;
pub mod simd;
pub mod soft_float;
pub mod spin;
mod split_mix;
pub mod step_stream;
pub mod trace;
mod traced_value;
pub mod value_tracer;
pub mod values;
pub mod watched_byte;

pub use advice::{Advice, AdviceKind};
pub use control_flow::{BlockEnd, ControlFlow};
pub use correction::Correction;
pub use dyn_eq::DynEq;
pub use executable::{Executable, ModelInfo, OrderEffect};
pub use finding_kind::FindingKind;
pub use lanes::LaneSet;
pub use launch_config::LaunchConfig;
pub use note::Note;
pub use race_scope::RaceScope;
pub use scalar_type::{Class, ScalarType};
pub use schedule::Schedule;
pub use split_mix::SplitMix64;
pub use step_stream::{StepSink, StepStream, WarpSteps};
pub use trace::{
    Cancelled, Checks, Control, Counters, Divergence, Finding, GuessedLaunch, LaneStore, Limits, LineTrace,
    Mask, ModelDiff, Output, Progress, Reconvergence, RegisterValues, Related, RunOptions, RunOutcome,
    RunResult, Severity, StatementId, Status, Totals, Visit, WarpId, WarpTrace, Workers,
};
pub use values::{
    AccessSpace, LaneAccesses, Moment, StackEntry, TraceRequest, TracedRegister, TracedVisit, Values,
    WaitingLanes,
};
