//! The service that keeps messages in wire order.
//!
//! tower-lsp polls handlers concurrently, so one edit could overtake another. But it calls [`Ordered::call`] once for each message, in
//! order. There each message becomes an event for the state thread, and the future that tower-lsp polls only waits for the answer. The
//! life cycle (`initialize`, `initialized`, `shutdown`, `exit`) is passed on to the service of tower-lsp, which tracks it.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use crossbeam_channel::Receiver;
use serde_json::Value;
use tower::Service;
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Request, Response, Result};
use tower_lsp::ls_types::{InitializeParams, InitializeResult, InitializedParams};
use tower_lsp::{ExitedError, LanguageServer, LspService};

use warplens_lsp::{Inbox, Message};

use crate::lsp::transport::convert;
use crate::lsp::transport::framing::{BAD_MESSAGE, END_OF_INPUT, LARGE_MESSAGE};
use crate::lsp::transport::replies::Replies;

/// Wraps the service of tower-lsp.
pub(crate) struct Ordered {
    inner: LspService<LifeCycle>,
    inbox: Inbox,
    replies: Arc<Replies>,
    /// Long notifications, which bypass tower-lsp.
    large: Receiver<Request>,
}

impl Ordered {
    pub(crate) fn new(
        inner: LspService<LifeCycle>,
        inbox: Inbox,
        replies: Arc<Replies>,
        large: Receiver<Request>,
    ) -> Ordered {
        Ordered { inner, inbox, replies, large }
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
                // tower-lsp waits for pending requests; the state thread drops them.
                self.inbox.send(Message::Exit);
                self.inner.call(request)
            }
            END_OF_INPUT => {
                self.inbox.send(Message::Exit);
                Box::pin(async { Ok(None) })
            }
            LARGE_MESSAGE => match self.large.try_recv() {
                Ok(request) => self.forward(request),
                // The client itself sent this method.
                Err(_) => Box::pin(async { Ok(None) }),
            },
            BAD_MESSAGE => {
                let reason = request.params().and_then(Value::as_str).unwrap_or_default().to_owned();
                let error = Error { code: ErrorCode::ParseError, message: reason.into(), data: None };
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
            self.inbox.send(Message::Notification { method, params });
            return Box::pin(async { Ok(None) });
        };
        let id = convert::id_from_tower(id);
        let Some(answer) = self.replies.register(id.clone()) else {
            let duplicate = Response::from_error(convert::id_to_tower(id), Error::invalid_request());
            return Box::pin(async { Ok(Some(duplicate)) });
        };
        if !self.inbox.send(Message::Request { id: id.clone(), method, params }) {
            self.replies.drop_request(&id);
        }
        // If the channel is dropped, the server is exiting.
        Box::pin(async move { Ok(answer.await.ok()) })
    }
}

/// The life cycle, which the service of tower-lsp calls.
pub(crate) struct LifeCycle {
    inbox: Inbox,
    initialize: fn(&InitializeParams) -> InitializeResult,
}

impl LifeCycle {
    pub(crate) fn new(inbox: Inbox, initialize: fn(&InitializeParams) -> InitializeResult) -> LifeCycle {
        LifeCycle { inbox, initialize }
    }
}

impl LanguageServer for LifeCycle {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let result = (self.initialize)(&params);
        self.inbox.send(Message::Initialize(Box::new(params)));
        Ok(result)
    }

    async fn initialized(&self, _: InitializedParams) {
        self.inbox.send(Message::Initialized);
    }

    async fn shutdown(&self) -> Result<()> {
        self.inbox.send(Message::Shutdown);
        Ok(())
    }
}
