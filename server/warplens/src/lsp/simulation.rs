//! Simulations: what is selected in a document, the run under way, and what is shown.
//!
//! A run is a job outside the database, on threads of its own. It is told apart by program, launch, model and limits,
//! and is stopped only when these change: an edit asks what would be run now (a question like any other), and where
//! that is the same, only the places are brought up to date. The last result stays shown, moved along with the text,
//! until the next one is there. A request that waits for a run is parked as data.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;
use dashmap::DashMap;
use rustc_hash::FxHashMap;
use serde_json::Value;
use tower_lsp::jsonrpc::{ErrorCode, Id};
use tower_lsp::ls_types::request::{CodeLensRefresh, InlayHintRefreshRequest};
use tower_lsp::ls_types::{MessageType, Uri, error_codes};
use warplens_ide::lanes::Prepared;
use warplens_sim::{Control, RunResult, WarpId};

use super::document::Edit;
use super::event::Event;
use super::job::{Asker, Done, Job, Urgency, panic_message};
use super::lanes::{self, LaneMasksParams, Lanes, Selection};
use super::pool::Pool;
use super::requests::document_params;
use super::state::{State, error, not_open};
use crate::cores::Cores;

/// A run that takes longer is announced to the user.
const LONG: Duration = Duration::from_millis(500);

/// How often a long run says how far it is.
const REPORT: Duration = Duration::from_millis(200);

/// Everything about simulations that the state thread owns.
pub(super) struct Simulations {
    /// What is shown, by document, apart from the database.
    shown: DashMap<Uri, Lanes>,
    selected: FxHashMap<Uri, Selected>,
    runners: Pool,
    events: Sender<Event>,
    /// Numbers tell runs apart; a late word about an old one is not heard.
    runs: u64,
}

/// What is selected in a document.
struct Selected {
    selection: Arc<Selection>,
    /// The selected warp, where it must be asked for because not all are listed.
    listed: Option<WarpId>,
    /// What would be run is being found out.
    preparing: bool,
    run: Option<Run>,
    /// `selectLaunch` requests that wait to hear whether it can be run.
    commands: Vec<Id>,
    /// `laneMasks` requests that wait for a result.
    parked: Vec<Parked>,
}

/// A run under way.
pub(super) struct Run {
    pub(super) number: u64,
    prepared: Arc<Prepared>,
    stop: Arc<AtomicBool>,
    /// Edits of the text since it was prepared.
    edits: Vec<Edit>,
    /// Whether the client shows its progress.
    pub(super) progress: bool,
}

/// A request that waits for a result.
struct Parked {
    id: Id,
    params: LaneMasksParams,
}

/// News of a run, by document and number.
pub(super) struct Update {
    pub(super) uri: Uri,
    pub(super) number: u64,
    pub(super) news: News,
}

/// What happened to a run.
pub(super) enum News {
    /// It takes long.
    Long,
    /// The client has made room for its progress.
    ProgressOpen,
    /// It has made so many steps.
    Steps(u64),
    /// It is over; an error says what a mistake of ours said.
    Over(Result<Arc<RunResult>, String>),
}

impl Simulations {
    pub(super) fn new(events: Sender<Event>) -> std::io::Result<Simulations> {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Ok(Simulations {
            shown: DashMap::new(),
            selected: FxHashMap::default(),
            runners: Pool::new("simulation", (cores / 2).clamp(1, 4))?,
            events,
            runs: 0,
        })
    }

    /// What is shown in a document.
    pub(super) fn lanes(&self, uri: &Uri) -> Option<Lanes> {
        self.shown.get(uri).map(|lanes| lanes.clone())
    }

    /// Moves what is shown along with the text.
    pub(super) fn follow(&mut self, uri: &Uri, edits: &[Edit]) {
        if let Some(mut lanes) = self.shown.get_mut(uri) {
            lanes.edit(edits);
        }
        if let Some(run) = self.selected.get_mut(uri).and_then(|selected| selected.run.as_mut()) {
            run.edits.extend_from_slice(edits);
        }
    }

    /// Stops every run, at the end.
    pub(super) fn stop_all(&mut self) {
        self.selected.values().filter_map(|selected| selected.run.as_ref()).for_each(Run::stop);
    }

    /// The run with this number, if it is still the one that counts.
    pub(super) fn run(&mut self, uri: &Uri, number: u64) -> Option<&mut Run> {
        self.selected.get_mut(uri)?.run.as_mut().filter(|run| run.number == number)
    }

    /// The document of a run.
    pub(super) fn document_of(&self, number: u64) -> Option<Uri> {
        let runs = |selected: &Selected| selected.run.as_ref().is_some_and(|run| run.number == number);
        self.selected.iter().find(|(_, selected)| runs(selected)).map(|(uri, _)| uri.clone())
    }

    /// Starts a run on a thread of its own.
    fn start(&mut self, uri: &Uri, prepared: Arc<Prepared>) -> Run {
        self.runs += 1;
        let number = self.runs;
        let stop = Arc::new(AtomicBool::new(false));
        let events = self.events.clone();
        let (uri, stopped, job) = (uri.clone(), Arc::clone(&stop), Arc::clone(&prepared));
        self.runners.run(move || {
            let tell = |news| {
                let _ = events.send(Event::Simulation(Update { uri: uri.clone(), number, news }));
            };
            if let Some(over) = run(&job, &stopped, &|steps| tell(News::Steps(steps))) {
                tell(News::Over(over));
            }
        });
        Run { number, prepared, stop, edits: vec![], progress: false }
    }
}

/// Runs; `None` when it was stopped.
fn run(
    prepared: &Prepared,
    stop: &AtomicBool,
    steps: &(dyn Fn(u64) + Sync),
) -> Option<Result<Arc<RunResult>, String>> {
    let told = Mutex::new(Instant::now());
    let progress = |progress: warplens_sim::Progress| {
        // Who finds it locked comes from another thread at the same moment, and would say the same.
        if let Ok(mut told) = told.try_lock()
            && told.elapsed() >= REPORT
        {
            *told = Instant::now();
            steps(progress.steps);
        }
    };
    let cores = Cores::half();
    let control =
        Control { cancelled: &|| stop.load(Ordering::Relaxed), progress: &progress, workers: Some(&cores) };
    match catch_unwind(AssertUnwindSafe(|| prepared.run(control))) {
        Ok(Ok(result)) => Some(Ok(Arc::new(result))),
        Ok(Err(warplens_sim::Cancelled)) => None,
        Err(panic) => Some(Err(panic_message(&*panic))),
    }
}

impl Run {
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// What a user calls it.
    pub(super) fn title(&self) -> String {
        let launch = &self.prepared.resolved().launch;
        format!("{}: {}", launch.entry.as_deref().unwrap_or_default(), launch.name)
    }
}

impl State {
    // Selecting.

    /// Shows a launch in a document; the request is answered when it is known whether it can be run.
    pub(super) fn select(&mut self, id: Id, uri: &Uri, selection: Selection) {
        let selection = Arc::new(selection);
        let selected = self.simulations.selected.entry(uri.clone()).or_insert_with(|| Selected {
            selection: Arc::clone(&selection),
            listed: None,
            preparing: false,
            run: None,
            commands: vec![],
            parked: vec![],
        });
        selected.selection = selection;
        selected.listed = None;
        selected.commands.push(id);
        self.prepare_again(uri);
    }

    /// Shows nothing in a document any more.
    pub(super) fn deselect(&mut self, uri: &Uri) {
        let gone = self.simulations.shown.remove(uri);
        self.findings_changed(uri, gone.is_some_and(|(_, lanes)| lanes.has_findings()));
        if let Some(selected) = self.simulations.selected.remove(uri) {
            if let Some(run) = &selected.run {
                self.stop(run);
            }
            let parked = selected.parked.into_iter().map(|parked| parked.id);
            for id in selected.commands.into_iter().chain(parked) {
                self.answer(&id, Ok(Value::Null));
            }
            self.refresh_lanes();
        }
    }

    /// Asks what would be run now.
    pub(super) fn prepare_again(&mut self, uri: &Uri) {
        let Some(document) = self.documents.get(uri) else { return };
        let (version, refusal) =
            (document.version, document.refusal().map(|refusal| refusal.message.clone()));
        let Some(selected) = self.simulations.selected.get_mut(uri) else { return };
        if let Some(why) = refusal {
            return self.not_prepared(uri, &why);
        }
        selected.preparing = true;
        let (selection, listed) = (Arc::clone(&selected.selection), selected.listed);
        self.forget(uri, &Asker::Prepare);
        self.enqueue(Job {
            asker: Asker::Prepare,
            urgency: Urgency::AtRest,
            uri: uri.clone(),
            version,
            ask: Box::new(move |question| Ok(Done::Prepared(lanes::prepare(question, &selection, listed)?))),
        });
    }

    /// Asks for every selection, because more than a text has changed.
    pub(super) fn prepare_all_again(&mut self) {
        let selected: Vec<_> = self.simulations.selected.keys().cloned().collect();
        selected.iter().for_each(|uri| self.prepare_again(uri));
        self.refresh_lanes();
    }

    /// It is known what would be run: the same as before, or something new.
    pub(super) fn prepared(&mut self, uri: &Uri, prepared: Arc<Prepared>) {
        let Some(selected) = self.simulations.selected.get_mut(uri) else { return };
        selected.preparing = false;
        let commands = std::mem::take(&mut selected.commands);
        if let Some(run) = selected.run.as_mut().filter(|run| run.prepared.same_run(&prepared)) {
            run.prepared = prepared;
            run.edits.clear();
        } else {
            let other = selected.run.take();
            if let Some(run) = other {
                self.stop(&run);
            }
            let last = self.simulations.lanes(uri).filter(|lanes| lanes.prepared.same_run(&prepared));
            match last {
                Some(lanes) => self.show(uri, prepared, lanes.result, &[]),
                None => self.run_now(uri, prepared),
            }
        }
        for id in commands {
            self.answer(&id, Ok(Value::Null));
        }
    }

    /// It cannot be run as it is. A selection made just now is dropped; else the last result stays.
    pub(super) fn not_prepared(&mut self, uri: &Uri, why: &str) {
        let Some(selected) = self.simulations.selected.get_mut(uri) else { return };
        selected.preparing = false;
        let run = selected.run.take();
        let commands = std::mem::take(&mut selected.commands);
        if let Some(run) = run {
            self.stop(&run);
        }
        if commands.is_empty() {
            self.outdate(uri);
            return self.unpark_all(uri);
        }
        for id in commands {
            let code = ErrorCode::ServerError(error_codes::REQUEST_FAILED);
            self.answer(&id, Err(error(code, why.to_owned())));
        }
        self.deselect(uri);
    }

    // Running.

    fn run_now(&mut self, uri: &Uri, prepared: Arc<Prepared>) {
        let run = self.simulations.start(uri, prepared);
        let update = Update { uri: uri.clone(), number: run.number, news: News::Long };
        self.outbox.later(LONG, Event::Simulation(update));
        if let Some(selected) = self.simulations.selected.get_mut(uri) {
            selected.run = Some(run);
        }
    }

    /// A run is over.
    pub(super) fn run_over(&mut self, uri: &Uri, number: u64, result: Result<Arc<RunResult>, String>) {
        if self.simulations.run(uri, number).is_none() {
            return;
        }
        let selected = self.simulations.selected.get_mut(uri);
        let Some(run) = selected.and_then(|selected| selected.run.take()) else { return };
        self.stop(&run);
        match result {
            Ok(result) => self.show(uri, run.prepared, result, &run.edits),
            Err(why) => {
                tracing::error!("a simulation of {}: {why}", uri.as_str());
                self.outbox
                    .show(MessageType::ERROR, format!("Warplens made a mistake while simulating: {why}"));
                self.unpark_all(uri);
            }
        }
    }

    /// Shows a result where its statements stand after `edits`.
    fn show(&mut self, uri: &Uri, prepared: Arc<Prepared>, result: Arc<RunResult>, edits: &[Edit]) {
        let Some(selected) = self.simulations.selected.get_mut(uri) else { return };
        let wanted = selected.selection.warp;
        let is_listed = |warp: WarpId| result.warp(warp.cta, warp.warp).is_some();
        if let Some(warp) = wanted.filter(|&warp| result.warps_truncated && !is_listed(warp))
            && selected.listed.is_none()
        {
            selected.listed = Some(warp);
            return self.prepare_again(uri);
        }
        let mut lanes = Lanes::new(prepared, result, wanted);
        lanes.edit(edits);
        let has_findings = lanes.has_findings();
        let before = self.simulations.shown.insert(uri.clone(), lanes);
        self.unpark_all(uri);
        self.refresh_lanes();
        self.findings_changed(uri, has_findings || before.is_some_and(|before| before.has_findings()));
    }

    /// The last result stays, but what it found does not.
    fn outdate(&mut self, uri: &Uri) {
        let had_findings = self.simulations.shown.get_mut(uri).is_some_and(|mut lanes| {
            let had_findings = lanes.has_findings();
            lanes.outdated = true;
            had_findings
        });
        self.findings_changed(uri, had_findings);
    }

    /// Findings are diagnostics: those who show them hear of new ones and of those that are gone.
    fn findings_changed(&mut self, uri: &Uri, changed: bool) {
        if changed {
            self.diagnose_again(uri);
        }
    }

    // Requests that wait for a result.

    /// `warplens/laneMasks`.
    pub(super) fn lane_masks(&mut self, id: Id, params: Value) {
        let params = match document_params::<LaneMasksParams>(params) {
            Ok((_, params)) => params,
            Err(error) => return self.answer(&id, Err(error)),
        };
        let uri = params.text_document.uri.clone();
        if !self.documents.contains_key(&uri) {
            return self.answer(&id, Err(not_open(&uri)));
        }
        match self.simulations.selected.get_mut(&uri) {
            None => self.answer(&id, Ok(Value::Null)),
            Some(selected) => {
                selected.parked.push(Parked { id, params });
                self.unpark_all(&uri);
            }
        }
    }

    /// Answers what is parked, unless there is still something to wait for.
    fn unpark_all(&mut self, uri: &Uri) {
        let Some(selected) = self.simulations.selected.get_mut(uri) else { return };
        if selected.preparing || selected.run.is_some() {
            return;
        }
        for Parked { id, params } in std::mem::take(&mut selected.parked) {
            if self.is_pending(&id) {
                self.ask(id, lanes::masks(uri.clone(), params));
            }
        }
    }

    /// Asks the client to fetch hints and lenses again.
    pub(super) fn refresh_lanes(&self) {
        if self.abilities.refresh_hints {
            self.outbox.ask::<InlayHintRefreshRequest>((), |_| None);
        }
        if self.abilities.refresh_lenses {
            self.outbox.ask::<CodeLensRefresh>((), |_| None);
        }
    }
}
