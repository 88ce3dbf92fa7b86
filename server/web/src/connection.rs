//! The connection to the client: the life cycle of the protocol, and which message is what. tower-lsp does this for the command line.

use std::sync::Arc;
use std::time::Duration;

use ls_types::InitializeParams;
use serde::Deserialize;
use serde_json::Value;
use warplens_lsp::{Environment as _, Events, Inbox, Message, Server, initialize_result, lenient};
use warplens_protocol::jsonrpc::{Error, Id};

use crate::browser::{Browser, response};

/// A message of the client: a request, a notification, or the response to a request of the server.
#[derive(Deserialize)]
struct Incoming {
    #[serde(default, deserialize_with = "present")]
    id: Option<Id>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
    #[serde(default)]
    result: Value,
    error: Option<Error>,
}

/// An id that is `null` is there.
fn present<'de, D: serde::Deserializer<'de>>(id: D) -> Result<Option<Id>, D::Error> {
    Id::deserialize(id).map(Some)
}

/// The server and its client.
pub(crate) struct Connection {
    server: Server,
    inbox: Inbox,
    browser: Arc<Browser>,
    phase: Phase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    BeforeInitialize,
    Running,
    AfterShutdown,
    Ended,
}

impl Connection {
    pub(crate) fn new() -> Connection {
        let (events, browser) = (Events::default(), Arc::new(Browser::default()));
        let inbox = events.inbox();
        let server = Server::new(events, browser.clone());
        Connection { server, inbox, browser, phase: Phase::BeforeInitialize }
    }

    /// Receives a message. The answer follows in a later [`Connection::step`], or is there at once.
    pub(crate) fn receive(&mut self, message: &[u8]) {
        match parse(message) {
            Ok(incoming) => self.handle(incoming),
            Err(problem) => {
                let error = Error::new(Error::PARSE, problem);
                self.browser.send_json(&response(&Id::Null, Err(error)));
            }
        }
    }

    fn handle(&mut self, Incoming { id, method, mut params, result, error }: Incoming) {
        if self.phase == Phase::Ended {
            return;
        }
        match (method, id) {
            (None, Some(id)) => self.browser.responded(&id, error.map_or(Ok(result), Err)),
            (None, None) => {}
            (Some(method), None) => {
                lenient::encode_uris(&mut params);
                self.notified(method, params);
            }
            (Some(method), Some(id)) => {
                lenient::encode_uris(&mut params);
                match self.browser.register(&id) {
                    true => self.requested(id, method, params),
                    false => self.browser.send_json(&response(&id, Err(Error::invalid_request()))),
                }
            }
        }
    }

    fn notified(&mut self, method: String, params: Value) {
        match method.as_str() {
            "exit" => {
                self.phase = Phase::Ended;
                self.browser.drop_requests();
            }
            "initialized" if self.phase == Phase::Running => _ = self.inbox.send(Message::Initialized),
            _ => _ = self.inbox.send(Message::Notification { method: method.into(), params }),
        }
    }

    fn requested(&mut self, id: Id, method: String, params: Value) {
        let answer = match (method.as_str(), self.phase) {
            ("initialize", Phase::BeforeInitialize) => self.initialize(params),
            ("shutdown", Phase::Running) => {
                self.phase = Phase::AfterShutdown;
                self.inbox.send(Message::Shutdown);
                Ok(Value::Null)
            }
            ("shutdown", Phase::BeforeInitialize) => {
                Err(Error::new(Error::NOT_INITIALIZED, "the server is not initialized"))
            }
            ("initialize" | "shutdown", _) => Err(Error::invalid_request()),
            _ => {
                self.inbox.send(Message::Request { id, method: method.into(), params });
                return;
            }
        };
        self.browser.answer(&id, answer);
    }

    fn initialize(&mut self, params: Value) -> Result<Value, Error> {
        let params: InitializeParams =
            serde_json::from_value(params).map_err(|error| Error::invalid_params(error.to_string()))?;
        let result = serde_json::to_value(initialize_result(&params))
            .map_err(|error| Error::new(Error::INTERNAL, error.to_string()))?;
        self.phase = Phase::Running;
        self.inbox.send(Message::Initialize(Box::new(params)));
        Ok(result)
    }

    /// Handles the messages so far, or runs one job; false if there was nothing to do.
    pub(crate) fn step(&mut self) -> bool {
        self.phase != Phase::Ended && (self.server.step() || self.browser.run_next())
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.phase == Phase::Ended
    }

    /// The next message for the client, without a header.
    pub(crate) fn next_message(&self) -> Option<Vec<u8>> {
        self.browser.next_message()
    }

    /// How long there is nothing to do unless a message arrives; `None` for forever.
    pub(crate) fn next_timer(&self) -> Option<Duration> {
        self.browser.next_timer().filter(|_| self.phase != Phase::Ended)
    }
}

/// Reads a message. Lone surrogates, which text cannot contain, are replaced.
fn parse(message: &[u8]) -> Result<Incoming, String> {
    let problem = match serde_json::from_slice(message) {
        Ok(incoming) => return Ok(incoming),
        Err(problem) => format!("the message is not a JSON-RPC 2.0 message: {problem}"),
    };
    serde_json::from_slice(&lenient::without_lone_surrogates(message)).map_err(|_| problem)
}
