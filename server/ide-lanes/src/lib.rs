//! Simulation of a document: its launches, the result of a run, and the text for each line.
//!
//! | Folder | Idea |
//! |---|---|
//! | `program` | the statements of a decoded kernel |
//! | `simulator`, `ptx`, `sass`, `wave` | what a language with a simulator provides |
//! | `launches` | the launches that a document has, and which one is run |
//! | `run` | a prepared run as plain data, its execution and its outcome |
//! | `why` | where a value of a recorded run came from |
//! | `findings` | what a run found, one entry for each cause |
//! | `json` | the JSON of a run, a contract with users |
//! | `view` | the lanes of one warp at the current positions in the text |
//! | `features` | what an editor or a terminal asks for |
//!
//! Each folder uses only those above it. A run is a job outside the database, so an edit elsewhere does not cancel it: [`prepare`]
//! returns a [`Prepared`] run that any thread can execute, and [`LaneView`] keeps its result until the next one is available.
//! Everything except the preparation works on plain data.

mod count;
mod features;
mod findings;
pub mod json;
mod launches;
mod program;
pub mod ptx;
mod run;
pub mod sass;
mod simulator;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod typescript;
mod view;
pub mod wave;
pub mod why;

pub use count::count;
pub use features::{
    Click, JsonStep, Lens, LensRank, LensStyle, LensTarget, Step, Steps, WarpSummaries, WarpSummary, compare,
    findings_of, fixes, hover, lenses_of, operands, panel, same_registers, with_documentation,
};
pub use findings::{ReportedFinding, Reporter, Unexpected, UnexpectedElement};
pub use launches::{
    AvailableLaunch, Choice, DocumentName, HostFile, LaunchFile, LaunchFiles, LaunchSource, UnknownModel,
    launch_text, launches_of, model_named,
};
pub use program::{AddressRegister, CodePlace, FileLine, Flow, Numbers, SourceLine, Statement};
pub use run::{
    BranchSides, BufferCoverage, Coverage, Exploration, Explored, InexactResults, MAX_RECORDING, Missing,
    Outcome, Prepared, Replay, Role, RunRequest, RunSettings, Search, SwitchTargets, VERDICTS, Verdict,
    WarpRequest, prepare,
};
pub use simulator::{
    Decoded, DocumentKernel, FindingInText, Found, LaunchProblem, Model, Progressing, Simulator,
};
pub use view::{LaneHint, LaneView, LineOf, StatementView, counter_totals, first_divergence, text};
pub use warplens_sim_warp::{Cancelled, TraceRequest, WarpId};
