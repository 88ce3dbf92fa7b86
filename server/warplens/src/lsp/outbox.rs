//! What the server sends of its own accord.
//!
//! The state thread never waits for the client. Notifications go out in the order in which they were given; requests
//! run in tasks of their own, and what they bring comes back as an event.

use std::time::Duration;

use crossbeam_channel::Sender;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tower_lsp::Client;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::notification::{Notification, Progress, PublishDiagnostics, ShowMessage};
use tower_lsp::ls_types::request::{Request, WorkDoneProgressCreate};
use tower_lsp::ls_types::{
    MessageType, NumberOrString, ProgressParams, ProgressParamsValue, PublishDiagnosticsParams,
    ShowMessageParams, TextDocumentIdentifier, Uri, WorkDoneProgress, WorkDoneProgressCreateParams,
};

use super::event::Event;

/// How often it is looked whether the client's process is there.
const WATCH: Duration = Duration::from_secs(2);

/// The lanes that a document shows are others, or none any more: for clients that show more of them than hints.
enum LanesChanged {}

impl Notification for LanesChanged {
    type Params = TextDocumentIdentifier;
    const METHOD: &'static str = "warplens/lanesChanged";
}

enum Letter {
    Diagnostics(PublishDiagnosticsParams),
    Lanes(TextDocumentIdentifier),
    Show(ShowMessageParams),
    Progress(ProgressParams),
}

/// The way to the client.
pub(super) struct Outbox {
    client: Client,
    letters: mpsc::UnboundedSender<Letter>,
    events: Sender<Event>,
    runtime: Handle,
}

impl Outbox {
    pub(super) fn new(client: Client, events: Sender<Event>, runtime: Handle) -> Outbox {
        let (letters, mut queue) = mpsc::unbounded_channel();
        let postman = client.clone();
        runtime.spawn(async move {
            while let Some(letter) = queue.recv().await {
                deliver(&postman, letter).await;
            }
        });
        Outbox { client, letters, events, runtime }
    }

    pub(super) fn publish(&self, diagnostics: PublishDiagnosticsParams) {
        let _ = self.letters.send(Letter::Diagnostics(diagnostics));
    }

    pub(super) fn lanes_changed(&self, uri: Uri) {
        let _ = self.letters.send(Letter::Lanes(TextDocumentIdentifier { uri }));
    }

    /// Shows a message to the user, and logs it.
    pub(super) fn show(&self, typ: MessageType, message: impl Into<String>) {
        let message = message.into();
        tracing::info!("told the user: {message}");
        let _ = self.letters.send(Letter::Show(ShowMessageParams { typ, message }));
    }

    pub(super) fn progress(&self, token: NumberOrString, value: WorkDoneProgress) {
        let value = ProgressParamsValue::WorkDone(value);
        let _ = self.letters.send(Letter::Progress(ProgressParams { token, value }));
    }

    /// Asks the client to show a progress, then gives `ready`; nothing happens where the client refuses.
    pub(super) fn open_progress(&self, token: NumberOrString, ready: Event) {
        let (client, events) = (self.client.clone(), self.events.clone());
        self.runtime.spawn(async move {
            let params = WorkDoneProgressCreateParams { token };
            if client.send_request::<WorkDoneProgressCreate>(params).await.is_ok() {
                let _ = events.send(ready);
            }
        });
    }

    /// Asks the client something; `answered` makes an event of what it says.
    pub(super) fn ask<R>(
        &self,
        params: R::Params,
        answered: impl FnOnce(Result<R::Result>) -> Option<Event> + Send + 'static,
    ) where
        R: Request,
        R::Params: Send + Sync + 'static,
        R::Result: Send + 'static,
    {
        let (client, events) = (self.client.clone(), self.events.clone());
        self.runtime.spawn(async move {
            if let Some(event) = answered(client.send_request::<R>(params).await) {
                let _ = events.send(event);
            }
        });
    }

    /// Ends the server when a process does. One that cannot be seen (another machine or container) is not watched.
    pub(super) fn watch_process(&self, process: u32) {
        let entry = std::path::PathBuf::from(format!("/proc/{process}"));
        if !entry.exists() {
            return;
        }
        let events = self.events.clone();
        self.runtime.spawn(async move {
            while entry.exists() {
                tokio::time::sleep(WATCH).await;
            }
            tracing::info!("the client's process is gone");
            let _ = events.send(Event::End);
        });
    }

    /// Gives an event after a while.
    pub(super) fn later(&self, pause: Duration, event: Event) {
        let events = self.events.clone();
        self.runtime.spawn(async move {
            tokio::time::sleep(pause).await;
            let _ = events.send(event);
        });
    }
}

async fn deliver(client: &Client, letter: Letter) {
    async fn send<N: Notification>(client: &Client, params: N::Params) {
        client.send_notification::<N>(params).await;
    }
    match letter {
        Letter::Diagnostics(params) => send::<PublishDiagnostics>(client, params).await,
        Letter::Lanes(params) => send::<LanesChanged>(client, params).await,
        Letter::Show(params) => send::<ShowMessage>(client, params).await,
        Letter::Progress(params) => send::<Progress>(client, params).await,
    }
}
