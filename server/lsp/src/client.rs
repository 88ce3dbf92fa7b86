//! Messages from the server to the client, and what the client supports.
//!
//! The state thread never waits for the client. Notifications are sent in order, and the response to a request becomes an event.

use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::Sender;
use ls_types::notification::{Notification, Progress, PublishDiagnostics, ShowMessage};
use ls_types::request::{
    CodeLensRefresh, InlayHintRefreshRequest, Request, WorkDoneProgressCreate, WorkspaceDiagnosticRefresh,
};
use ls_types::{
    Diagnostic, MessageType, NumberOrString, ProgressParams, ProgressParamsValue, PublishDiagnosticsParams,
    ShowMessageParams, TextDocumentIdentifier, Uri, WorkDoneProgress, WorkDoneProgressBegin,
    WorkDoneProgressCreateParams, WorkDoneProgressEnd, WorkDoneProgressReport,
};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use warplens_protocol::jsonrpc::{Error, Result};
use warplens_protocol::message::{notification, publish_diagnostics};
use warplens_protocol::position::Encoding;

use crate::client_capabilities::ClientCapabilities;
use crate::documents::document::Refusal;
use crate::environment::Environment;
use crate::event::{Event, Message};

/// The lanes that a document shows have changed. For clients with their own view of lanes.
enum LanesChanged {}

impl Notification for LanesChanged {
    type Params = TextDocumentIdentifier;
    const METHOD: &'static str = "warplens/lanesChanged";
}

/// A long run of a document started, continues or ended. For clients with their own view of its progress.
enum RunProgress {}

impl Notification for RunProgress {
    type Params = RunProgressParams;
    const METHOD: &'static str = "warplens/runProgress";
}

/// The parameters of `warplens/runProgress`.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct RunProgressParams {
    uri: Uri,
    /// `None` at the end of the run.
    running: Option<RunningParams>,
}

/// A run in progress.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "RunProgress"))]
pub(crate) struct RunningParams {
    pub(crate) entry: String,
    pub(crate) launch: String,
    /// Executed warp instructions of all warps.
    pub(crate) steps: u64,
    /// The limit of warp instructions.
    pub(crate) max_steps: u64,
}

/// The client, as the state thread sees it.
pub(crate) struct Client {
    pub(crate) capabilities: Arc<ClientCapabilities>,
    /// How the client counts characters.
    pub(crate) encoding: Encoding,
    environment: Arc<dyn Environment>,
    events: Sender<Event>,
    /// Warnings that the user has seen.
    warned: FxHashSet<String>,
}

impl Client {
    pub(crate) fn new(environment: Arc<dyn Environment>, events: Sender<Event>) -> Client {
        Client {
            capabilities: Arc::default(),
            encoding: Encoding::Utf16,
            environment,
            events,
            warned: FxHashSet::default(),
        }
    }

    pub(crate) fn send(&self, message: Vec<u8>) {
        self.environment.send(message);
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

    /// Publishes the diagnostics of a document, unless the client pulls them.
    pub(crate) fn publish(&self, uri: &Uri, version: Option<i32>, diagnostics: Vec<Diagnostic>) {
        if !self.capabilities.pull_diagnostics {
            let params = PublishDiagnosticsParams { uri: uri.clone(), diagnostics, version };
            self.send_encoded(PublishDiagnostics::METHOD, publish_diagnostics(&params));
        }
    }

    /// Lets a client that pulls diagnostics pull them again.
    pub(crate) fn refresh_diagnostics(&self) {
        if self.capabilities.pull_diagnostics && self.capabilities.refresh_diagnostics {
            self.request::<WorkspaceDiagnosticRefresh>((), |_| None);
        }
    }

    /// Reports that the lanes of a document have changed.
    pub(crate) fn lanes_changed(&self, uri: &Uri) {
        self.refresh_lanes();
        if self.capabilities.lanes_changed {
            self.notify::<LanesChanged>(&TextDocumentIdentifier { uri: uri.clone() });
        }
    }

    /// Lets the client refresh inlay hints and code lenses.
    pub(crate) fn refresh_lanes(&self) {
        if self.capabilities.refresh_hints {
            self.request::<InlayHintRefreshRequest>((), |_| None);
        }
        if self.capabilities.refresh_lenses {
            self.request::<CodeLensRefresh>((), |_| None);
        }
    }

    /// Reports the progress of the run of a document, or with `None` its end.
    pub(crate) fn run_progress(&self, uri: &Uri, running: Option<RunningParams>) {
        self.notify::<RunProgress>(&RunProgressParams { uri: uri.clone(), running });
    }

    /// Shows a message to the user and logs it.
    pub(crate) fn show(&self, typ: MessageType, message: impl Into<String>) {
        let message = message.into();
        tracing::info!("shown to the user: {message}");
        self.notify::<ShowMessage>(&ShowMessageParams { typ, message });
    }

    /// Shows the user why a document is not analyzed.
    pub(crate) fn show_refusal(&self, uri: &Uri, refusal: &Refusal) {
        let name = uri.path().as_str().rsplit('/').next().unwrap_or_default();
        self.show(MessageType::WARNING, format!("{name}: {}", refusal.message));
    }

    /// Shows a warning, unless the user has already seen it.
    pub(crate) fn warn_once(&mut self, message: String) {
        if self.warned.insert(message.clone()) {
            self.show(MessageType::WARNING, message);
        }
    }

    pub(crate) fn begin_progress(&self, token: NumberOrString, title: String, percentage: Option<u32>) {
        let begin = WorkDoneProgressBegin { title, cancellable: Some(true), message: None, percentage };
        self.progress(token, WorkDoneProgress::Begin(begin));
    }

    pub(crate) fn report_progress(&self, token: NumberOrString, message: String, percentage: Option<u32>) {
        let report = WorkDoneProgressReport { cancellable: Some(true), message: Some(message), percentage };
        self.progress(token, WorkDoneProgress::Report(report));
    }

    pub(crate) fn end_progress(&self, token: NumberOrString) {
        self.progress(token, WorkDoneProgress::End(WorkDoneProgressEnd { message: None }));
    }

    fn progress(&self, token: NumberOrString, value: WorkDoneProgress) {
        let value = ProgressParamsValue::WorkDone(value);
        self.notify::<Progress>(&ProgressParams { token, value });
    }

    /// Asks the client to create a progress token, and sends `created` when it has. Nothing happens if the client refuses.
    pub(crate) fn create_progress(&self, token: NumberOrString, created: Event) {
        let params = WorkDoneProgressCreateParams { token };
        self.request::<WorkDoneProgressCreate>(params, |response| response.is_ok().then_some(created));
    }

    /// Sends a request to the client; `to_event` turns its response into an event.
    pub(crate) fn request<R>(
        &self,
        params: R::Params,
        to_event: impl FnOnce(Result<R::Result>) -> Option<Event> + Send + 'static,
    ) where
        R: Request,
    {
        let events = self.events.clone();
        let respond = move |response: Result<Value>| {
            let result = response.and_then(|value| {
                serde_json::from_value(value).map_err(|error| Error::new(Error::PARSE, error.to_string()))
            });
            if let Some(event) = to_event(result) {
                let _ = events.send(event);
            }
        };
        match serde_json::to_value(params) {
            Ok(params) => self.environment.request(R::METHOD, params, Box::new(respond)),
            Err(error) => tracing::error!("{} cannot be encoded: {error}", R::METHOD),
        }
    }

    /// Ends the server when the process of the client ends. A process that is not visible, because it is on another machine or in a
    /// container, is not watched.
    pub(crate) fn watch_process(&self, process: u32) {
        let events = self.events.clone();
        let ended = move || {
            tracing::info!("the process of the client has ended");
            let _ = events.send(Event::Client(Message::Exit));
        };
        self.environment.when_process_ends(process, Box::new(ended));
    }

    pub(crate) fn send_later(&self, delay: Duration, event: Event) {
        let events = self.events.clone();
        self.environment.later(delay, Box::new(move || _ = events.send(event)));
    }
}
