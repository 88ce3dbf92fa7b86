//! The loop of the state thread: handles events in order, and gives waiting requests to workers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use crossbeam_channel::Receiver;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, ErrorCode, Id};
use tower_lsp::ls_types::request::{Request as _, ResolveCompletionItem, WorkspaceSymbolRequest};
use tower_lsp::ls_types::{MessageType, Uri, error_codes};

use super::errors::{error, internal, internal_message, refused};
use super::event::Event;
use super::handlers::completion::resolve;
use super::handlers::lane_masks::LANE_MASKS;
use super::request::{Job, Requester, Response, Urgency, run as run_handler};
use super::routes;
use super::simulation::panel_request::PanelMethod;
use super::snapshot::Failure;
use super::state::{Pending, Phase, State};
use super::tool_method::ToolMethod;
use super::worker_pool::WorkerPool;
use crate::allocator;
use crate::panic::panic_message;

/// The way in which a server ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// After a `shutdown` request.
    Orderly,
    /// The client or its connection ended without a `shutdown` request.
    Abruptly,
}

/// Handles events until the connection ends.
pub(crate) fn run(mut state: State, events: &Receiver<Event>) -> Ended {
    for event in events {
        if matches!(event, Event::Exit) {
            break;
        }
        state.handle_or_report(event);
        state.dispatch();
    }
    if state.phase == Phase::AfterShutdown { Ended::Orderly } else { Ended::Abruptly }
}

impl State {
    /// A panic ends the handling of one event, not the server.
    fn handle_or_report(&mut self, event: Event) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| self.handle(event))) {
            let message = panic_message(&*panic);
            tracing::error!("panic on the state thread: {message}");
            self.client.show(MessageType::ERROR, internal_message(&message));
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Initialize(params) => self.initialize(&params),
            Event::Initialized => self.initialized(),
            Event::Shutdown => {
                self.phase = Phase::AfterShutdown;
                self.simulations.stop_all();
                self.tasks.stop_all();
            }
            Event::Exit => {}
            Event::Request { id, method, params } => self.request(id, &method, params),
            Event::Notification { method, params } => self.notification(&method, params),
            Event::Finished(number, outcome) => self.finished(number, outcome),
            Event::Settings(value) => self.settings_answered(value),
            Event::DebounceElapsed => self.debounce_elapsed(),
            Event::IndexSearched(id, answer) => {
                self.background.finished();
                self.answer(&id, answer);
            }
            Event::PanelAnswered(id, answer) => self.panel_answered(&id, answer),
            Event::TaskProgress(id, progress) => self.task_progress(&id, progress),
            Event::TaskEnded(id, answer) => self.task_ended(&id, answer),
            Event::PtxasFinished(finished) => self.ptxas_finished(finished),
            Event::Simulation(update) => self.simulation_update(update),
        }
    }

    fn request(&mut self, id: Id, method: &str, params: Value) {
        let refused = match self.phase {
            Phase::BeforeInitialize => {
                Some(error(ErrorCode::ServerError(-32002), "the server is not initialized"))
            }
            Phase::AfterShutdown => Some(Error::invalid_request()),
            Phase::Running => None,
        };
        if let Some(refused) = refused {
            return self.answer(&id, Err(refused));
        }
        self.pending.insert(id.clone(), Pending { method: method.to_owned(), canceller: None });
        if let Some(method) = PanelMethod::from_name(method) {
            return self.panel_request(id, method, params);
        }
        if let Some(method) = ToolMethod::from_name(method) {
            return self.tool_request(id, method, params);
        }
        match method {
            "workspace/executeCommand" => self.execute_command(id, params),
            LANE_MASKS => self.lane_masks(id, params),
            WorkspaceSymbolRequest::METHOD => self.workspace_symbol(id, params),
            ResolveCompletionItem::METHOD => {
                let resolved = resolve(params, &self.capabilities);
                self.answer(&id, resolved);
            }
            _ if self.is_about_launch_document(&params) => self.read_launch_document(&id, method, params),
            _ => match routes::document_request(method, params) {
                Some(Ok(request)) => self.read_document(id, request),
                Some(Err(error)) => self.answer(&id, Err(error)),
                None => self.answer(&id, Err(Error::method_not_found())),
            },
        }
    }

    fn notification(&mut self, method: &str, params: Value) {
        if self.phase != Phase::Running {
            return;
        }
        match method {
            "textDocument/didOpen" => self.notify(method, params, State::did_open),
            "textDocument/didChange" => self.notify(method, params, State::did_change),
            "textDocument/didSave" => self.notify(method, params, State::did_save),
            "textDocument/didClose" => self.notify(method, params, State::did_close),
            "$/cancelRequest" => self.cancel(&params),
            "workspace/didChangeWorkspaceFolders" => {
                self.notify(method, params, |state, params| state.workspace_index.change_folders(params));
            }
            "workspace/didChangeConfiguration" => self.did_change_configuration(params),
            // Only launch files are watched.
            "workspace/didChangeWatchedFiles" => self.prepare_all_again(),
            "window/workDoneProgress/cancel" => self.progress_cancelled(&params),
            _ => tracing::debug!("no handler for {method}"),
        }
    }

    fn notify<P: serde::de::DeserializeOwned>(
        &mut self,
        method: &str,
        params: Value,
        handler: fn(&mut State, P),
    ) {
        match serde_json::from_value(params) {
            Ok(params) => handler(self, params),
            Err(error) => tracing::error!("{method}: {error}"),
        }
    }

    fn cancel(&mut self, params: &Value) {
        let Ok(id) = serde_json::from_value::<Id>(params["id"].clone()) else { return };
        if let Some(canceller) = self.pending.get(&id).and_then(|pending| pending.canceller.as_ref()) {
            canceller.cancel();
        }
        if let Some(cancelled) = self.simulations.panel_requests.get(&id) {
            cancelled.store(true, std::sync::atomic::Ordering::Relaxed);
        }
        self.tasks.stop(&id);
        self.answer(&id, Err(Error::request_cancelled()));
    }

    /// Gives waiting requests to free workers.
    fn dispatch(&mut self) {
        while self.readers.is_free()
            && let Some(job) = self.queue.pop_urgent()
        {
            self.start(job);
        }
        while self.background.is_free()
            && let Some(job) = self.queue.pop_background()
        {
            self.start(job);
        }
        while self.background.is_free()
            && let Some(search) = self.next_index_search()
        {
            self.background.run(search);
        }
    }

    fn start(&mut self, job: Job) {
        let Some(snapshot) = self.snapshot(&job) else { return self.outdated(&job) };
        if let Requester::Client(id) = &job.requester
            && let Some(pending) = self.pending.get_mut(id)
        {
            pending.canceller = Some(snapshot.analysis.canceller());
        }
        self.jobs_started += 1;
        let (number, handler) = (self.jobs_started, Arc::clone(&job.request.handler));
        let events = self.events.clone();
        self.workers(job.request.urgency).run(move || {
            let _ = events.send(Event::Finished(number, run_handler(&handler, snapshot)));
        });
        self.in_flight.insert(number, (job, Instant::now()));
    }

    /// The workers for requests of this class.
    fn workers(&mut self, urgency: Urgency) -> &mut WorkerPool {
        match urgency {
            Urgency::Now => &mut self.readers,
            Urgency::Soon | Urgency::Debounced => &mut self.background,
        }
    }

    fn finished(&mut self, number: u64, outcome: Result<Response, Failure>) {
        let Some((job, started)) = self.in_flight.remove(&number) else { return };
        self.note_analysis(&job, started.elapsed(), outcome.as_ref().err());
        self.workers(job.request.urgency).finished();
        if job.request.urgency != Urgency::Now {
            self.memory.freed();
        }
        let document = self.documents.get(&job.request.uri);
        let is_current = document.is_some_and(|document| document.version == job.version);
        match outcome {
            // Another document or the settings changed: the request is still valid.
            Err(Failure::Cancelled) if is_current => self.queue.push_front(job),
            Err(Failure::Cancelled) => self.outdated(&job),
            Err(Failure::Refused(reason)) => self.failed(&job, refused(reason)),
            Err(Failure::Panicked(message)) => {
                tracing::error!("{:?} for {}: {message}", job.requester, job.request.uri.as_str());
                self.failed(&job, internal(&message));
            }
            Ok(response) => self.respond(&job, response, is_current),
        }
    }

    /// Handles the response of a handler; `is_current` when it is about the current version of its document.
    fn respond(&mut self, job: &Job, response: Response, is_current: bool) {
        let uri = &job.request.uri;
        let is_whole = matches!(response, Response::Encoded(_) | Response::Diagnostics(_));
        match (&job.requester, response) {
            (Requester::Client(id), Response::Answer(answer)) => self.answer(id, Ok(answer)),
            (Requester::Client(id), Response::LinkedName(name)) => self.find_definitions(id, name),
            (Requester::Client(id), Response::Encoded(result)) => self.answer_encoded(id, &result),
            (Requester::Publish, Response::Diagnostics(message)) if is_current => self.client.send(message),
            (Requester::Prepare(number), Response::Prepared(prepared)) if is_current => {
                self.prepared(uri, *number, Arc::from(prepared));
            }
            _ => {}
        }
        // After the response: it takes a few milliseconds.
        if is_whole {
            self.return_memory(uri);
        }
    }

    /// Returns the memory that the first check of a long document took.
    fn return_memory(&mut self, uri: &Uri) {
        if let Some(document) = self.documents.get_mut(uri)
            && std::mem::take(&mut document.frees_memory)
        {
            self.host.clear_caches();
            allocator::trim();
        }
    }

    fn failed(&mut self, job: &Job, error: Error) {
        match &job.requester {
            Requester::Client(id) => self.answer(id, Err(error)),
            Requester::Prepare(number) if self.simulations.is_preparing(&job.request.uri, *number) => {
                self.preparation_failed(&job.request.uri, &error.message);
            }
            Requester::Prepare(_) | Requester::Publish => {}
        }
    }

    /// Rejects a request whose document has changed. A client pulls diagnostics again only when the error requests it.
    fn outdated(&mut self, job: &Job) {
        let Requester::Client(id) = &job.requester else { return };
        let error = if self.is_diagnostic_pull(id) {
            let code = ErrorCode::ServerError(error_codes::SERVER_CANCELLED);
            Error {
                data: Some(json!({ "retriggerRequest": true })),
                ..error(code, "the document has changed")
            }
        } else {
            Error::content_modified()
        };
        self.answer(id, Err(error));
    }
}
