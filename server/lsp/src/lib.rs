//! The language server without its transport: messages of the client in, messages out.
//!
//! ```text
//! Message -> Inbox -(events)-> Server (main loop, state) -(jobs)-> Environment
//!                      ^                    |                          |
//!                      +-----(events)-------|----------(jobs)----------+
//! Environment <----------(answers, notifications)
//! ```
//!
//! The program around it implements [`Environment`]: the command line has threads, the browser runs one job after the other.
//!
//! * `main_loop` handles events, in the order of arrival, and is the only one that changes `state`;
//! * `routes` is the table of requests and notifications, and `handlers` has a file for each;
//! * `scheduling` decides when a request runs;
//! * `documents` are the open texts, what they show of earlier results, and the snapshots that workers read; an edit cancels them;
//! * `simulation` runs launches outside the database, so that edits of other documents do not disturb them;
//! * `workspace_index` searches the names that the files of the workspace declare;
//! * `files` reads other files without letting a slow file system delay the server;
//! * `to_proto` and `from_proto` convert between the analysis and the protocol.
//!
//! No handler waits for the client, and nothing waits while it holds a snapshot.

mod client;
mod client_capabilities;
mod documents;
mod environment;
mod errors;
mod event;
mod files;
mod from_proto;
mod handlers;
pub mod language;
pub mod launch_file;
pub mod lenient;
pub mod link;
mod main_loop;
pub mod markdown;
mod markup;
mod ptxas_runs;
mod routes;
mod scheduling;
mod server_capabilities;
mod settings;
mod simulation;
mod state;
mod to_proto;
#[cfg(test)]
mod typescript;
mod workspace_edit;
mod workspace_index;

pub use documents::document::MAX_TEXT;
pub use environment::{Environment, Job, Pool, Respond, Task};
pub use event::Message;
pub use main_loop::{Ended, Events, Inbox, Server};
pub use server_capabilities::initialize_result;
