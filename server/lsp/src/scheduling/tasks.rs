//! Work for a request that runs external tools or whole comparisons. Each task has a thread, and a flag that stops it.
//!
//! The client cancels a task with its request or with its progress. When the server ends, it stops the tasks and waits for them, so that
//! no process and no temporary folder is left behind.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam_channel::Sender;
use ls_types::NumberOrString;
use rustc_hash::FxHashMap;
use serde_json::Value;
use warplens_protocol::jsonrpc::{Id, Result};

use crate::environment::{Environment, Task as Work};
use crate::errors::caught;
use crate::event::Event;
use warplens_system::clock::Instant;

/// The interval of progress reports.
const REPORT_INTERVAL: Duration = Duration::from_millis(200);

/// The tasks in progress, by request.
pub(crate) struct Tasks {
    running: FxHashMap<Id, Task>,
    events: Sender<Event>,
    environment: Arc<dyn Environment>,
}

struct Task {
    stop: Arc<AtomicBool>,
    /// Waits for the end of the work when it is dropped.
    _work: Work,
    /// The token of the progress that the client shows.
    token: Option<NumberOrString>,
}

/// A task, as its own work sees it.
pub(crate) struct TaskControl {
    /// Set when the task is stopped.
    pub(crate) stop: Arc<AtomicBool>,
    id: Id,
    events: Sender<Event>,
    reported: Option<Instant>,
}

impl TaskControl {
    /// Reports the progress, unless that was done a moment ago.
    pub(crate) fn report(&mut self, message: impl FnOnce() -> String, percentage: Option<u32>) {
        if self.reported.is_some_and(|reported| reported.elapsed() < REPORT_INTERVAL) {
            return;
        }
        self.reported = Some(Instant::now());
        let (id, message) = (self.id.clone(), message());
        let _ = self.events.send(Event::TaskProgress { id, message, percentage });
    }
}

impl Drop for Tasks {
    fn drop(&mut self) {
        self.stop_all();
    }
}

impl Tasks {
    pub(crate) fn new(events: Sender<Event>, environment: Arc<dyn Environment>) -> Tasks {
        Tasks { running: FxHashMap::default(), events, environment }
    }

    /// Starts the work of a request. The result of the work is the answer.
    pub(crate) fn start(
        &mut self,
        id: Id,
        token: Option<NumberOrString>,
        work: impl FnOnce(&mut TaskControl) -> Result<Value> + Send + 'static,
    ) -> io::Result<()> {
        let stop = Arc::new(AtomicBool::new(false));
        let events = self.events.clone();
        let mut control =
            TaskControl { stop: Arc::clone(&stop), id: id.clone(), events: events.clone(), reported: None };
        let request = id.clone();
        let run = move || {
            let answer = caught(|| work(&mut control));
            let _ = events.send(Event::TaskEnded(request, answer));
        };
        let work = self.environment.start_task("task", Box::new(run))?;
        self.running.insert(id, Task { stop, _work: work, token });
        Ok(())
    }

    /// Removes a task that has ended; the result is the token of its progress.
    pub(crate) fn ended(&mut self, id: &Id) -> Option<NumberOrString> {
        self.running.remove(id)?.token
    }

    /// The token of the progress of a request.
    pub(crate) fn token(&self, id: &Id) -> Option<NumberOrString> {
        self.running.get(id)?.token.clone()
    }

    /// The request whose progress has a token.
    pub(crate) fn with_token(&self, token: &Value) -> Option<Id> {
        let token: NumberOrString = serde_json::from_value(token.clone()).ok()?;
        self.running.iter().find(|(_, task)| task.token.as_ref() == Some(&token)).map(|(id, _)| id.clone())
    }

    /// Stops the task of a request, if it has one.
    pub(crate) fn stop(&self, id: &Id) {
        if let Some(task) = self.running.get(id) {
            task.stop.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn stop_all(&self) {
        self.running.values().for_each(|task| task.stop.store(true, Ordering::Relaxed));
    }
}
