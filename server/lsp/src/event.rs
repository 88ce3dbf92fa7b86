//! The events that the state thread handles, in the order of arrival.

use std::borrow::Cow;

use ls_types::{InitializeParams, Uri};
use serde_json::Value;
use warplens_ide::lanes::Outcome;
use warplens_protocol::jsonrpc::{Id, Result};
use warplens_tools::ptxas::{Printed, PtxasError};

use crate::documents::request::Response;
use crate::documents::snapshot::Failure;

/// A message of the client.
pub enum Message {
    /// The `initialize` request; the transport has answered it.
    Initialize(Box<InitializeParams>),
    Initialized,
    Shutdown,
    /// The connection ends: pending requests are dropped.
    Exit,
    /// Its answer goes to [`Environment::answer`](crate::Environment::answer).
    Request {
        id: Id,
        method: Cow<'static, str>,
        params: Value,
    },
    Notification {
        method: Cow<'static, str>,
        params: Value,
    },
}

/// An event for the state thread.
pub(crate) enum Event {
    Client(Message),
    /// A worker has finished the job with this number.
    Finished(u64, std::result::Result<Response, Failure>),
    /// The settings of the client (the `warplens` section); `None` if it has none.
    Settings(Option<Value>),
    /// A debounce delay has elapsed.
    DebounceElapsed,
    /// A search of the workspace index has finished.
    IndexSearched(Id, Result<Value>),
    /// The answer to a request of the lanes panel has been computed.
    PanelAnswered(Id, Result<Value>),
    /// A task reports what it is doing, and how far it is in percent.
    TaskProgress {
        id: Id,
        message: String,
        percentage: Option<u32>,
    },
    TaskEnded(Id, Result<Value>),
    /// A run of ptxas has ended.
    PtxasFinished(PtxasFinished),
    /// A simulation reports progress or its result.
    Simulation(SimulationUpdate),
}

/// The end of the run of ptxas with this number. The result is `None` if the run was stopped.
pub(crate) struct PtxasFinished {
    pub(crate) uri: Uri,
    pub(crate) number: u64,
    pub(crate) result: std::result::Result<Option<Printed>, PtxasError>,
}

/// An update from the simulation with this number.
pub(crate) struct SimulationUpdate {
    pub(crate) uri: Uri,
    pub(crate) number: u64,
    pub(crate) state: SimulationState,
}

pub(crate) enum SimulationState {
    /// It has run for so long that its progress is shown.
    LongRunning,
    /// The client has created the progress token.
    ProgressCreated,
    /// The number of executed warp instructions.
    Steps(u64),
    /// The lanes of the beginning of the run, which continues.
    Began(Box<Outcome>),
    /// It has ended; an error is the message of a panic.
    Finished(std::result::Result<Outcome, String>),
}
