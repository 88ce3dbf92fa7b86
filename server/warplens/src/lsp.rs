//! The language server on standard input and output: the transport, and the threads of the server in `warplens-lsp`.
//!
//! ```text
//! bytes -> framing -> transport -> service -(events)-> state thread -(jobs)-> worker threads
//!                         |           ^                  |   |  ^                   |
//!                         |           +----(replies)-----+   |  +-----(events)------+
//! bytes <- output <-------+-------------(notifications)------+
//! ```
//!
//! * `transport` is everything between the bytes of the client and events (framing, service, output), with tower-lsp in the middle;
//! * the state thread runs [`warplens_lsp::Server`], and `program` is its environment;
//! * `threads` are the worker threads, and `memory` returns freed memory to the system.

mod memory;
mod program;
mod threads;
mod transport;

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::oneshot;
use tower_lsp::LspService;

use program::Program;
use transport::output::{self, TransportOutput, write_messages};
use transport::replies::Replies;
use transport::service::{LifeCycle, Ordered};

use warplens_lsp::{Events, Inbox, Message, Server, initialize_result};
use warplens_system::cores::STACK;

pub use warplens_lsp::Ended;

/// The limit of pending requests. It is high because the edit that cancels the others also needs a slot.
const MAX_PENDING: usize = 100_000;

/// How long the client may take to read the last answers.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// Serves a client until it sends `exit`, its input ends, or its process ends.
///
/// # Errors
/// When the threads of the server cannot be started.
pub async fn serve<I, O>(input: I, output: O) -> io::Result<Ended>
where
    I: AsyncRead + Unpin + Send + 'static,
    O: AsyncWrite,
{
    let events = Events::default();
    let inbox = events.inbox();
    let (messages, finished) = output::queue();
    let mut client = None;
    let (service, socket) = LspService::new(|transport| {
        client = Some(transport);
        LifeCycle::new(inbox.clone(), initialize_result)
    });
    let client = client.expect("the closure was called");

    let (ended, mut end) = oneshot::channel();
    let replies = Arc::new(Replies::default());
    let program = Program::start(client, messages.clone(), Arc::clone(&replies))?;
    let pending = Arc::clone(&replies);
    std::thread::Builder::new().name("state".into()).stack_size(STACK).spawn(move || {
        // Later messages fail, so no request is registered after the others are dropped.
        let how = Server::new(events, Arc::new(program)).run();
        pending.drop_all();
        let _ = ended.send(how);
    })?;

    let _end = EndsState(inbox.clone());
    let (validated, checked) = tokio::io::duplex(1 << 20);
    let (sender, large) = crossbeam_channel::unbounded();
    tokio::spawn(transport::framing::validate_frames(input, validated, sender, messages.waiting()));
    let transport = tower_lsp::Server::new(checked, TransportOutput::new(messages), socket)
        .concurrency_level(MAX_PENDING);
    let service = Ordered::new(service, inbox.clone(), replies, large);
    let transporting = async {
        transport.serve(service).await;
        inbox.send(Message::Exit);
    };
    // Messages end when both the transport and the state have ended.
    let mut serving = pin!(async { tokio::join!(transporting, write_messages(output, finished)) });
    let how = tokio::select! {
        _ = &mut serving => end.await,
        how = &mut end => {
            // Serving ends once the client has read the last messages.
            let _ = tokio::time::timeout(FLUSH_TIMEOUT, serving).await;
            how
        }
    };
    Ok(how.unwrap_or(Ended::Abruptly))
}

/// Ends the state thread even if the future of [`serve`] is dropped early. The thread would not end on its own, because it holds a sender
/// of its queue.
struct EndsState(Inbox);

impl Drop for EndsState {
    fn drop(&mut self) {
        self.0.send(Message::Exit);
    }
}
