//! A run as plain data: prepared from the database, executed on any thread, and its outcome.

mod adjustments;
mod coverage;
mod explored;
mod groups;
mod numbers;
mod outcome;
mod prepare;
mod prepared;
mod recording;
mod replay;
mod schedules;
mod settings;
mod verdict;

pub(crate) use coverage::Reached;
pub use coverage::{BranchSides, BufferCoverage, Coverage, SwitchTargets};
pub use explored::Explored;
pub use groups::Role;
pub(crate) use groups::{Effect, effects, splits};
pub use numbers::InexactResults;
pub use outcome::{Outcome, WarpRequest};
pub use prepare::{RunRequest, prepare};
pub(crate) use prepared::Cooperation;
pub use prepared::Prepared;
pub(crate) use prepared::warp_width;
pub(crate) use recording::{Recorder, Recording, SharedSink, StepRange};
pub use replay::{MAX_RECORDING, Replay, Search};
pub use schedules::Exploration;
pub use settings::RunSettings;
pub use verdict::{Missing, VERDICTS, Verdict};
