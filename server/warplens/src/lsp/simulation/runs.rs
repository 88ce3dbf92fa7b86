//! The simulations of all documents.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::Sender;
use rustc_hash::FxHashMap;
use tower_lsp::jsonrpc::Id;
use tower_lsp::ls_types::Uri;
use warplens_ide::lanes::{Outcome, Prepared, WarpRequest};
use warplens_sim::Workers;

use super::run::{Reports, Run, execute};
use super::selection::Selected;
use crate::cores::Cores;
use crate::lsp::document::Edit;
use crate::lsp::event::{Event, SimulationState, SimulationUpdate};
use crate::lsp::worker_pool::ThreadPool;

/// The simulations of all documents.
pub(crate) struct Simulations {
    pub(crate) selected: FxHashMap<Uri, Selected>,
    /// The requests of the lanes panel that are computed, with what cancels them.
    pub(crate) panel_requests: FxHashMap<Id, Arc<AtomicBool>>,
    threads: ThreadPool,
    /// The threads of the panel's answers, which do not wait for runs.
    answers: ThreadPool,
    events: Sender<Event>,
    /// The last number of a preparation or run; updates with an older number are ignored.
    last_number: u64,
}

impl Simulations {
    pub(crate) fn new(events: Sender<Event>) -> std::io::Result<Simulations> {
        let cores = Cores::all().count();
        Ok(Simulations {
            selected: FxHashMap::default(),
            panel_requests: FxHashMap::default(),
            threads: ThreadPool::new("simulation", (cores / 2).clamp(1, 4))?,
            answers: ThreadPool::new("panel", 1)?,
            events,
            last_number: 0,
        })
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

    /// Computes an answer of the panel on a thread.
    pub(crate) fn spawn_answer(&mut self, work: impl FnOnce() + Send + 'static) {
        self.answers.run(work);
    }

    /// Stops every run.
    pub(crate) fn stop_all(&mut self) {
        self.selected.values().filter_map(|selected| selected.run.as_ref()).for_each(Run::stop);
        self.panel_requests.values().for_each(|cancelled| cancelled.store(true, Ordering::Relaxed));
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

    /// The number of the next preparation or run.
    pub(crate) fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    /// Whether the preparation with this number is the last one of a document, and in progress.
    pub(crate) fn is_preparing(&self, uri: &Uri, number: u64) -> bool {
        self.selected.get(uri).is_some_and(|selected| selected.preparing == Some(number))
    }

    /// Starts a run on a thread of its own.
    pub(crate) fn start(
        &mut self,
        uri: &Uri,
        prepared: Arc<Prepared>,
        known: Option<Outcome>,
        warp_request: WarpRequest,
    ) -> Run {
        let number = self.next_number();
        let stop = Arc::new(AtomicBool::new(false));
        let events = self.events.clone();
        let (stopped, job) = (Arc::clone(&stop), Arc::clone(&prepared));
        let of_run = uri.clone();
        self.threads.run(move || {
            let report = |state| {
                let update = SimulationUpdate { uri: of_run.clone(), number, state };
                let _ = events.send(Event::Simulation(update));
            };
            let reports = Reports {
                steps: &|steps| report(SimulationState::Steps(steps)),
                beginning: &|outcome| report(SimulationState::Began(Box::new(outcome))),
            };
            if let Some(outcome) = execute(&job, known, warp_request, &stopped, &reports) {
                report(SimulationState::Finished(outcome));
            }
        });
        Run {
            number,
            uri: uri.clone(),
            prepared,
            warp_request,
            stop,
            edits: vec![],
            has_progress: false,
            is_announced: false,
        }
    }
}
