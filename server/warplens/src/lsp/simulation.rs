//! Simulations: what is selected in a document, the run under way, and what is shown.
//!
//! A run is a job outside the database, on threads of its own. It is told apart by program, launch, model and limits,
//! and is stopped only when these change: an edit asks what would be run now (a question like any other), and where
//! that is the same, only the places are brought up to date. The last result stays shown, moved along with the text,
//! until the next one is there. A request that waits for a run is parked as data.

mod run;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crossbeam_channel::Sender;
use dashmap::DashMap;
use rustc_hash::FxHashMap;
use serde_json::Value;
use text_size::{TextRange, TextSize};
use tower_lsp::jsonrpc::{ErrorCode, Id};
use tower_lsp::ls_types::request::{CodeLensRefresh, InlayHintRefreshRequest};
use tower_lsp::ls_types::{MessageType, Uri, error_codes};
use warplens_ide::lanes::Prepared;
use warplens_sim::{Look, RunResult, WarpId};

use super::document::Edit;
use super::event::Event;
use super::job::{Asker, Done, Job, Urgency};
use super::lanes::{self, LaneMasksParams, Lanes, Selection};
use super::pool::Pool;
use super::requests::document_params;
use super::state::{State, error, not_open};
pub(super) use run::{Outcome, Run};

/// A run that takes longer is announced to the user.
const LONG: Duration = Duration::from_millis(500);

/// Everything about simulations that the state thread owns.
pub(super) struct Simulations {
    /// What is shown, by document, apart from the database.
    shown: DashMap<Uri, Lanes>,
    selected: FxHashMap<Uri, Selected>,
    runners: Pool,
    events: Sender<Event>,
    /// Numbers tell runs apart, and the questions before them; a late word about an old one is not heard.
    numbers: u64,
}

/// What is selected in a document.
struct Selected {
    selection: Arc<Selection>,
    /// The selected warp, where it must be asked for because not all are listed.
    listed: Option<WarpId>,
    /// The visit that fixes the moment whose values are shown, where one is chosen.
    moment: Option<Moment>,
    /// What would be run is being found out, by the question of this number.
    preparing: Option<u64>,
    run: Option<Run>,
    /// `selectLaunch` requests that wait to hear whether it can be run.
    commands: Vec<Id>,
    /// `laneMasks` requests that wait for a result.
    parked: Vec<Parked>,
}

/// A visit of a statement.
#[derive(Debug, Clone, Copy)]
struct Moment {
    /// Where the statement stands now.
    at: TextSize,
    /// Which visit; the first is 1.
    visit: u64,
}

impl Moment {
    fn follow(&mut self, edits: &[Edit]) {
        for edit in edits {
            if edit.range.end() <= self.at {
                self.at = self.at - edit.range.len() + edit.inserted;
            } else if edit.range.start() < self.at {
                self.at = edit.range.start();
            }
        }
    }
}

impl Selected {
    /// What is to be looked at of a run.
    fn look(&self, prepared: &Prepared) -> Look {
        let first = WarpId { cta: [0; 3], warp: 0 };
        let until = self.moment.and_then(|moment| Some((prepared.statement_at(moment.at)?, moment.visit)));
        Look { until, ..Look::at(self.selection.warp.unwrap_or(first)) }
    }
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
    Over(Result<Outcome, String>),
}

impl Simulations {
    pub(super) fn new(events: Sender<Event>) -> std::io::Result<Simulations> {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Ok(Simulations {
            shown: DashMap::new(),
            selected: FxHashMap::default(),
            runners: Pool::new("simulation", (cores / 2).clamp(1, 4))?,
            events,
            numbers: 0,
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
        let Some(selected) = self.selected.get_mut(uri) else { return };
        if let Some(run) = &mut selected.run {
            run.edits.extend_from_slice(edits);
        }
        if let Some(moment) = &mut selected.moment {
            moment.follow(edits);
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

    fn next_number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    /// Whether the question of this number is the last that was asked about a document, and has no answer yet.
    pub(super) fn is_preparing(&self, uri: &Uri, number: u64) -> bool {
        self.selected.get(uri).is_some_and(|selected| selected.preparing == Some(number))
    }

    /// Starts a run on a thread of its own.
    fn start(
        &mut self,
        uri: &Uri,
        prepared: Arc<Prepared>,
        known: Option<Arc<RunResult>>,
        look: Look,
    ) -> Run {
        let number = self.next_number();
        let stop = Arc::new(AtomicBool::new(false));
        let events = self.events.clone();
        let (uri, stopped, job) = (uri.clone(), Arc::clone(&stop), Arc::clone(&prepared));
        self.runners.run(move || {
            let tell = |news| {
                let _ = events.send(Event::Simulation(Update { uri: uri.clone(), number, news }));
            };
            if let Some(over) = run::run(&job, known, look, &stopped, &|steps| tell(News::Steps(steps))) {
                tell(News::Over(over));
            }
        });
        Run { number, prepared, look, stop, edits: vec![], progress: false }
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
            moment: None,
            preparing: None,
            run: None,
            commands: vec![],
            parked: vec![],
        });
        selected.selection = selection;
        selected.listed = None;
        selected.moment = None;
        selected.commands.push(id);
        self.prepare_again(uri);
    }

    /// Chooses the visit whose values and masks are shown: `visit` of the first statement on a line, or with `None` the
    /// last of each statement.
    pub(super) fn select_visit(&mut self, id: Id, uri: &Uri, line: TextRange, visit: Option<u64>) {
        let refused =
            |why: &str| Err(error(ErrorCode::ServerError(error_codes::REQUEST_FAILED), why.to_owned()));
        let lanes = self.simulations.lanes(uri);
        let Some((selected, lanes)) = self.simulations.selected.get_mut(uri).zip(lanes) else {
            return self.answer(&id, refused("no lanes are shown in this document: select a launch first"));
        };
        selected.moment = match visit {
            None => None,
            Some(_) if lanes.shown.is_outdated() => {
                let why = "the program has an error that a run cannot get past; mend it, then choose a visit";
                return self.answer(&id, refused(why));
            }
            Some(visit) => match lanes.shown.visits_on(line) {
                None => {
                    return self
                        .answer(&id, refused("no statement that the warp came to stands on this line"));
                }
                Some((_, visits)) if !(1..=visits).contains(&visit) => {
                    let why = format!("there is no visit {visit}: the warp came to this line {visits} times");
                    return self.answer(&id, refused(&why));
                }
                Some((at, _)) => Some(Moment { at, visit }),
            },
        };
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
        let (version, refusal) = (document.version, document.why_not().map(str::to_owned));
        let number = self.simulations.next_number();
        let Some(selected) = self.simulations.selected.get_mut(uri) else { return };
        if let Some(why) = refusal {
            return self.not_prepared(uri, &why);
        }
        let before = selected.preparing.replace(number);
        let (selection, listed) = (Arc::clone(&selected.selection), selected.listed);
        if let Some(before) = before {
            self.forget(uri, &Asker::Prepare(before));
        }
        self.enqueue(Job {
            asker: Asker::Prepare(number),
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
    pub(super) fn prepared(&mut self, uri: &Uri, number: u64, prepared: Arc<Prepared>) {
        if !self.simulations.is_preparing(uri, number) {
            return;
        }
        let Some(selected) = self.simulations.selected.get_mut(uri) else { return };
        selected.preparing = None;
        let commands = std::mem::take(&mut selected.commands);
        let look = selected.look(&prepared);
        if let Some(run) = selected.run.as_mut().filter(|run| run.brings(&prepared, look)) {
            run.prepared = prepared;
            run.edits.clear();
        } else {
            let other = selected.run.take();
            if let Some(run) = other {
                self.stop(&run);
            }
            let last = self.simulations.lanes(uri).filter(|lanes| lanes.prepared.same_run(&prepared));
            match last.map(|lanes| lanes.outcome) {
                Some(outcome) if outcome.look == look => self.show(uri, prepared, outcome, &[]),
                last => self.run_now(uri, prepared, last.map(|outcome| outcome.result), look),
            }
        }
        for id in commands {
            self.answer(&id, Ok(Value::Null));
        }
    }

    /// It cannot be run as it is. A selection made just now is dropped; else the last result stays.
    pub(super) fn not_prepared(&mut self, uri: &Uri, why: &str) {
        let Some(selected) = self.simulations.selected.get_mut(uri) else { return };
        selected.preparing = None;
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

    fn run_now(&mut self, uri: &Uri, prepared: Arc<Prepared>, known: Option<Arc<RunResult>>, look: Look) {
        let run = self.simulations.start(uri, prepared, known, look);
        let update = Update { uri: uri.clone(), number: run.number, news: News::Long };
        self.outbox.later(LONG, Event::Simulation(update));
        if let Some(selected) = self.simulations.selected.get_mut(uri) {
            selected.run = Some(run);
        }
    }

    /// A run is over.
    pub(super) fn run_over(&mut self, uri: &Uri, number: u64, outcome: Result<Outcome, String>) {
        if self.simulations.run(uri, number).is_none() {
            return;
        }
        let selected = self.simulations.selected.get_mut(uri);
        let Some(run) = selected.and_then(|selected| selected.run.take()) else { return };
        self.stop(&run);
        match outcome {
            Ok(outcome) => self.show(uri, run.prepared, outcome, &run.edits),
            Err(why) => {
                tracing::error!("a simulation of {}: {why}", uri.as_str());
                self.outbox
                    .show(MessageType::ERROR, format!("Warplens made a mistake while simulating: {why}"));
                self.unpark_all(uri);
            }
        }
    }

    /// Shows a result where its statements stand after `edits`.
    fn show(&mut self, uri: &Uri, prepared: Arc<Prepared>, outcome: Outcome, edits: &[Edit]) {
        let Some(selected) = self.simulations.selected.get_mut(uri) else { return };
        let wanted = selected.selection.warp;
        let result = &outcome.result;
        let is_listed = |warp: WarpId| result.warp(warp.cta, warp.warp).is_some();
        if let Some(warp) = wanted.filter(|&warp| result.warps_truncated && !is_listed(warp))
            && selected.listed.is_none()
        {
            selected.listed = Some(warp);
            return self.prepare_again(uri);
        }
        let last = self.simulations.lanes(uri);
        if last.is_some_and(|last| last.outlast(&prepared, &outcome, wanted)) {
            self.outdate(uri);
            return self.unpark_all(uri);
        }
        let mut lanes = Lanes::new(prepared, outcome, wanted);
        lanes.edit(edits);
        let has_findings = lanes.has_findings();
        let before = self.simulations.shown.insert(uri.clone(), lanes);
        self.unpark_all(uri);
        self.refresh_lanes();
        self.findings_changed(uri, has_findings || before.is_some_and(|before| before.has_findings()));
    }

    /// The last result stays shown, as one of the past.
    fn outdate(&mut self, uri: &Uri) {
        if self.simulations.shown.get_mut(uri).is_some_and(|mut lanes| lanes.outdate()) {
            self.refresh_lanes();
        }
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
        if selected.preparing.is_some() || selected.run.is_some() {
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
