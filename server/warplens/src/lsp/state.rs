//! The state thread: the one place where anything changes.
//!
//! It owns the analysis host and the documents, keeps account of requests under way, and hands questions to workers.
//! Every event is short: it never computes an answer about a text itself and never waits for the client.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Response};
use tower_lsp::ls_types::request::{
    DocumentDiagnosticRequest, Request, ResolveCompletionItem, WorkspaceSymbolRequest,
};
use tower_lsp::ls_types::{InitializeParams, InitializeResult, MessageType, ServerInfo, Uri, error_codes};
use warplens_ide::{AnalysisHost, Canceller};

use super::capabilities::{Abilities, server_capabilities};
use super::document::{Document, Refusal};
use super::event::{Event, Message};
use super::job::{Asker, Done, Failure, Finished, Job, Question, Urgency, panic_message};
use super::outbox::Outbox;
use super::pool::Crew;
use super::ptxas::Ptxas;
use super::queue::Queue;
use super::requests::{self, Asked};
use super::settings::Settings;
use super::simulation::Simulations;
use super::survey::Surveys;
use super::{Ended, lanes, requests::to_value};
use crate::position::Encoding;

/// More readers answer hardly faster.
const MAX_READERS: usize = 4;

/// What the state thread owns.
pub(super) struct State {
    pub(super) host: AnalysisHost,
    pub(super) documents: FxHashMap<Uri, Document>,
    /// Numbers are never used again, so that a late answer cannot meet another document.
    pub(super) files_opened: u32,
    pub(super) simulations: Simulations,
    pub(super) surveys: Surveys,
    pub(super) ptxas: Ptxas,
    pub(super) encoding: Encoding,
    pub(super) abilities: Arc<Abilities>,
    pub(super) settings: Arc<Settings>,
    /// What is said once only: names in the settings that stand for nothing, an assembler that is not there.
    pub(super) names_told: FxHashSet<String>,
    pub(super) outbox: Outbox,
    pub(super) events: Sender<Event>,
    pub(super) queue: Queue,
    /// Questions that wait for a pause in typing.
    pub(super) resting: Vec<Job>,
    phase: Phase,
    pending: FxHashMap<Id, Pending>,
    /// For questions about a place that somebody is looking at.
    readers: Crew,
    /// For questions about a whole document. One thread, because each that works through a large file keeps as much
    /// freed memory as that took.
    background: Crew,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    BeforeInitialize,
    Running,
    AfterShutdown,
}

/// A request that has no answer yet.
struct Pending {
    reply: oneshot::Sender<Response>,
    method: String,
    /// Stops the worker that looks for the answer.
    canceller: Option<Canceller>,
}

impl State {
    pub(super) fn new(events: Sender<Event>, outbox: Outbox) -> std::io::Result<State> {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Ok(State {
            host: AnalysisHost::new(),
            documents: FxHashMap::default(),
            files_opened: 0,
            simulations: Simulations::new(events.clone())?,
            surveys: Surveys::default(),
            ptxas: Ptxas::default(),
            encoding: Encoding::Utf16,
            abilities: Arc::default(),
            settings: Arc::default(),
            names_told: FxHashSet::default(),
            outbox,
            events,
            queue: Queue::default(),
            resting: vec![],
            phase: Phase::BeforeInitialize,
            pending: FxHashMap::default(),
            readers: Crew::new("reader", cores.clamp(2, MAX_READERS))?,
            background: Crew::new("background", 1)?,
        })
    }

    /// Lives until the end. What still waits then is let go.
    pub(super) fn run(mut self, events: &Receiver<Event>) -> Ended {
        for event in events {
            if matches!(event, Event::End) {
                break;
            }
            self.survive(event);
            self.hand_out();
        }
        if self.phase == Phase::AfterShutdown { Ended::Orderly } else { Ended::Abruptly }
    }

    /// A mistake of ours costs one event, not the server.
    fn survive(&mut self, event: Event) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| self.handle(event))) {
            let why = panic_message(&*panic);
            tracing::error!("the state thread: {why}");
            self.outbox.show(MessageType::ERROR, format!("Warplens made a mistake: {why}"));
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Initialize(params, reply) => {
                let _ = reply.send(self.initialize(&params));
            }
            Event::Initialized => self.initialized(),
            Event::Shutdown => {
                self.phase = Phase::AfterShutdown;
                self.simulations.stop_all();
            }
            Event::End => {}
            Event::Message(Message::Request { id, method, params, reply }) => {
                self.request(id, &method, params, reply);
            }
            Event::Message(Message::Notification { method, params }) => self.notification(&method, params),
            Event::Finished(finished) => self.finished(finished),
            Event::Settings(value) => self.settings_told(value),
            Event::Rested => self.rested(),
            Event::Surveyed(id, answer) => {
                self.background.ended();
                self.answer(&id, answer);
            }
            Event::Assembled(ran) => self.assembled(ran),
            Event::Simulation(update) => self.simulation_update(update),
        }
    }

    fn initialize(&mut self, params: &InitializeParams) -> InitializeResult {
        let general = params.capabilities.general.clone().unwrap_or_default();
        self.encoding = Encoding::negotiate(&general.position_encodings.unwrap_or_default());
        self.abilities = Arc::new(Abilities::of(params));
        self.phase = Phase::Running;
        self.surveys.open_folders(params);
        if let Some(process) = params.process_id {
            self.outbox.watch_process(process);
        }
        InitializeResult {
            capabilities: server_capabilities(self.encoding),
            server_info: Some(ServerInfo {
                name: "warplens".into(),
                version: Some(env!("CARGO_PKG_VERSION").into()),
            }),
            offset_encoding: None,
        }
    }

    // Requests.

    fn request(&mut self, id: Id, method: &str, params: Value, reply: oneshot::Sender<Response>) {
        let refused = match self.phase {
            Phase::BeforeInitialize => {
                Some(error(ErrorCode::ServerError(-32002), "the server is not initialized"))
            }
            Phase::AfterShutdown => Some(Error::invalid_request()),
            Phase::Running if self.pending.contains_key(&id) => Some(Error::invalid_request()),
            Phase::Running => None,
        };
        if let Some(refused) = refused {
            let _ = reply.send(Response::from_error(id, refused));
            return;
        }
        self.pending.insert(id.clone(), Pending { reply, method: method.to_owned(), canceller: None });
        match method {
            "workspace/executeCommand" => self.command(id, params),
            lanes::LANE_MASKS => self.lane_masks(id, params),
            WorkspaceSymbolRequest::METHOD => self.workspace_symbols(id, params),
            ResolveCompletionItem::METHOD => {
                let resolved = requests::resolve_completion(params, &self.abilities);
                self.answer(&id, resolved);
            }
            _ => match requests::route(method, params) {
                Some(Ok(asked)) => self.ask(id, asked),
                Some(Err(error)) => self.answer(&id, Err(error)),
                None => self.answer(&id, Err(Error::method_not_found())),
            },
        }
    }

    /// Asks a question for a request.
    pub(super) fn ask(&mut self, id: Id, asked: Asked) {
        let Some(document) = self.documents.get(&asked.uri) else {
            return self.answer(&id, Err(not_open(&asked.uri)));
        };
        if document.language().is_none() {
            let diagnostic =
                self.pending.get(&id).is_some_and(|asked| asked.method == DocumentDiagnosticRequest::METHOD);
            let answer = if diagnostic {
                let why = document.refusal().map(Refusal::diagnostic).into_iter().collect();
                to_value(requests::report(why)).unwrap_or_default()
            } else {
                Value::Null
            };
            return self.answer(&id, Ok(answer));
        }
        let version = document.version;
        let Asked { uri, urgency, ask } = asked;
        self.enqueue(Job { asker: Asker::Request(id), urgency, uri, version, ask });
    }

    /// Answers a request, unless that was done already.
    pub(super) fn answer(&mut self, id: &Id, answer: Result<Value, Error>) {
        if let Some(pending) = self.pending.remove(id) {
            let _ = pending.reply.send(Response::from_parts(id.clone(), answer));
        }
    }

    /// Whether a request still waits for its answer.
    pub(super) fn is_pending(&self, id: &Id) -> bool {
        self.pending.contains_key(id)
    }

    fn cancel(&mut self, params: &Value) {
        let Ok(id) = serde_json::from_value::<Id>(params["id"].clone()) else { return };
        if let Some(canceller) = self.pending.get(&id).and_then(|pending| pending.canceller.as_ref()) {
            canceller.cancel();
        }
        self.answer(&id, Err(Error::request_cancelled()));
    }

    /// The answer to a request whose document has changed since. A client asks for diagnostics again only when it is
    /// told to.
    fn outdated(&mut self, id: &Id) {
        let diagnostic =
            self.pending.get(id).is_some_and(|asked| asked.method == DocumentDiagnosticRequest::METHOD);
        let error = if diagnostic {
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

    // Notifications.

    fn notification(&mut self, method: &str, params: Value) {
        if self.phase != Phase::Running {
            return;
        }
        match method {
            "textDocument/didOpen" => self.with(method, params, State::did_open),
            "textDocument/didChange" => self.with(method, params, State::did_change),
            "textDocument/didSave" => self.with(method, params, State::did_save),
            "textDocument/didClose" => self.with(method, params, State::did_close),
            "$/cancelRequest" => self.cancel(&params),
            "workspace/didChangeWorkspaceFolders" => {
                self.with(method, params, |state, params| state.surveys.change_folders(params));
            }
            "workspace/didChangeConfiguration" => self.configuration_changed(params),
            // Only launch files are watched.
            "workspace/didChangeWatchedFiles" => self.prepare_all_again(),
            "window/workDoneProgress/cancel" => self.progress_cancelled(&params),
            _ => tracing::debug!("nothing to do for {method}"),
        }
    }

    fn with<P: serde::de::DeserializeOwned>(
        &mut self,
        method: &str,
        params: Value,
        handle: fn(&mut State, P),
    ) {
        match serde_json::from_value(params) {
            Ok(params) => handle(self, params),
            Err(error) => tracing::error!("{method}: {error}"),
        }
    }

    // Questions and workers.

    /// Gives waiting questions to free workers.
    fn hand_out(&mut self) {
        while self.readers.is_free()
            && let Some(job) = self.queue.pop_urgent()
        {
            self.take_up(job);
        }
        while self.background.is_free()
            && let Some(job) = self.queue.pop_patient()
        {
            self.take_up(job);
        }
        while self.background.is_free()
            && let Some(survey) = self.next_survey()
        {
            self.background.run(survey);
        }
    }

    fn take_up(&mut self, job: Job) {
        match self.question(&job) {
            Some(question) => self.hand_to_worker(job, question),
            None => self.withdrawn(&job),
        }
    }

    /// The workers that answer questions of this urgency.
    fn workers(&mut self, urgency: Urgency) -> &mut Crew {
        match urgency {
            Urgency::Now => &mut self.readers,
            Urgency::Soon | Urgency::AtRest => &mut self.background,
        }
    }

    fn hand_to_worker(&mut self, job: Job, question: Question) {
        if let Asker::Request(id) = &job.asker
            && let Some(pending) = self.pending.get_mut(id)
        {
            pending.canceller = Some(question.analysis.canceller());
        }
        let events = self.events.clone();
        self.workers(job.urgency).run(move || {
            let _ = events.send(Event::Finished(job.run(question)));
        });
    }

    /// The document of a question as it is now; `None` when nobody waits for it, or when it is about an older version.
    fn question(&self, job: &Job) -> Option<Question> {
        let document = self.documents.get(&job.uri).filter(|document| document.version == job.version)?;
        if let Asker::Request(id) = &job.asker
            && !self.is_pending(id)
        {
            return None;
        }
        Some(Question {
            uri: job.uri.clone(),
            file: document.file,
            language: document.language()?,
            version: document.version,
            text: document.text()?.clone(),
            encoding: self.encoding,
            abilities: Arc::clone(&self.abilities),
            settings: Arc::clone(&self.settings),
            lanes: self.simulations.lanes(&job.uri),
            ptxas: self.ptxas.shown(&job.uri),
            tokens: document.tokens.clone(),
            analysis: self.host.snapshot(),
        })
    }

    /// A question that is not asked any more.
    fn withdrawn(&mut self, job: &Job) {
        if let Asker::Request(id) = &job.asker {
            self.outdated(id);
        }
    }

    fn finished(&mut self, Finished { job, outcome }: Finished) {
        self.workers(job.urgency).ended();
        let current = self.documents.get(&job.uri).is_some_and(|document| document.version == job.version);
        match outcome {
            // Another document was edited, or the settings: the question stands.
            Err(Failure::Cancelled) if current => self.queue.push_front(job),
            Err(Failure::Cancelled) => self.withdrawn(&job),
            Err(Failure::Refused(why)) => {
                self.failed(&job, refused(why));
            }
            Err(Failure::Panicked(why)) => {
                tracing::error!("{:?} about {}: {why}", job.asker, job.uri.as_str());
                self.failed(&job, error(ErrorCode::InternalError, format!("Warplens made a mistake: {why}")));
            }
            Ok(done) => self.done(&job, done, current),
        }
    }

    fn done(&mut self, job: &Job, done: Done, current: bool) {
        match (&job.asker, done) {
            (Asker::Request(id), Done::Answer(answer)) => self.answer(id, Ok(answer)),
            (Asker::Request(id), Done::Tokens { answer, data }) => {
                if let Some(document) = self.documents.get_mut(&job.uri) {
                    document.tokens = Some((job.version, data));
                }
                self.answer(id, Ok(answer));
            }
            (Asker::Request(id), Done::Linked(name)) => self.definitions_of(id, name),
            (Asker::Publish, Done::Diagnostics(diagnostics)) if current => {
                self.publish(&job.uri, job.version, diagnostics);
            }
            (Asker::Prepare(number), Done::Prepared(prepared)) if current => {
                self.prepared(&job.uri, *number, Arc::from(prepared));
            }
            _ => {}
        }
    }

    fn failed(&mut self, job: &Job, error: Error) {
        match &job.asker {
            Asker::Request(id) => self.answer(id, Err(error)),
            Asker::Prepare(number) if self.simulations.is_preparing(&job.uri, *number) => {
                self.not_prepared(&job.uri, &error.message);
            }
            Asker::Prepare(_) | Asker::Publish => {}
        }
    }
}

/// An error of the protocol.
pub(super) fn error(code: ErrorCode, message: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error { code, message: message.into(), data: None }
}

/// The error of a request that cannot be done as things are.
pub(super) fn refused(why: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    error(ErrorCode::ServerError(error_codes::REQUEST_FAILED), why)
}

/// The error of a request about a document that the client has not opened.
pub(super) fn not_open(uri: &Uri) -> Error {
    Error::invalid_params(format!("{} is not open", uri.as_str()))
}
