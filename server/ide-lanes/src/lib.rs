//! Simulation of a document: its launches, the result of a run, and the text for each line.
//!
//! A run is a job outside the database, so that an edit elsewhere does not cancel it: [`prepare`](prepare::prepare)
//! returns a [`Prepared`] run, plain data that any thread can execute, and [`Shown`] keeps its result until the next one is
//! available. Everything here except the preparation is a function of plain data.

mod broken;
pub mod compare;
mod counters;
pub mod findings;
mod groups;
mod hover;
mod kernels;
mod launch_file;
pub mod launch_text;
pub mod lens;
mod model;
mod model_diff;
mod model_names;
mod offer;
pub mod operands;
mod outcome;
pub mod panel;
pub mod prepare;
mod problem;
pub mod ptx;
pub mod report;
mod run;
pub mod same_registers;
pub mod sass;
mod settle;
mod shown;
mod simulator;
mod source_line;
mod statement;
mod steps;
#[cfg(test)]
mod testing;
pub mod text;
#[cfg(test)]
mod typescript;
mod values;
mod warps;
pub mod wave;

pub use counters::totals as counter_totals;
pub use findings::{ReportedFinding, Reporter};
pub use hover::{hover, with_documentation};
pub use launch_file::{DocumentName, LaunchFile};
pub use lens::{Click, Lens, LensStyle, lenses};
pub use model::Model;
pub use model_diff::first_divergence;
pub use model_names::{UnknownModel, model_named};
pub use offer::{KernelPlace, Offer, Source, offers};
pub use outcome::{Outcome, RunSettings, WarpRequest};
pub use prepare::{Choice, RunRequest};
pub use problem::LaunchProblem;
pub use run::Prepared;
pub use shown::{LaneHint, LineOf, Shown, ShownStatement};
pub use simulator::{Decoded, Found, Progressing, Simulator};
pub use source_line::{FileLine, SourceLine};
pub use statement::{CodePlace, Flow, Statement};
pub use steps::{Step, Steps};
pub use warplens_ide_diagnostics::finding_codes::{FindingCode, finding_code, finding_codes};
pub use warplens_sim::{Cancelled, TraceRequest, WarpId};
pub use warps::{WarpSummaries, WarpSummary};
