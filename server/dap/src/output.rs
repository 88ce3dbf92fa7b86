//! The messages to the client, which a run may send from any of its threads.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value as Json, json};

use crate::framing;

pub(crate) struct Output<W>(Mutex<Numbered<W>>);

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

    /// Sends an event.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn event(&self, event: &str, body: Json) -> io::Result<()> {
        self.send(json!({ "type": "event", "event": event, "body": body }))
    }
}
