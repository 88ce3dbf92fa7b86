//! The lanes that a document shows: the result of a run, with the current positions of its statements.

use std::sync::{Arc, OnceLock};
use warplens_system::clock::Instant;

use ropey::Rope;
use rustc_hash::FxHashMap;
use text_size::TextSize;

use warplens_ide::lanes::panel::Panel;
use warplens_ide::lanes::same_registers::{self, SameRegisters};
use warplens_ide::lanes::{LaneView, Outcome, Prepared, WarpId, WarpSummaries};

use warplens_sim_warp::{Control, StatementId};

use crate::documents::document::Edit;

/// The result of a run as a document shows it.
#[derive(Clone)]
pub(crate) struct Lanes {
    /// The lanes of the selected warp.
    pub(crate) shown: Arc<LaneView>,
    pub(crate) run: KeptRun,
    /// When the run was shown, for the order of runs.
    pub(crate) shown_at: Instant,
    /// Edits of the text since the run was prepared.
    edits: Arc<Vec<Edit>>,
    /// The document whose launch this is, if it was selected there: the text was assembled from it.
    origin: Option<Arc<Origin>>,
    same_registers: Arc<OnceLock<SameRegisters>>,
}

/// The run behind the lanes of a document.
#[derive(Clone)]
pub(crate) enum KeptRun {
    Whole(Ran),
    /// Dropped to free memory for other documents. It runs again if a request needs more than the lanes and these summaries.
    Dropped(Arc<WarpSummaries>),
}

/// A run and its result.
#[derive(Clone)]
pub(crate) struct Ran {
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) outcome: Outcome,
    /// The data of the lanes panel.
    pub(crate) panel: Arc<Panel>,
}

/// A document whose launch another one shows, as it was when the launch was selected.
pub(crate) struct Origin {
    pub(crate) lanes: Lanes,
    pub(crate) text: Rope,
}

impl Origin {
    /// The lines of the statements, counted from 1.
    fn lines(&self) -> FxHashMap<StatementId, u64> {
        let placed = self
            .lanes
            .shown
            .statements()
            .map(|statement| (statement.id, usize::from(statement.range.start())));
        let inside = placed.filter(|(_, at)| *at <= self.text.len_bytes());
        inside.map(|(statement, at)| (statement, self.text.byte_to_line(at) as u64 + 1)).collect()
    }
}

impl Lanes {
    pub(crate) fn new(
        prepared: Arc<Prepared>,
        outcome: Outcome,
        warp: Option<WarpId>,
        origin: Option<Arc<Origin>>,
    ) -> Lanes {
        let shown = Arc::new(prepared.show_outcome(&outcome, warp));
        let panel = Arc::new(Panel::of_outcome(&prepared, &outcome));
        let (edits, same_registers) = (Arc::default(), Arc::default());
        let run = KeptRun::Whole(Ran { prepared, outcome, panel });
        Lanes { shown, run, shown_at: Instant::now(), edits, origin, same_registers }
    }

    /// The run, unless it was dropped.
    pub(crate) fn ran(&self) -> Option<&Ran> {
        match &self.run {
            KeptRun::Whole(ran) => Some(ran),
            KeptRun::Dropped(_) => None,
        }
    }

    pub(crate) fn warp_summaries(&self) -> Arc<WarpSummaries> {
        match &self.run {
            KeptRun::Whole(Ran { prepared, outcome, .. }) => Arc::new(prepared.warp_summaries(outcome)),
            KeptRun::Dropped(summaries) => Arc::clone(summaries),
        }
    }

    /// About how many bytes the run takes.
    pub(crate) fn held_bytes(&self) -> usize {
        self.ran().map_or(0, |ran| ran.outcome.held_bytes(&ran.prepared))
    }

    /// Drops the run. The lanes of the shown warp stay.
    pub(crate) fn drop_run(&mut self) {
        self.run = KeptRun::Dropped(self.warp_summaries());
        self.shown = Arc::new(self.shown.alone());
        self.origin = None;
    }

    /// The register of the origin whose values agree, in the shown warp, with those of a register of the statement at an offset. The first
    /// call runs both kernels again.
    pub(crate) fn same_register(&self, at: TextSize, register: &str) -> Option<&str> {
        let origin = self.origin.as_ref()?;
        let statement = self.shown.statements().find(|statement| statement.range.contains_inclusive(at))?;
        let found = self.same_registers.get_or_init(|| {
            let (Some(code), Some(text)) = (self.ran(), origin.lanes.ran()) else {
                return SameRegisters::default();
            };
            let [code, text] =
                [code, text].map(|Ran { prepared, outcome, .. }| same_registers::Ran { prepared, outcome });
            let lines = origin.lines();
            let line = |statement: StatementId| lines.get(&statement).copied();
            let found = SameRegisters::of(code, text, &line, self.shown.warp, Control::none());
            found.unwrap_or_default()
        });
        found.name(statement.id, register)
    }

    /// Moves positions with an edit of the text.
    pub(crate) fn edit(&mut self, edits: &[Edit]) {
        Arc::make_mut(&mut self.edits).extend_from_slice(edits);
        apply(Arc::make_mut(&mut self.shown), edits);
    }

    /// Marks the result as outdated, and returns whether it was current before.
    pub(crate) fn mark_outdated(&mut self) -> bool {
        !std::mem::replace(&mut Arc::make_mut(&mut self.shown).outdated, true)
    }

    /// Whether these lanes stay shown although a newer run of the same launch has ended: it stopped at an error of the program, and this
    /// run got further.
    pub(crate) fn is_kept_over(&self, prepared: &Prepared, outcome: &Outcome, warp: Option<WarpId>) -> bool {
        let Some(kept) = self.ran() else { return false };
        prepared.stopped_at_error(&outcome.result)
            && !self.shown.partial
            && !kept.prepared.stopped_at_error(&kept.outcome.result)
            && kept.prepared.same_launch(prepared)
            && warp.is_none_or(|warp| warp == self.shown.warp)
            && self.shown.has_places()
    }

    /// The lanes of a warp of the run; `None` if its trace was not recorded.
    pub(crate) fn warp(&self, warp: WarpId) -> Option<Arc<LaneView>> {
        if warp == self.shown.warp {
            return Some(Arc::clone(&self.shown));
        }
        let Ran { prepared, outcome, .. } = self.ran()?;
        let mut shown = prepared.show_warp(outcome, warp)?;
        apply(&mut shown, &self.edits);
        shown.outdated = self.shown.outdated;
        Some(Arc::new(shown))
    }
}

fn apply(shown: &mut LaneView, edits: &[Edit]) {
    edits.iter().for_each(|edit| shown.edit(edit.range, edit.inserted));
}
