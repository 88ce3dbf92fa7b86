//! Messages from the server to the client.
//!
//! The state thread never waits for the client. Notifications are sent in order; requests run in tasks of their own, and
//! their responses become events.

use std::time::Duration;

use crossbeam_channel::Sender;
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;
use tower_lsp::Client;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::notification::{Notification, Progress, PublishDiagnostics, ShowMessage};
use tower_lsp::ls_types::request::{Request, WorkDoneProgressCreate};
use tower_lsp::ls_types::{
    MessageType, NumberOrString, ProgressParams, ProgressParamsValue, PublishDiagnosticsParams,
    ShowMessageParams, TextDocumentIdentifier, Uri, WorkDoneProgress, WorkDoneProgressCreateParams,
};
use warplens_protocol::message::{notification, publish_diagnostics};

use super::event::Event;
use super::output::MessageSender;

/// The interval at which the process of the client is checked.
const PROCESS_CHECK: Duration = Duration::from_secs(2);

/// The lanes that a document shows have changed: for clients that show them in a view of their own.
enum LanesChanged {}

impl Notification for LanesChanged {
    type Params = TextDocumentIdentifier;
    const METHOD: &'static str = "warplens/lanesChanged";
}

/// A long run of a document started, continues or ended: for clients that show its progress in a view of their own.
enum RunProgress {}

impl Notification for RunProgress {
    type Params = RunProgressParams;
    const METHOD: &'static str = "warplens/runProgress";
}

/// The parameters of `warplens/runProgress`.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunProgressParams {
    pub(crate) uri: Uri,
    /// `None` at the end of the run.
    pub(crate) running: Option<RunningParams>,
}

/// A run in progress.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunningParams {
    pub(crate) entry: String,
    pub(crate) launch: String,
    /// Executed warp instructions.
    pub(crate) steps: u64,
    /// Their limit.
    pub(crate) max_steps: u64,
}

/// The client, as the state thread sees it.
pub(crate) struct ClientSender {
    client: Client,
    /// Encoded messages, on their way to the output.
    messages: MessageSender,
    events: Sender<Event>,
    runtime: Handle,
}

impl ClientSender {
    pub(crate) fn new(
        client: Client,
        messages: MessageSender,
        events: Sender<Event>,
        runtime: Handle,
    ) -> ClientSender {
        ClientSender { client, messages, events, runtime }
    }

    /// Sends an encoded message.
    pub(crate) fn send(&self, message: Vec<u8>) {
        // If nothing receives it, the output is closed.
        let _ = self.messages.send(message);
    }

    fn notify<N: Notification>(&self, params: &N::Params) {
        self.send_encoded(N::METHOD, notification::<N>(params));
    }

    fn send_encoded(&self, method: &str, message: serde_json::Result<Vec<u8>>) {
        match message {
            Ok(message) => self.send(message),
            Err(error) => tracing::error!("{method} cannot be encoded: {error}"),
        }
    }

    pub(crate) fn publish(&self, diagnostics: &PublishDiagnosticsParams) {
        self.send_encoded(PublishDiagnostics::METHOD, publish_diagnostics(diagnostics));
    }

    pub(crate) fn lanes_changed(&self, uri: Uri) {
        self.notify::<LanesChanged>(&TextDocumentIdentifier { uri });
    }

    pub(crate) fn run_progress(&self, params: &RunProgressParams) {
        self.notify::<RunProgress>(params);
    }

    /// Shows a message to the user and logs it.
    pub(crate) fn show(&self, typ: MessageType, message: impl Into<String>) {
        let message = message.into();
        tracing::info!("shown to the user: {message}");
        self.notify::<ShowMessage>(&ShowMessageParams { typ, message });
    }

    pub(crate) fn progress(&self, token: NumberOrString, value: WorkDoneProgress) {
        let value = ProgressParamsValue::WorkDone(value);
        self.notify::<Progress>(&ProgressParams { token, value });
    }

    /// Asks the client to create a progress token, then sends `created`; nothing when the client refuses.
    pub(crate) fn create_progress(&self, token: NumberOrString, created: Event) {
        let (client, events) = (self.client.clone(), self.events.clone());
        self.runtime.spawn(async move {
            let params = WorkDoneProgressCreateParams { token };
            if client.send_request::<WorkDoneProgressCreate>(params).await.is_ok() {
                let _ = events.send(created);
            }
        });
    }

    /// Sends a request to the client; `to_event` turns its response into an event.
    pub(crate) fn request<R>(
        &self,
        params: R::Params,
        to_event: impl FnOnce(Result<R::Result>) -> Option<Event> + Send + 'static,
    ) where
        R: Request,
        R::Params: Send + Sync + 'static,
        R::Result: Send + 'static,
    {
        let (client, events) = (self.client.clone(), self.events.clone());
        self.runtime.spawn(async move {
            if let Some(event) = to_event(client.send_request::<R>(params).await) {
                let _ = events.send(event);
            }
        });
    }

    /// Ends the server when the process of the client ends. A process that is not visible (on another machine or in a
    /// container) is not watched.
    pub(crate) fn watch_process(&self, process: u32) {
        let entry = std::path::PathBuf::from(format!("/proc/{process}"));
        if !entry.exists() {
            return;
        }
        let events = self.events.clone();
        self.runtime.spawn(async move {
            while entry.exists() {
                tokio::time::sleep(PROCESS_CHECK).await;
            }
            tracing::info!("the process of the client has ended");
            let _ = events.send(Event::Exit);
        });
    }

    /// Sends an event after a delay.
    pub(crate) fn send_later(&self, delay: Duration, event: Event) {
        let events = self.events.clone();
        self.runtime.spawn(async move {
            tokio::time::sleep(delay).await;
            let _ = events.send(event);
        });
    }
}
