//! The service that keeps messages in wire order.
//!
//! The transport polls handlers concurrently, so an edit could overtake another. But it calls [`Ordered::call`] message
//! by message: there each becomes an event for the state thread, and the future that the transport polls only waits
//! for the answer. The life cycle (`initialize`, `initialized`, `shutdown`, `exit`) goes on to the transport's own
//! service, which keeps account of it.

use std::pin::Pin;
use std::task::{Context, Poll};

use crossbeam_channel::Sender;
use serde_json::Value;
use tokio::sync::oneshot;
use tower::Service;
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Request, Response, Result};
use tower_lsp::ls_types::{InitializeParams, InitializeResult, InitializedParams};
use tower_lsp::{ExitedError, LanguageServer, LspService};

use super::event::{Event, Message};
use super::guard::{BAD_MESSAGE, END_OF_INPUT};

/// Wraps the transport's service; see the module.
pub(super) struct Ordered {
    inner: LspService<LifeCycle>,
    events: Sender<Event>,
}

impl Ordered {
    pub(super) fn new(inner: LspService<LifeCycle>, events: Sender<Event>) -> Ordered {
        Ordered { inner, events }
    }
}

impl Service<Request> for Ordered {
    type Response = Option<Response>;
    type Error = ExitedError;
    type Future = Pin<Box<dyn Future<Output = std::result::Result<Option<Response>, ExitedError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<std::result::Result<(), ExitedError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        match request.method() {
            "initialize" | "initialized" | "shutdown" => self.inner.call(request),
            "exit" => {
                // The state thread lets go of all waiting requests, or the transport would wait for them.
                let _ = self.events.send(Event::End);
                self.inner.call(request)
            }
            END_OF_INPUT => {
                let _ = self.events.send(Event::End);
                Box::pin(async { Ok(None) })
            }
            BAD_MESSAGE => {
                let why = request.params().and_then(Value::as_str).unwrap_or_default().to_owned();
                let error = Error { code: ErrorCode::ParseError, message: why.into(), data: None };
                Box::pin(async move { Ok(Some(Response::from_error(Id::Null, error))) })
            }
            _ => self.forward(request),
        }
    }
}

impl Ordered {
    fn forward(&self, request: Request) -> <Self as Service<Request>>::Future {
        let (method, id, params) = request.into_parts();
        let params = params.unwrap_or(Value::Null);
        let Some(id) = id else {
            let _ = self.events.send(Event::Message(Message::Notification { method, params }));
            return Box::pin(async { Ok(None) });
        };
        let (reply, answer) = oneshot::channel();
        let _ = self.events.send(Event::Message(Message::Request { id, method, params, reply }));
        // An answer that never comes means that the server is ending.
        Box::pin(async move { Ok(answer.await.ok()) })
    }
}

/// What the transport's own service calls: the life cycle only.
pub(super) struct LifeCycle {
    events: Sender<Event>,
}

impl LifeCycle {
    pub(super) fn new(events: Sender<Event>) -> LifeCycle {
        LifeCycle { events }
    }
}

impl LanguageServer for LifeCycle {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let (reply, answer) = oneshot::channel();
        let _ = self.events.send(Event::Initialize(Box::new(params), reply));
        answer.await.map_err(|_| Error::internal_error())
    }

    async fn initialized(&self, _: InitializedParams) {
        let _ = self.events.send(Event::Initialized);
    }

    async fn shutdown(&self) -> Result<()> {
        let _ = self.events.send(Event::Shutdown);
        Ok(())
    }
}
