//! The start, the progress and the end of tasks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Id, Result};
use tower_lsp::ls_types::{
    NumberOrString, WorkDoneProgress, WorkDoneProgressBegin, WorkDoneProgressEnd, WorkDoneProgressReport,
};

use super::progress::TaskProgress;
use super::running::{Running, Task};
use crate::cores::STACK;
use crate::lsp::errors::internal;
use crate::lsp::event::Event;
use crate::lsp::state::State;
use crate::panic::panic_message;

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
        let mut running = Running::new(id.clone(), Arc::clone(&stop), events.clone());
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
        self.tasks.insert(id, Task { stop, thread, token });
    }

    pub(crate) fn task_progress(&self, id: &Id, TaskProgress { message, percentage }: TaskProgress) {
        let token = self.tasks.token(id);
        if let Some(token) = token {
            let report =
                WorkDoneProgressReport { cancellable: Some(true), message: Some(message), percentage };
            self.client.progress(token, WorkDoneProgress::Report(report));
        }
    }

    pub(crate) fn task_ended(&mut self, id: &Id, answer: Result<Value>) {
        if let Some(Task { thread, token, .. }) = self.tasks.remove(id) {
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
