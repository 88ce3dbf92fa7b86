//! The language server: the protocol, and the threads that answer it from the analysis.
//!
//! ```text
//! bytes -> framing -> transport -> service -(events)-> state thread -(jobs)-> worker threads
//!                         |           ^                  |   |  ^                   |
//!                         |           +----(replies)-----+   |  +-----(events)------+
//! bytes <- output <-------+-------------(notifications)------+
//! ```
//!
//! * `framing` validates the input, because the transport stops at the first invalid frame;
//! * `service` turns each message into an event, in wire order, and waits for the answer;
//! * `main_loop` is the state thread, the only one that changes `state`: documents, pending requests, what is shown;
//! * `output` joins the messages of the transport and those that go beside it;
//! * `routes` maps methods to `handlers`, which run on workers with a `snapshot` that an edit cancels;
//! * `shown` is what each document shows, shared by the state thread and the handlers;
//! * `simulation` runs launches outside the database, so that no edit of another document disturbs them;
//! * `workspace_index` searches the names of all files in the folders of the workspace;
//! * `to_proto` and `from_proto` convert between the analysis and the protocol.
//!
//! No handler waits for the client, and nothing waits while it holds a snapshot.

mod analysis_delay;
mod client;
mod client_capabilities;
mod debounce;
mod document;
mod documentation_pages;
mod errors;
mod event;
mod file_access;
mod framing;
mod from_proto;
mod handlers;
mod lanes;
mod launch_documents;
mod launch_text;
mod lenient;
mod listing_cache;
mod main_loop;
mod markup;
mod memory;
mod output;
mod ptxas;
mod queue;
mod replies;
mod request;
mod routes;
mod server_capabilities;
mod service;
mod settings;
mod shown;
mod simulation;
mod snapshot;
mod source_files;
mod state;
mod tasks;
mod to_proto;
mod tool_method;
mod worker_pool;
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
use client::ClientSender;
use event::Event;
use output::{TransportOutput, write_messages};
use replies::Replies;
use service::{LifeCycle, Ordered};
use state::State;

pub use document::MAX_TEXT;
pub use main_loop::Ended;

/// The limit of pending requests. High, because a slot must be free for the edit that cancels the others.
const MAX_PENDING: usize = 100_000;

/// The time limit for the client to read the last answers.
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
        client = Some(ClientSender::new(transport, messages.clone(), events.clone(), runtime));
        LifeCycle::new(events.clone())
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
    tokio::spawn(framing::validate_frames(input, validated, sender, messages.waiting()));
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
            // It ends once the client has read the last messages.
            let _ = tokio::time::timeout(FLUSH_TIMEOUT, serving).await;
            how
        }
    };
    Ok(how.unwrap_or(Ended::Abruptly))
}

/// Ends the state thread, also when the future of [`serve`] is dropped before its end: the thread itself keeps its queue open.
struct EndsState(crossbeam_channel::Sender<Event>);

impl Drop for EndsState {
    fn drop(&mut self) {
        let _ = self.0.send(Event::Exit);
    }
}
