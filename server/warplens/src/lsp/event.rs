//! What reaches the state thread.

use std::borrow::Cow;

use serde_json::Value;
use tokio::sync::oneshot;
use tower_lsp::jsonrpc::{Id, Response};
use tower_lsp::ls_types::{InitializeParams, InitializeResult};

use super::job::Finished;
use super::ptxas::Ran;
use super::simulation::Update;

/// Everything that the state thread reacts to, in the order in which it came.
pub(super) enum Event {
    /// The first request of a client.
    Initialize(Box<InitializeParams>, oneshot::Sender<InitializeResult>),
    /// The client has seen the answer to it.
    Initialized,
    /// The client wants no more answers.
    Shutdown,
    /// The end: everything that waits is let go.
    End,
    /// A message of the client.
    Message(Message),
    /// A worker is done.
    Finished(Finished),
    /// The client told its settings (the `warplens` section).
    Settings(Value),
    /// A pause in typing may be over.
    Rested,
    /// A survey of all files is done.
    Surveyed(Id, tower_lsp::jsonrpc::Result<Value>),
    /// ptxas has run.
    Assembled(Ran),
    /// News of a simulation.
    Simulation(Update),
}

/// A message of the client that is not about the life cycle.
pub(super) enum Message {
    Request { id: Id, method: Cow<'static, str>, params: Value, reply: oneshot::Sender<Response> },
    Notification { method: Cow<'static, str>, params: Value },
}
