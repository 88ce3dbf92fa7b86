//! Work for a request that runs external tools or whole comparisons: each has a thread of its own, and a flag that stops it.
//!
//! The client cancels a task with its request or with its progress. When the server ends, the tasks are stopped and awaited, so that
//! no process and no temporary folder of them is left.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;
use rustc_hash::FxHashMap;
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Id, Result};
use tower_lsp::ls_types::{
    NumberOrString, WorkDoneProgress, WorkDoneProgressBegin, WorkDoneProgressEnd, WorkDoneProgressReport,
};

use super::errors::internal;
use super::event::Event;
use super::state::State;
use super::worker_pool::STACK;
use crate::panic::panic_message;

/// The interval of progress reports.
const REPORT_INTERVAL: Duration = Duration::from_millis(200);

/// The tasks in progress, by request.
#[derive(Default)]
pub(crate) struct Tasks(FxHashMap<Id, Task>);

struct Task {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
    /// The progress that the client shows.
    token: Option<NumberOrString>,
}

/// The progress of a task: what it does, and in percent how far it is.
pub(crate) struct TaskProgress {
    message: String,
    percentage: Option<u32>,
}

/// A task, as its work sees it.
pub(crate) struct Running {
    pub(crate) stop: Arc<AtomicBool>,
    id: Id,
    events: Sender<Event>,
    reported: Option<Instant>,
}

impl Running {
    /// Shows the progress, unless it was shown a moment ago.
    pub(crate) fn report(&mut self, message: impl FnOnce() -> String, percentage: Option<u32>) {
        if self.reported.is_some_and(|reported| reported.elapsed() < REPORT_INTERVAL) {
            return;
        }
        self.reported = Some(Instant::now());
        let progress = TaskProgress { message: message(), percentage };
        let _ = self.events.send(Event::TaskProgress(self.id.clone(), progress));
    }
}

impl Drop for Tasks {
    fn drop(&mut self) {
        self.stop_all();
        for (_, task) in self.0.drain() {
            let _ = task.thread.join();
        }
    }
}

impl Tasks {
    /// Stops every task.
    pub(crate) fn stop_all(&self) {
        self.0.values().for_each(|task| task.stop.store(true, Ordering::Relaxed));
    }

    /// Stops the task of a request.
    pub(crate) fn stop(&self, id: &Id) {
        if let Some(task) = self.0.get(id) {
            task.stop.store(true, Ordering::Relaxed);
        }
    }

    /// The request whose progress has this token.
    fn of_token(&self, token: &Value) -> Option<Id> {
        let token: NumberOrString = serde_json::from_value(token.clone()).ok()?;
        self.0.iter().find(|(_, task)| task.token.as_ref() == Some(&token)).map(|(id, _)| id.clone())
    }
}

impl State {
    /// Starts the work of a request, whose result is the answer. `progress` is the title and the token of its progress.
    pub(crate) fn start_task(
        &mut self,
        id: Id,
        progress: Option<(String, NumberOrString)>,
        work: impl FnOnce(&mut Running) -> Result<Value> + Send + 'static,
    ) {
        let stop = Arc::new(AtomicBool::new(false));
        let events = self.events.clone();
        let mut running =
            Running { stop: Arc::clone(&stop), id: id.clone(), events: events.clone(), reported: None };
        let number = id.clone();
        let run = move || {
            let made = catch_unwind(AssertUnwindSafe(|| work(&mut running)));
            let answer = made.unwrap_or_else(|panic| Err(internal(&panic_message(&*panic))));
            let _ = events.send(Event::TaskEnded(number, answer));
        };
        let thread = std::thread::Builder::new().name("task".to_owned()).stack_size(STACK).spawn(run);
        let thread = match thread {
            Ok(thread) => thread,
            Err(error) => return self.answer(&id, Err(internal(&error.to_string()))),
        };
        let token = progress.map(|(title, token)| {
            let begin =
                WorkDoneProgressBegin { title, cancellable: Some(true), message: None, percentage: None };
            self.client.progress(token.clone(), WorkDoneProgress::Begin(begin));
            token
        });
        self.tasks.0.insert(id, Task { stop, thread, token });
    }

    pub(crate) fn task_progress(&self, id: &Id, TaskProgress { message, percentage }: TaskProgress) {
        let token = self.tasks.0.get(id).and_then(|task| task.token.clone());
        if let Some(token) = token {
            let report =
                WorkDoneProgressReport { cancellable: Some(true), message: Some(message), percentage };
            self.client.progress(token, WorkDoneProgress::Report(report));
        }
    }

    pub(crate) fn task_ended(&mut self, id: &Id, answer: Result<Value>) {
        if let Some(Task { thread, token, .. }) = self.tasks.0.remove(id) {
            let _ = thread.join();
            if let Some(token) = token {
                let end = WorkDoneProgressEnd { message: None };
                self.client.progress(token, WorkDoneProgress::End(end));
            }
        }
        self.answer(id, answer);
    }

    /// `window/workDoneProgress/cancel` with the token of a task; false for another token.
    pub(crate) fn cancel_task_of(&mut self, token: &Value) -> bool {
        let Some(id) = self.tasks.of_token(token) else { return false };
        self.tasks.stop(&id);
        self.answer(&id, Err(Error::request_cancelled()));
        true
    }
}
