//! The language server: the protocol, and the threads that answer requests from the analysis.
//!
//! ```text
//! bytes -> framing -> transport -> service -(events)-> state thread -(jobs)-> worker threads
//!                         |           ^                  |   |  ^                   |
//!                         |           +----(replies)-----+   |  +-----(events)------+
//! bytes <- output <-------+-------------(notifications)------+
//! ```
//!
//! * `transport` is everything between the bytes of the client and events (framing, service, output), with tower-lsp in the middle;
//! * `main_loop` is the state thread, the only one that changes `state`;
//! * `routes` is the table of requests and notifications, and `handlers` has a file for each;
//! * `scheduling` decides when and where a request runs;
//! * `documents` are the open texts, what they show of earlier results, and the snapshots that workers read; an edit cancels them;
//! * `simulation` runs launches outside the database, so that edits of other documents do not disturb them;
//! * `workspace_index` searches the names that the files of the workspace declare;
//! * `files` reads other files without letting a slow file system delay the server;
//! * `to_proto` and `from_proto` convert between the analysis and the protocol.
//!
//! No handler waits for the client, and no thread waits for anything while it holds a snapshot.

mod client_capabilities;
mod documents;
mod errors;
mod event;
mod files;
mod from_proto;
mod handlers;
mod main_loop;
mod markup;
mod memory;
mod ptxas_runs;
mod routes;
mod scheduling;
mod server_capabilities;
mod settings;
mod simulation;
mod state;
mod to_proto;
mod transport;
#[cfg(test)]
mod typescript;
mod workspace_edit;
mod workspace_index;

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tower_lsp::{LspService, Server};

use crate::cores::STACK;
use event::Event;
use server_capabilities::initialize_result;
use state::State;
use transport::client::Client;
use transport::output::{self, TransportOutput, write_messages};
use transport::replies::Replies;
use transport::service::{LifeCycle, Ordered};

pub use documents::document::MAX_TEXT;
pub use main_loop::Ended;

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
    let (events, queue) = crossbeam_channel::unbounded();
    let (messages, finished) = output::queue();
    let mut client = None;
    let runtime = Handle::current();
    let (service, socket) = LspService::new(|transport| {
        client = Some(Client::new(transport, messages.clone(), events.clone(), runtime));
        LifeCycle::new(events.clone(), initialize_result)
    });
    let client = client.expect("the closure was called");

    let (ended, mut end) = oneshot::channel();
    let replies = Arc::new(Replies::default());
    let state = State::new(events.clone(), client, Arc::clone(&replies))?;
    let pending = Arc::clone(&replies);
    std::thread::Builder::new().name("state".into()).stack_size(STACK).spawn(move || {
        let how = main_loop::run(state, &queue);
        // Later events fail, so no request is registered after the others are dropped.
        drop(queue);
        pending.drop_all();
        let _ = ended.send(how);
    })?;

    let _end = EndsState(events.clone());
    let (validated, checked) = tokio::io::duplex(1 << 20);
    let (sender, large) = crossbeam_channel::unbounded();
    tokio::spawn(transport::framing::validate_frames(input, validated, sender, messages.waiting()));
    let transport =
        Server::new(checked, TransportOutput::new(messages), socket).concurrency_level(MAX_PENDING);
    let service = Ordered::new(service, events.clone(), replies, large);
    let transporting = async {
        transport.serve(service).await;
        let _ = events.send(Event::Exit);
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
struct EndsState(crossbeam_channel::Sender<Event>);

impl Drop for EndsState {
    fn drop(&mut self) {
        let _ = self.0.send(Event::Exit);
    }
}
