//! Simulations: what is selected in a document, the run under way, and what is shown.
//!
//! A run is a job outside the database, on threads of its own. It is told apart by program, launch, model and limits,
//! and is stopped only when these change: an edit asks what would be run now (a question like any other), and where
//! that is the same, only the places are brought up to date. The last result stays shown, moved along with the text,
//! until the next one is there. A request that waits for a run is parked as data.

mod run;
mod select;
mod show;
mod waiting;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crossbeam_channel::Sender;
use dashmap::DashMap;
use rustc_hash::FxHashMap;
use tower_lsp::jsonrpc::Id;
use tower_lsp::ls_types::Uri;
use warplens_ide::lanes::Prepared;
use warplens_sim::{RunResult, TraceRequest, WarpId};

use super::document::Edit;
use super::event::Event;
use super::lanes::{Lanes, Selection};
use super::pool::Pool;
pub(super) use run::{Outcome, Run};
use select::Moment;
use waiting::Parked;

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

impl Selected {
    /// What is to be looked at of a run.
    fn look(&self, prepared: &Prepared) -> TraceRequest {
        let first = WarpId { cta: [0; 3], warp: 0 };
        let until = self.moment.and_then(|moment| Some((prepared.statement_at(moment.at)?, moment.visit)));
        TraceRequest { until, ..TraceRequest::at(self.selection.warp.unwrap_or(first)) }
    }
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
        look: TraceRequest,
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
