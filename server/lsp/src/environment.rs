//! What the server needs of the program around it: a connection to the client, and a way to run work elsewhere or later.
//!
//! The program of the command line has threads and tower-lsp; in a browser everything runs on one thread, in turn.

use std::io;
use std::time::Duration;

use serde_json::Value;
use warplens_protocol::jsonrpc::{Id, Result};

/// Work that runs once.
pub type Job = Box<dyn FnOnce() + Send>;

/// Receives the response to a request of the server.
pub type Respond = Box<dyn FnOnce(Result<Value>) + Send>;

/// Who runs a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pool {
    /// Answers requests about a position, such as a hover. These jobs hold snapshots, for which an edit waits.
    Readers,
    /// Answers requests about a whole document, one at a time. These jobs hold snapshots too.
    Background,
    /// Computes answers for the panel, which do not wait for runs.
    Panel,
    Simulations,
}

/// The program around the server.
pub trait Environment: Send + Sync {
    /// Sends an encoded message, with its header, to the client. It must not wait for the client.
    fn send(&self, message: Vec<u8>);

    /// Answers a request, unless it has been answered.
    fn answer(&self, id: &Id, answer: Result<Value>);

    /// Answers a request with an encoded message.
    fn answer_encoded(&self, id: &Id, message: Vec<u8>);

    /// Sends a request to the client.
    fn request(&self, method: &'static str, params: Value, respond: Respond);

    /// Runs a short job after a delay.
    fn later(&self, delay: Duration, job: Job);

    /// How many jobs of a pool run at a time.
    fn size(&self, pool: Pool) -> usize;

    /// Runs a job when a worker of the pool is free. A job must not panic.
    fn run(&self, pool: Pool, job: Job);

    /// Starts work that may run for long, or a process.
    ///
    /// # Errors
    /// If no thread can be started.
    fn start_task(&self, name: &str, job: Job) -> io::Result<Task>;

    /// Runs a job when a process ends. A process that is not visible is not watched.
    fn when_process_ends(&self, _process: u32, _job: Job) {}

    /// Much memory was freed, or soon will be.
    fn memory_freed(&self) {}

    /// Returns freed memory to the system at once.
    fn return_memory(&self) {}
}

/// Work in progress. When it is dropped, it waits for the end of the work.
pub struct Task(Option<std::thread::JoinHandle<()>>);

impl Task {
    /// Work on a thread.
    pub fn on(thread: std::thread::JoinHandle<()>) -> Task {
        Task(Some(thread))
    }

    /// Work for which nobody has to wait.
    pub fn detached() -> Task {
        Task(None)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.0.as_ref().is_none_or(std::thread::JoinHandle::is_finished)
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            let _ = thread.join();
        }
    }
}
