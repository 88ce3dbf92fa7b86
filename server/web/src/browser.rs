//! The environment of the server in a browser: jobs run in turn on the only thread, and messages wait until the page takes them.

use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use warplens_lsp::{Environment, Job, Pool, Respond, Task};
use warplens_protocol::jsonrpc::{Id, Result};
use warplens_system::clock::Instant;

/// Jobs that hold no snapshot and wait for their turn. Only this thread locks it, and never while a job runs.
#[derive(Default)]
pub(crate) struct Browser(Mutex<Queues>);

#[derive(Default)]
struct Queues {
    messages: VecDeque<Vec<u8>>,
    /// The requests of the client without an answer, so that each is answered once.
    pending: Vec<Id>,
    /// The requests to the client without a response, by the number in their id.
    asked: Vec<(i64, Respond)>,
    last_number: i64,
    timers: Vec<(Instant, Job)>,
    /// Answers for the panel, before runs.
    answers: VecDeque<Job>,
    runs: VecDeque<Job>,
}

impl Browser {
    fn queues(&self) -> MutexGuard<'_, Queues> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next message for the client, without a header.
    pub(crate) fn next_message(&self) -> Option<Vec<u8>> {
        self.queues().messages.pop_front()
    }

    pub(crate) fn send_json(&self, message: &Value) {
        self.queues().messages.push_back(message.to_string().into_bytes());
    }

    /// Registers a request of the client; false if one with this id is pending.
    pub(crate) fn register(&self, id: &Id) -> bool {
        let mut queues = self.queues();
        let is_new = !queues.pending.contains(id);
        if is_new {
            queues.pending.push(id.clone());
        }
        is_new
    }

    /// Drops the requests of the client, because the connection ends.
    pub(crate) fn drop_requests(&self) {
        self.queues().pending.clear();
    }

    /// The client has responded to a request of the server.
    pub(crate) fn responded(&self, id: &Id, response: Result<Value>) {
        let mut queues = self.queues();
        let at = queues.asked.iter().position(|(number, _)| *id == Id::Number(*number));
        let asked = at.map(|at| queues.asked.remove(at));
        drop(queues);
        if let Some((_, respond)) = asked {
            respond(response);
        }
    }

    /// Runs the timers that are due, or the next job; false if there is none.
    pub(crate) fn run_next(&self) -> bool {
        let now = Instant::now();
        let mut queues = self.queues();
        let mut due: Vec<Job> =
            queues.timers.extract_if(.., |(at, _)| *at <= now).map(|(_, job)| job).collect();
        if due.is_empty() {
            due.extend(queues.answers.pop_front().or_else(|| queues.runs.pop_front()));
        }
        drop(queues);
        let has_run = !due.is_empty();
        due.into_iter().for_each(|job| job());
        has_run
    }

    /// How long until the next timer is due.
    pub(crate) fn next_timer(&self) -> Option<Duration> {
        let now = Instant::now();
        self.queues().timers.iter().map(|(at, _)| at.saturating_duration_since(now)).min()
    }

    fn take_pending(&self, id: &Id) -> bool {
        let mut queues = self.queues();
        let at = queues.pending.iter().position(|pending| pending == id);
        at.map(|at| queues.pending.swap_remove(at)).is_some()
    }
}

impl Environment for Browser {
    fn send(&self, mut message: Vec<u8>) {
        let end_of_header = message.windows(4).position(|bytes| bytes == b"\r\n\r\n");
        message.drain(..end_of_header.map_or(0, |at| at + 4));
        self.queues().messages.push_back(message);
    }

    fn answer(&self, id: &Id, answer: Result<Value>) {
        if self.take_pending(id) {
            self.send_json(&response(id, answer));
        }
    }

    fn answer_encoded(&self, id: &Id, message: Vec<u8>) {
        if self.take_pending(id) {
            self.send(message);
        }
    }

    fn request(&self, method: &'static str, params: Value, respond: Respond) {
        let mut queues = self.queues();
        queues.last_number += 1;
        let number = queues.last_number;
        queues.asked.push((number, respond));
        drop(queues);
        self.send_json(&json!({ "jsonrpc": "2.0", "id": number, "method": method, "params": params }));
    }

    fn later(&self, delay: Duration, job: Job) {
        self.queues().timers.push((Instant::now() + delay, job));
    }

    fn size(&self, _: Pool) -> usize {
        1
    }

    /// A job that holds a snapshot runs at once: an edit would wait for it forever.
    fn run(&self, pool: Pool, job: Job) {
        match pool {
            Pool::Readers | Pool::Background => job(),
            Pool::Panel => self.queues().answers.push_back(job),
            Pool::Simulations => self.queues().runs.push_back(job),
        }
    }

    fn start_task(&self, _: &str, job: Job) -> io::Result<Task> {
        self.queues().runs.push_back(job);
        Ok(Task::detached())
    }
}

/// A response as JSON.
pub(crate) fn response(id: &Id, answer: Result<Value>) -> Value {
    match answer {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(error) => json!({ "jsonrpc": "2.0", "id": id, "error": error }),
    }
}
