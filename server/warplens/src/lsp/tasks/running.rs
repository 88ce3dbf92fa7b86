//! The tasks in progress.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;
use rustc_hash::FxHashMap;
use serde_json::Value;
use tower_lsp::jsonrpc::Id;
use tower_lsp::ls_types::NumberOrString;

use super::progress::TaskProgress;
use crate::lsp::event::Event;

/// The interval of progress reports.
const REPORT_INTERVAL: Duration = Duration::from_millis(200);

/// The tasks in progress, by request.
#[derive(Default)]
pub(crate) struct Tasks(FxHashMap<Id, Task>);

/// A task in progress.
pub(super) struct Task {
    pub(super) stop: Arc<AtomicBool>,
    pub(super) thread: JoinHandle<()>,
    /// The progress that the client shows.
    pub(super) token: Option<NumberOrString>,
}

/// A task, as its work sees it.
pub(crate) struct Running {
    pub(crate) stop: Arc<AtomicBool>,
    id: Id,
    events: Sender<Event>,
    reported: Option<Instant>,
}

impl Running {
    /// The task of a request, which `stop` stops.
    pub(super) fn new(id: Id, stop: Arc<AtomicBool>, events: Sender<Event>) -> Running {
        Running { stop, id, events, reported: None }
    }

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

    pub(super) fn insert(&mut self, id: Id, task: Task) {
        self.0.insert(id, task);
    }

    pub(super) fn remove(&mut self, id: &Id) -> Option<Task> {
        self.0.remove(id)
    }

    /// The token of the progress of a request.
    pub(super) fn token(&self, id: &Id) -> Option<NumberOrString> {
        self.0.get(id)?.token.clone()
    }

    /// Stops the task of a request.
    pub(crate) fn stop(&self, id: &Id) {
        if let Some(task) = self.0.get(id) {
            task.stop.store(true, Ordering::Relaxed);
        }
    }

    /// The request whose progress has this token.
    pub(super) fn of_token(&self, token: &Value) -> Option<Id> {
        let token: NumberOrString = serde_json::from_value(token.clone()).ok()?;
        self.0.iter().find(|(_, task)| task.token.as_ref() == Some(&token)).map(|(id, _)| id.clone())
    }
}
