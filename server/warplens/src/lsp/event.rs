//! The events that the state thread handles, in the order of arrival. Data only.

use std::borrow::Cow;

use serde_json::Value;
use tower_lsp::jsonrpc::{Id, Result};
use tower_lsp::ls_types::{InitializeParams, Uri};
use warplens_ide::lanes::Outcome;
use warplens_tools::ptxas::{Printed, PtxasError};

use super::request::Response;
use super::snapshot::Failure;
use super::tasks::progress::TaskProgress;

/// An event for the state thread.
pub(crate) enum Event {
    /// The `initialize` request; the service has answered it.
    Initialize(Box<InitializeParams>),
    /// The `initialized` notification.
    Initialized,
    /// The `shutdown` request.
    Shutdown,
    /// The connection ends: pending requests are dropped.
    Exit,
    /// A request of the client. Its answer goes to [`super::replies::Replies`].
    Request { id: Id, method: Cow<'static, str>, params: Value },
    /// A notification of the client.
    Notification { method: Cow<'static, str>, params: Value },
    /// A worker has finished the job of this number.
    Finished(u64, std::result::Result<Response, Failure>),
    /// The settings of the client (the `warplens` section); `None` if it has none.
    Settings(Option<Value>),
    /// A debounce delay has elapsed.
    DebounceElapsed,
    /// The search of the workspace index for a request has finished.
    IndexSearched(Id, Result<Value>),
    /// The answer of a request of the lanes panel was computed.
    PanelAnswered(Id, Result<Value>),
    /// The work of a request reports its progress.
    TaskProgress(Id, TaskProgress),
    /// The work of a request has ended.
    TaskEnded(Id, Result<Value>),
    /// A run of ptxas has ended.
    PtxasFinished(PtxasFinished),
    /// A simulation reports progress or its result.
    Simulation(SimulationUpdate),
}

/// The end of a run of ptxas, by document and run number; `None` when it was stopped.
pub(crate) struct PtxasFinished {
    pub(crate) uri: Uri,
    pub(crate) number: u64,
    pub(crate) result: std::result::Result<Option<Printed>, PtxasError>,
}

/// An update from a simulation, by document and run number.
pub(crate) struct SimulationUpdate {
    pub(crate) uri: Uri,
    pub(crate) number: u64,
    pub(crate) state: SimulationState,
}

/// The state of a simulation.
pub(crate) enum SimulationState {
    /// It runs longer than the delay after which progress is shown.
    LongRunning,
    /// The client has created the progress token.
    ProgressCreated,
    /// The number of executed warp instructions.
    Steps(u64),
    /// The lanes of its beginning, which it has executed some time ago.
    Began(Box<Outcome>),
    /// It has ended; an error is the message of a panic.
    Finished(std::result::Result<Outcome, String>),
}
