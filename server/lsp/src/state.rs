//! The state of the server. Only the state thread owns it, so only that thread changes it.
//!
//! Event handlers are short: they never analyze a text themselves and never wait for the client.

use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::Sender;
use ls_types::Uri;
use serde_json::Value;
use warplens_ide::AnalysisHost;
use warplens_protocol::jsonrpc::{Id, Result};

use crate::client::Client;
use crate::documents::document::Refusal;
use crate::documents::open::Documents;
use crate::documents::request::{Job, Request, Requester, Urgency};
use crate::documents::shown::ShownDocuments;
use crate::documents::snapshot::Snapshot;
use crate::environment::Environment;
use crate::errors::{encoded, not_open};
use crate::event::Event;
use crate::files::listing_cache::ListingCache;
use crate::ptxas_runs::PtxasRuns;
use crate::scheduling::requests::Requests;
use crate::scheduling::scheduler::Scheduler;
use crate::scheduling::tasks::Tasks;
use crate::settings::Settings;
use crate::simulation::runs::Simulations;
use crate::to_proto::diagnostic_report;
use crate::workspace_index::index::WorkspaceIndex;

pub(crate) struct State {
    pub(crate) phase: Phase,
    pub(crate) client: Client,
    pub(crate) requests: Requests,
    pub(crate) settings: Arc<Settings>,
    /// Requests that wait for the settings; `None` unless the client was asked for them.
    pub(crate) waiting_for_settings: Option<Vec<ToolRequest>>,
    pub(crate) host: AnalysisHost,
    pub(crate) documents: Documents,
    pub(crate) shown: Arc<ShownDocuments>,
    pub(crate) scheduler: Scheduler,
    pub(crate) simulations: Simulations,
    pub(crate) ptxas: PtxasRuns,
    pub(crate) tasks: Tasks,
    pub(crate) workspace_index: WorkspaceIndex,
    pub(crate) listings: Arc<ListingCache>,
    pub(crate) environment: Arc<dyn Environment>,
    pub(crate) events: Sender<Event>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    BeforeInitialize,
    Running,
    AfterShutdown,
}

/// Starts the task of a request. An error is the answer.
pub(crate) type ToolHandler = fn(&mut State, &Id, Value) -> Result<()>;

/// A request that runs external tools or a whole comparison.
pub(crate) struct ToolRequest {
    pub(crate) id: Id,
    pub(crate) handler: ToolHandler,
    pub(crate) params: Value,
}

impl State {
    pub(crate) fn new(events: Sender<Event>, environment: Arc<dyn Environment>) -> State {
        State {
            phase: Phase::BeforeInitialize,
            client: Client::new(Arc::clone(&environment), events.clone()),
            requests: Requests::new(Arc::clone(&environment)),
            settings: Arc::default(),
            waiting_for_settings: None,
            host: AnalysisHost::new(),
            documents: Documents::default(),
            shown: Arc::default(),
            scheduler: Scheduler::new(&environment),
            simulations: Simulations::new(events.clone(), Arc::clone(&environment)),
            ptxas: PtxasRuns::new(events.clone(), Arc::clone(&environment)),
            tasks: Tasks::new(events.clone(), Arc::clone(&environment)),
            workspace_index: WorkspaceIndex::default(),
            listings: Arc::default(),
            environment,
            events,
        }
    }

    /// Queues a request about a document. If the document is not analyzed, a pull of diagnostics is answered with the reason and any other
    /// request with `null`.
    pub(crate) fn read_document(&mut self, id: Id, request: Request) {
        let Some(document) = self.documents.get(&request.uri) else {
            return self.requests.answer(&id, Err(not_open(&request.uri)));
        };
        if !document.is_analyzed() {
            let reason = document.refusal().map(Refusal::diagnostic).into_iter().collect();
            let pulls = self.requests.pulls_diagnostics(&id);
            let answer = if pulls { encoded(diagnostic_report(reason)) } else { Ok(Value::Null) };
            return self.requests.answer(&id, answer);
        }
        let version = document.version;
        self.enqueue(Job { requester: Requester::Client(id), version, request });
    }

    /// Queues a request, or debounces it.
    pub(crate) fn enqueue(&mut self, job: Job) {
        let document = self.documents.get_mut(&job.request.uri);
        let delay = document
            .filter(|_| job.request.urgency == Urgency::Debounced)
            .map_or(Duration::ZERO, |document| document.delay.remaining(job.requester.analysis()));
        if delay.is_zero() {
            self.scheduler.enqueue(job);
        } else {
            self.scheduler.debounce(job);
            self.client.send_later(delay, Event::DebounceElapsed);
        }
    }

    /// The document of a job; `None` if the request was answered, or is about an older version.
    pub(crate) fn snapshot(&self, job: &Job) -> Option<Snapshot> {
        let uri: &Uri = &job.request.uri;
        let document = self.documents.get(uri).filter(|document| document.version == job.version)?;
        if let Requester::Client(id) = &job.requester
            && !self.requests.is_pending(id)
        {
            return None;
        }
        Some(Snapshot {
            uri: uri.clone(),
            file: document.file,
            language: document
                .language()
                .or_else(|| document.host().map(|_| warplens_ide::INLINE_LANGUAGE))?,
            host: document.host(),
            version: document.version,
            text: document.text()?.clone(),
            encoding: self.client.encoding,
            capabilities: Arc::clone(&self.client.capabilities),
            settings: Arc::clone(&self.settings),
            folders: self.workspace_index.folders(),
            shown: Arc::clone(&self.shown),
            analysis: self.host.snapshot(),
        })
    }
}
