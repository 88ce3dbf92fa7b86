//! The state of the server. Only the state thread owns it, so only that thread changes it.
//!
//! Every event handler is short: it never analyses a text itself and never waits for the client.

use std::sync::Arc;
use std::time::Instant;

use crossbeam_channel::Sender;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Id};
use tower_lsp::ls_types::Uri;
use tower_lsp::ls_types::request::{DocumentDiagnosticRequest, Request as _};
use warplens_ide::{AnalysisHost, Canceller};
use warplens_sim::Workers;

use super::client::ClientSender;
use super::client_capabilities::ClientCapabilities;
use super::document::{Document, Refusal};
use super::errors::{internal, not_open};
use super::event::Event;
use super::launch_documents::LaunchDocument;
use super::listing_cache::ListingCache;
use super::memory::MemoryTrimmer;
use super::ptxas::runs::PtxasRuns;
use super::queue::Queue;
use super::replies::Replies;
use super::request::{Job, Request, Requester};
use super::settings::Settings;
use super::shown::ShownDocuments;
use super::simulation::runs::Simulations;
use super::snapshot::Snapshot;
use super::tasks::running::Tasks;
use super::to_proto::{diagnostic_report, to_value};
use super::tool_method::ToolMethod;
use super::worker_pool::WorkerPool;
use super::workspace_index::index::WorkspaceIndex;
use crate::cores::Cores;
use warplens_protocol::position::Encoding;

/// More reader threads do not reduce latency measurably.
const MAX_READERS: usize = 4;

/// The state of the server.
pub(crate) struct State {
    pub(crate) host: AnalysisHost,
    pub(crate) documents: FxHashMap<Uri, Document>,
    /// Open launch files.
    pub(crate) launch_documents: FxHashMap<Uri, LaunchDocument>,
    /// File ids are never reused, so that a late answer cannot refer to another document.
    pub(crate) files_opened: u32,
    pub(crate) shown: Arc<ShownDocuments>,
    pub(crate) simulations: Simulations,
    pub(crate) workspace_index: WorkspaceIndex,
    /// The listings of machine code that were made last.
    pub(crate) listings: Arc<ListingCache>,
    pub(crate) ptxas: PtxasRuns,
    pub(crate) encoding: Encoding,
    pub(crate) capabilities: Arc<ClientCapabilities>,
    pub(crate) settings: Arc<Settings>,
    /// Work of requests that is in progress.
    pub(crate) tasks: Tasks,
    /// Requests that wait for settings; `None` unless settings are requested.
    pub(crate) waiting_for_settings: Option<Vec<(Id, ToolMethod, Value)>>,
    /// Names and messages that the user was warned about, once each: unknown names in settings, a missing assembler.
    pub(crate) warned_names: FxHashSet<String>,
    pub(crate) client: ClientSender,
    pub(crate) events: Sender<Event>,
    pub(crate) queue: Queue,
    /// Requests that wait for the end of a debounce delay.
    pub(crate) debounced: Vec<Job>,
    /// Jobs on workers, by number, with the times when they started.
    pub(crate) in_flight: FxHashMap<u64, (Job, Instant)>,
    pub(crate) jobs_started: u64,
    pub(crate) phase: Phase,
    pub(crate) pending: FxHashMap<Id, Pending>,
    replies: Arc<Replies>,
    /// For requests about a position.
    pub(crate) readers: WorkerPool,
    /// For requests about a whole document. A single thread, because each thread that processes a large file keeps the
    /// memory that this took.
    pub(crate) background: WorkerPool,
    pub(crate) memory: MemoryTrimmer,
}

/// The phase of the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    BeforeInitialize,
    Running,
    AfterShutdown,
}

/// A request of the client without an answer.
pub(crate) struct Pending {
    pub(crate) method: String,
    /// Cancels the worker that computes the answer.
    pub(crate) canceller: Option<Canceller>,
}

impl State {
    pub(crate) fn new(
        events: Sender<Event>,
        client: ClientSender,
        replies: Arc<Replies>,
    ) -> std::io::Result<State> {
        let memory = MemoryTrimmer::start()?;
        let cores = Cores::all().count();
        Ok(State {
            host: AnalysisHost::new(),
            documents: FxHashMap::default(),
            launch_documents: FxHashMap::default(),
            files_opened: 0,
            shown: Arc::default(),
            simulations: Simulations::new(events.clone())?,
            workspace_index: WorkspaceIndex::default(),
            listings: Arc::default(),
            ptxas: PtxasRuns::default(),
            encoding: Encoding::Utf16,
            capabilities: Arc::default(),
            settings: Arc::default(),
            tasks: Tasks::default(),
            waiting_for_settings: None,
            warned_names: FxHashSet::default(),
            client,
            events,
            queue: Queue::default(),
            debounced: vec![],
            in_flight: FxHashMap::default(),
            jobs_started: 0,
            phase: Phase::BeforeInitialize,
            pending: FxHashMap::default(),
            replies,
            readers: WorkerPool::new("reader", cores.clamp(2, MAX_READERS))?,
            background: WorkerPool::new("background", 1)?,
            memory,
        })
    }

    /// Answers a request of the client, unless it has been answered.
    pub(crate) fn answer(&mut self, id: &Id, answer: Result<Value, Error>) {
        self.pending.remove(id);
        self.replies.send(id, answer);
    }

    /// Answers a request of the client with a result that is encoded, unless it has been answered.
    pub(crate) fn answer_encoded(&mut self, id: &Id, result: &[u8]) {
        match warplens_protocol::message::answer(id, result) {
            Ok(message) if self.pending.remove(id).is_some() => {
                self.replies.drop_request(id);
                self.client.send(message);
            }
            Ok(_) => {}
            Err(error) => self.answer(id, Err(internal(&error.to_string()))),
        }
    }

    /// Whether a request still has no answer.
    pub(crate) fn is_pending(&self, id: &Id) -> bool {
        self.pending.contains_key(id)
    }

    /// Whether a pending request pulls diagnostics.
    pub(crate) fn is_diagnostic_pull(&self, id: &Id) -> bool {
        self.pending.get(id).is_some_and(|pending| pending.method == DocumentDiagnosticRequest::METHOD)
    }

    /// Queues a request of the client. A document that is not analysed has no answer but the reason as its diagnostic.
    pub(crate) fn read_document(&mut self, id: Id, request: Request) {
        let Some(document) = self.documents.get(&request.uri) else {
            return self.answer(&id, Err(not_open(&request.uri)));
        };
        if document.language().is_none() {
            let answer = if self.is_diagnostic_pull(&id) {
                let reason = document.refusal().map(Refusal::diagnostic).into_iter().collect();
                to_value(diagnostic_report(reason)).unwrap_or_default()
            } else {
                Value::Null
            };
            return self.answer(&id, Ok(answer));
        }
        let version = document.version;
        self.enqueue(Job { requester: Requester::Client(id), version, request });
    }

    /// The current document of a job; `None` when the request was answered, or when it is about an older version.
    pub(crate) fn snapshot(&self, job: &Job) -> Option<Snapshot> {
        let uri = &job.request.uri;
        let document = self.documents.get(uri).filter(|document| document.version == job.version)?;
        if let Requester::Client(id) = &job.requester
            && !self.is_pending(id)
        {
            return None;
        }
        Some(Snapshot {
            uri: uri.clone(),
            file: document.file,
            language: document.language()?,
            version: document.version,
            text: document.text()?.clone(),
            encoding: self.encoding,
            capabilities: Arc::clone(&self.capabilities),
            settings: Arc::clone(&self.settings),
            folders: self.workspace_index.folders(),
            shown: Arc::clone(&self.shown),
            analysis: self.host.snapshot(),
        })
    }
}
