//! The loop of the state thread: handles events in order, and starts waiting requests on workers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, unbounded};
use ls_types::{MessageType, Uri};
use serde_json::Value;
use warplens_protocol::jsonrpc::{Error, Id};

use crate::documents::request::{Job, Requester, Response, Urgency};
use crate::documents::snapshot::Failure;
use crate::environment::Environment;
use crate::errors::{internal, internal_message, refused};
use crate::event::{Event, Message};
use crate::routes::{self, Route};
use crate::state::{Phase, State, ToolRequest};
use warplens_system::panic::panic_message;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// After a `shutdown` request.
    Orderly,
    /// The client or its connection ended without a `shutdown` request.
    Abruptly,
}

/// The server: its state, and the events that it has not handled yet.
pub struct Server {
    state: State,
    events: Receiver<Event>,
}

/// Sends messages of the client to the server.
#[derive(Clone)]
pub struct Inbox(Sender<Event>);

impl Inbox {
    /// Sends a message; false if the server has ended.
    pub fn send(&self, message: Message) -> bool {
        self.0.send(Event::Client(message)).is_ok()
    }
}

/// The events of a server that does not exist yet.
pub struct Events {
    sender: Sender<Event>,
    receiver: Receiver<Event>,
}

impl Default for Events {
    fn default() -> Events {
        let (sender, receiver) = unbounded();
        Events { sender, receiver }
    }
}

impl Events {
    pub fn inbox(&self) -> Inbox {
        Inbox(self.sender.clone())
    }
}

impl Server {
    pub fn new(events: Events, environment: Arc<dyn Environment>) -> Server {
        Server { state: State::new(events.sender, environment), events: events.receiver }
    }

    /// Handles events until the connection ends, and waits for them. Jobs run on other threads.
    pub fn run(mut self) -> Ended {
        for event in &self.events {
            if matches!(event, Event::Client(Message::Exit)) {
                break;
            }
            self.state.handle_or_report(event);
            while self.state.start_next() {}
        }
        self.ended()
    }

    /// Handles the events so far, or without one starts a job that waits; false if there was nothing to do, or the connection has ended.
    /// For an environment whose jobs run on this thread: an edit never waits for a job that holds a snapshot.
    pub fn step(&mut self) -> bool {
        let mut has_handled = false;
        while let Ok(event) = self.events.try_recv() {
            self.state.handle_or_report(event);
            has_handled = true;
        }
        has_handled || self.state.start_next()
    }

    fn ended(&self) -> Ended {
        if self.state.phase == Phase::AfterShutdown { Ended::Orderly } else { Ended::Abruptly }
    }
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
            Event::Client(message) => self.message(message),
            Event::Finished(number, outcome) => self.finished(number, outcome),
            Event::Settings(value) => self.settings_answered(value),
            Event::DebounceElapsed => {
                let documents = &self.documents;
                let is_due = |uri: &Uri| documents.get(uri).is_none_or(|document| document.delay.is_over());
                self.scheduler.release(is_due);
            }
            Event::IndexSearched(id, answer) => {
                self.scheduler.background().finished();
                self.requests.answer(&id, answer);
            }
            Event::PanelAnswered(id, answer) => {
                self.simulations.answered(&id);
                self.requests.answer(&id, answer);
            }
            Event::TaskProgress { id, message, percentage } => self.task_progress(&id, message, percentage),
            Event::TaskEnded(id, answer) => self.task_ended(&id, answer),
            Event::PtxasFinished(finished) => self.ptxas_finished(finished),
            Event::Simulation(update) => self.simulation_update(update),
        }
    }

    fn message(&mut self, message: Message) {
        match message {
            Message::Initialize(params) => self.initialize(&params),
            Message::Initialized => self.initialized(),
            Message::Shutdown => {
                self.phase = Phase::AfterShutdown;
                self.simulations.stop_all();
                self.tasks.stop_all();
            }
            Message::Exit => {}
            Message::Request { id, method, params } => self.request(id, &method, params),
            Message::Notification { method, params } => self.notification(&method, params),
        }
    }

    fn request(&mut self, id: Id, method: &str, params: Value) {
        let refused = match self.phase {
            Phase::BeforeInitialize => {
                Some(Error::new(Error::NOT_INITIALIZED, "the server is not initialized"))
            }
            Phase::AfterShutdown => Some(Error::invalid_request()),
            Phase::Running => None,
        };
        if let Some(refused) = refused {
            return self.requests.answer(&id, Err(refused));
        }
        self.requests.add(id.clone(), method);
        match routes::REQUESTS.get(method) {
            Some(Route::State(handler)) => handler(self, id, params),
            Some(Route::Panel(handler)) => self.panel_request(id, *handler, params),
            Some(Route::Tool(handler)) => self.tool_request(ToolRequest { id, handler: *handler, params }),
            _ if self.documents.is_about_launch_file(&params) => {
                let answer = self.launch_answer(method, params);
                self.requests.answer(&id, answer);
            }
            Some(Route::Document(read)) => match read(params) {
                Ok(request) => self.read_document(id, request),
                Err(error) => self.requests.answer(&id, Err(error)),
            },
            None => self.requests.answer(&id, Err(Error::method_not_found())),
        }
    }

    fn notification(&mut self, method: &str, params: Value) {
        if self.phase != Phase::Running {
            return;
        }
        match routes::NOTIFICATIONS.get(method) {
            Some(handler) => handler(self, params),
            None => tracing::debug!("no handler for {method}"),
        }
    }

    /// `$/cancelRequest`.
    pub(crate) fn cancel(&mut self, params: &Value) {
        let Ok(id) = serde_json::from_value::<Id>(params["id"].clone()) else { return };
        self.requests.cancel_worker(&id);
        self.simulations.cancel_answer(&id);
        self.tasks.stop(&id);
        self.requests.answer(&id, Err(Error::request_cancelled()));
    }

    /// Starts a waiting request for which a worker is free; false if there is none.
    fn start_next(&mut self) -> bool {
        if let Some(job) = self.scheduler.next() {
            self.start(job);
            return true;
        }
        if self.scheduler.background().is_free()
            && let Some(search) = self.next_index_search()
        {
            self.scheduler.background().run(search);
            return true;
        }
        false
    }

    fn start(&mut self, job: Job) {
        let Some(snapshot) = self.snapshot(&job) else { return self.requests.reject_outdated(&job) };
        if let Requester::Client(id) = &job.requester {
            self.requests.started(id, snapshot.analysis.canceller());
        }
        self.scheduler.start(job, snapshot, self.events.clone());
    }

    fn finished(&mut self, number: u64, outcome: Result<Response, Failure>) {
        let Some((job, took)) = self.scheduler.finished(number) else { return };
        let is_cancelled = matches!(outcome, Err(Failure::Cancelled));
        self.documents.record_duration(&job, took, is_cancelled);
        if job.request.urgency != Urgency::Now {
            self.environment.memory_freed();
        }
        let is_current = self.documents.is_current(&job.request.uri, job.version);
        match outcome {
            // Another document or the settings changed, so the request is still valid.
            Err(Failure::Cancelled) if is_current => self.scheduler.requeue(job),
            Err(Failure::Cancelled) => self.requests.reject_outdated(&job),
            Err(Failure::Refused(reason)) => self.failed(&job, refused(reason)),
            Err(Failure::Panicked(message)) => {
                tracing::error!("{:?} for {}: {message}", job.requester, job.request.uri.as_str());
                self.failed(&job, internal(&message));
            }
            Ok(response) => self.respond(&job, response, is_current),
        }
    }

    /// Handles the response of a handler. `is_current` is set if it is about the current version of its document.
    fn respond(&mut self, job: &Job, response: Response, is_current: bool) {
        let uri = &job.request.uri;
        let is_about_whole_text = matches!(response, Response::Encoded(_) | Response::Diagnostics(_));
        match (&job.requester, response) {
            (Requester::Client(id), Response::Value(value)) => self.requests.answer(id, Ok(value)),
            (Requester::Client(id), Response::LinkedName(name)) => self.find_definitions(id, name),
            (Requester::Client(id), Response::Encoded(result)) => {
                self.requests.answer_encoded(id, &result);
            }
            (Requester::Publish, Response::Diagnostics(message)) if is_current => self.client.send(message),
            (Requester::Prepare(number), Response::Prepared(prepared)) if is_current => {
                self.prepared(uri, *number, Arc::from(prepared));
            }
            _ => {}
        }
        // After the response, because it takes a few milliseconds.
        if is_about_whole_text {
            self.return_memory(uri);
        }
    }

    /// Returns the memory that the first check of a long document needed.
    fn return_memory(&mut self, uri: &Uri) {
        if let Some(document) = self.documents.get_mut(uri)
            && std::mem::take(&mut document.frees_memory)
        {
            self.host.clear_caches();
            self.environment.return_memory();
        }
    }

    fn failed(&mut self, job: &Job, error: Error) {
        match &job.requester {
            Requester::Client(id) => self.requests.answer(id, Err(error)),
            Requester::Prepare(number) if self.simulations.is_preparing(&job.request.uri, *number) => {
                self.preparation_failed(&job.request.uri, &error.message);
            }
            Requester::Prepare(_) | Requester::Publish => {}
        }
    }
}
