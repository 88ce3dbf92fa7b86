//! The messages to the client, which a run may send from any of its threads.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::framing;
use crate::request::Request;

pub(crate) struct Output<W>(Mutex<Numbered<W>>);

#[derive(Serialize)]
struct Response<'r, B> {
    seq: u64,
    #[serde(rename = "type")]
    kind: &'static str,
    request_seq: u64,
    command: &'r str,
    success: bool,
    body: &'r B,
}

struct Numbered<W> {
    writer: W,
    /// The number of the last message.
    sequence: u64,
}

impl<W: Write> Output<W> {
    pub(crate) fn new(writer: W) -> Output<W> {
        Output(Mutex::new(Numbered { writer, sequence: 0 }))
    }

    /// Sends a message, and numbers it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn send(&self, mut message: Json) -> io::Result<()> {
        let mut numbered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        numbered.sequence += 1;
        message["seq"] = json!(numbered.sequence);
        framing::write(&mut numbered.writer, message.to_string().as_bytes())
    }

    /// Sends the answer to a request that succeeded.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn respond(&self, request: &Request, body: &impl Serialize) -> io::Result<()> {
        let mut numbered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        numbered.sequence += 1;
        let response = Response {
            seq: numbered.sequence,
            kind: "response",
            request_seq: request.seq,
            command: &request.command,
            success: true,
            body,
        };
        let text = serde_json::to_string(&response).map_err(io::Error::other)?;
        framing::write(&mut numbered.writer, text.as_bytes())
    }

    /// Sends an event.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn event(&self, event: &str, body: Json) -> io::Result<()> {
        self.send(json!({ "type": "event", "event": event, "body": body }))
    }
}
