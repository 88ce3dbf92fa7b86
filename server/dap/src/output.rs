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
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<&'r B>,
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

    /// Sends what `text` makes of the number of the message.
    fn send(&self, text: impl FnOnce(u64) -> serde_json::Result<String>) -> io::Result<()> {
        let mut numbered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        numbered.sequence += 1;
        let text = text(numbered.sequence)?;
        framing::write(&mut numbered.writer, text.as_bytes())
    }

    /// Answers a request that succeeded.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn respond(&self, request: &Request, body: Option<&impl Serialize>) -> io::Result<()> {
        self.answer(request, None, body)
    }

    /// Answers a request that failed, with the reason.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn refuse(&self, request: &Request, reason: &str, body: &Json) -> io::Result<()> {
        self.answer(request, Some(reason), Some(body))
    }

    fn answer(
        &self,
        request: &Request,
        reason: Option<&str>,
        body: Option<&impl Serialize>,
    ) -> io::Result<()> {
        let response = |seq| Response {
            seq,
            kind: "response",
            request_seq: request.seq,
            command: &request.command,
            success: reason.is_none(),
            message: reason,
            body,
        };
        self.send(|seq| serde_json::to_string(&response(seq)))
    }

    /// Sends an event.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn event(&self, event: &str, body: Json) -> io::Result<()> {
        self.send(|seq| Ok(json!({ "seq": seq, "type": "event", "event": event, "body": body }).to_string()))
    }
}
