//! The language server: the protocol outside, the analysis inside.
//!
//! ```text
//! bytes -> guard -> transport -> service -(events)-> state thread -(questions)-> worker threads
//!                                   ^                    |    ^                        |
//!                                   +---- answers -------+    +---- what they bring ---+
//! ```
//!
//! * `guard` keeps malformed input away from the transport, which would end at it;
//! * `service` turns each message into an event in wire order, and only waits for answers;
//! * `state` is the one thread that changes anything: documents, requests under way, what is shown;
//! * `job` and `pool` are work that reads, on threads of its own, with a snapshot that an edit cancels;
//! * `simulation` runs launches, apart from the database: no edit elsewhere disturbs them;
//! * `survey` looks at all files, those of the workspace's folders among them;
//! * `requests`, `editing`, `navigation`, `commands` and `lanes` say what is asked, `convert` how the answer is put.
//!
//! Nothing here waits for the client inside a handler, and no snapshot is held while something waits.

mod actions;
mod capabilities;
mod commands;
mod convert;
mod document;
mod editing;
mod event;
mod guard;
mod job;
mod lanes;
mod navigation;
mod outbox;
mod pages;
mod pool;
mod progress;
mod ptxas;
mod queue;
mod requests;
mod rest;
mod service;
mod settings;
mod simulation;
mod state;
mod survey;
mod sync;
mod tokens;

use std::io;
use std::pin::pin;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tower_lsp::{LspService, Server};

use outbox::Outbox;
use service::{LifeCycle, Ordered};
use state::State;

pub use document::MAX_TEXT;

/// A waiting request takes a place until it is answered; there must always be one for the edit that cancels it.
const MAX_WAITING: usize = 100_000;

/// How long the last answers may take to be read after the end.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How a server ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The client had asked for a shutdown.
    Orderly,
    /// The client left, or its end of the line did.
    Abruptly,
}

/// Serves a client until it says `exit`, its input ends, or its process dies.
///
/// # Errors
/// When the threads of the server cannot be started.
pub async fn serve<I, O>(input: I, output: O) -> io::Result<Ended>
where
    I: AsyncRead + Unpin + Send + 'static,
    O: AsyncWrite,
{
    let (events, queue) = crossbeam_channel::unbounded();
    let mut outbox = None;
    let runtime = Handle::current();
    let (service, socket) = LspService::new(|client| {
        outbox = Some(Outbox::new(client, events.clone(), runtime));
        LifeCycle::new(events.clone())
    });
    let outbox = outbox.expect("the service makes its server at once");

    let (ended, mut end) = oneshot::channel();
    let state = State::new(events.clone(), outbox)?;
    std::thread::Builder::new().name("state".into()).stack_size(pool::STACK).spawn(move || {
        let _ = ended.send(state.run(&queue));
    })?;

    let (guarded, checked) = tokio::io::duplex(1 << 20);
    tokio::spawn(guard::guard(input, guarded));
    let transport = Server::new(checked, output, socket).concurrency_level(MAX_WAITING);
    let mut serving = pin!(transport.serve(Ordered::new(service, events.clone())));
    let how = tokio::select! {
        () = &mut serving => {
            let _ = events.send(event::Event::End);
            end.await
        }
        how = &mut end => {
            // What was let go ends the transport, unless nobody reads its last answers.
            let _ = tokio::time::timeout(LAST_WORDS, serving).await;
            how
        }
    };
    Ok(how.unwrap_or(Ended::Abruptly))
}
