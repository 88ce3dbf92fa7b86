//! The simulations of all documents.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::Sender;
use ls_types::Uri;
use rustc_hash::FxHashMap;
use warplens_ide::lanes::{Choice, Outcome, Prepared, WarpId, WarpRequest};
use warplens_protocol::jsonrpc::Id;

use crate::documents::document::Edit;
use crate::documents::lanes::Origin;
use crate::environment::{Environment, Pool};
use crate::event::{Event, SimulationState, SimulationUpdate};
use crate::simulation::run::{Reports, Run, execute};
use crate::simulation::selection::{Selected, Selection, WaitingRequest};

pub(crate) struct Simulations {
    pub(crate) selected: FxHashMap<Uri, Selected>,
    environment: Arc<dyn Environment>,
    /// The answers that are being computed, with the flags that cancel them.
    computing: FxHashMap<Id, (Uri, Arc<AtomicBool>)>,
    events: Sender<Event>,
    /// The last number of a preparation or run. Updates with an older number are ignored.
    last_number: u64,
}

/// The preparation of a run that has just begun.
pub(crate) struct Preparation {
    pub(crate) number: u64,
    pub(crate) selection: Arc<Selection>,
    /// The names of the launches when it was last prepared.
    pub(crate) among: Arc<[String]>,
    /// A warp that must be recorded even if the trace is truncated.
    pub(crate) recorded: Option<WarpId>,
    /// The number of the preparation that it replaces.
    pub(crate) replaced: Option<u64>,
}

impl Simulations {
    pub(crate) fn new(events: Sender<Event>, environment: Arc<dyn Environment>) -> Simulations {
        Simulations {
            selected: FxHashMap::default(),
            environment,
            computing: FxHashMap::default(),
            events,
            last_number: 0,
        }
    }

    /// Moves positions with an edit of the text.
    pub(crate) fn edit(&mut self, uri: &Uri, edits: &[Edit]) {
        let Some(selected) = self.selected.get_mut(uri) else { return };
        if let Some(run) = &mut selected.run {
            run.edits.extend_from_slice(edits);
        }
        if let Some(visit) = &mut selected.visit {
            visit.edit(edits);
        }
    }

    /// Selects a launch in a document for a request, which waits for the preparation of the run.
    pub(crate) fn select(
        &mut self,
        uri: &Uri,
        selection: Selection,
        origin: Option<Arc<Origin>>,
        request: Id,
    ) {
        let selection = Arc::new(selection);
        let selected = self.selected.entry(uri.clone());
        let selected = selected.or_insert_with(|| Selected::new(Arc::clone(&selection)));
        selected.selection = selection;
        selected.among = Arc::default();
        selected.recorded = None;
        selected.visit = None;
        selected.origin = origin;
        selected.commands.push(request);
    }

    /// The selection of a launch by its name. If the selected launch was given as a whole and has this name, it is selected again,
    /// for another warp or model.
    pub(crate) fn reuse_given_launch(&self, uri: &Uri, selection: Selection) -> Selection {
        let Some(selected) = self.selected.get(uri) else { return selection };
        let Selection { launch, home, .. } = &*selected.selection;
        match (&selection.launch, launch) {
            (Choice::Named(name), Choice::Given(given)) if *name == given.name => {
                Selection { launch: launch.clone(), home: home.clone(), ..selection }
            }
            _ => selection,
        }
    }

    /// Begins to prepare the run of a document again; `None` if nothing is selected in it.
    pub(crate) fn begin_preparation(&mut self, uri: &Uri) -> Option<Preparation> {
        self.last_number += 1;
        let (number, selected) = (self.last_number, self.selected.get_mut(uri)?);
        let replaced = selected.preparing.replace(number);
        let (selection, among) = (Arc::clone(&selected.selection), Arc::clone(&selected.among));
        Some(Preparation { number, selection, among, recorded: selected.recorded, replaced })
    }

    /// Whether the preparation with this number is in progress and was not replaced.
    pub(crate) fn is_preparing(&self, uri: &Uri, number: u64) -> bool {
        self.selected.get(uri).is_some_and(|selected| selected.preparing == Some(number))
    }

    /// Starts the run of a document on another thread, and returns its number.
    pub(crate) fn start(
        &mut self,
        uri: &Uri,
        prepared: Arc<Prepared>,
        known: Option<Outcome>,
        warp_request: WarpRequest,
    ) -> u64 {
        self.cancel_answers(uri);
        self.last_number += 1;
        let number = self.last_number;
        let stop = Arc::new(AtomicBool::new(false));
        let events = self.events.clone();
        let (stopped, job) = (Arc::clone(&stop), Arc::clone(&prepared));
        let uri_of_run = uri.clone();
        let run = move || {
            // Stopped while it waited for a thread: its memory alone may take seconds to prepare.
            if stopped.load(Ordering::Relaxed) {
                return;
            }
            let report = |state| {
                let update = SimulationUpdate { uri: uri_of_run.clone(), number, state };
                let _ = events.send(Event::Simulation(update));
            };
            let reports = Reports {
                steps: &|steps| report(SimulationState::Steps(steps)),
                beginning: &|outcome| report(SimulationState::Began(Box::new(outcome))),
            };
            if let Some(outcome) = execute(&job, known, warp_request, &stopped, &reports) {
                report(SimulationState::Finished(outcome));
            }
        };
        self.environment.run(Pool::Simulations, Box::new(run));
        if let Some(selected) = self.selected.get_mut(uri) {
            selected.run = Some(Run {
                number,
                uri: uri.clone(),
                prepared,
                warp_request,
                stop,
                edits: vec![],
                has_progress: false,
                is_announced: false,
            });
        }
        number
    }

    /// The run of a document, if it has this number.
    pub(crate) fn run(&mut self, uri: &Uri, number: u64) -> Option<&mut Run> {
        self.selected.get_mut(uri)?.run.as_mut().filter(|run| run.number == number)
    }

    /// The document of the run with this number.
    pub(crate) fn document_of(&self, number: u64) -> Option<Uri> {
        let runs = |selected: &Selected| selected.run.as_ref().is_some_and(|run| run.number == number);
        self.selected.iter().find(|(_, selected)| runs(selected)).map(|(uri, _)| uri.clone())
    }

    /// Takes the waiting requests that can be answered: all of them, or while a run is in progress those that accept its beginning, if
    /// the document shows it.
    pub(crate) fn take_answerable(&mut self, uri: &Uri, shows_beginning: bool) -> Vec<WaitingRequest> {
        let Some(selected) = self.selected.get_mut(uri) else { return Vec::new() };
        let has_ended = selected.preparing.is_none() && selected.run.is_none();
        let is_answerable = |request: &mut WaitingRequest| {
            has_ended || shows_beginning && request.awaited.accepts_beginning()
        };
        selected.waiting.extract_if(.., is_answerable).collect()
    }

    /// Computes the answer to a request of the panel on another thread. The work is passed the flag that cancels it.
    pub(crate) fn spawn_answer(
        &mut self,
        uri: &Uri,
        id: Id,
        work: impl FnOnce(&AtomicBool) + Send + 'static,
    ) {
        let cancelled = Arc::new(AtomicBool::new(false));
        self.computing.insert(id, (uri.clone(), Arc::clone(&cancelled)));
        self.environment.run(Pool::Panel, Box::new(move || work(&cancelled)));
    }

    /// The answer to a request of the panel has been computed.
    pub(crate) fn answered(&mut self, id: &Id) {
        self.computing.remove(id);
    }

    /// Cancels the computation of an answer for the panel.
    pub(crate) fn cancel_answer(&self, id: &Id) {
        if let Some((_, cancelled)) = self.computing.get(id) {
            cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// Cancels the computations of answers about the run of a document, which is no longer shown.
    pub(crate) fn cancel_answers(&self, uri: &Uri) {
        let of_document = self.computing.values().filter(|(document, _)| document == uri);
        of_document.for_each(|(_, cancelled)| cancelled.store(true, Ordering::Relaxed));
    }

    /// Stops every run, and every computation of an answer.
    pub(crate) fn stop_all(&mut self) {
        self.selected.values().filter_map(|selected| selected.run.as_ref()).for_each(Run::stop);
        self.computing.values().for_each(|(_, cancelled)| cancelled.store(true, Ordering::Relaxed));
    }
}
