//! The lanes that a document shows: the result of a run, and the current positions of its statements.

use std::sync::Arc;

use warplens_ide::lanes::panel::Panel;
use warplens_ide::lanes::{Outcome, Prepared, Shown, WarpId};

use super::document::Edit;

/// The result of a run as a document shows it.
#[derive(Clone)]
pub(crate) struct Lanes {
    /// The selected warp.
    pub(crate) shown: Arc<Shown>,
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) outcome: Outcome,
    panel: Arc<Panel>,
    /// Edits of the text since the run was prepared.
    edits: Arc<Vec<Edit>>,
}

impl Lanes {
    pub(crate) fn new(prepared: Arc<Prepared>, outcome: Outcome, warp: Option<WarpId>) -> Lanes {
        let shown = Arc::new(prepared.show_outcome(&outcome, warp));
        let panel = Arc::new(Panel::of_outcome(&prepared, &outcome));
        Lanes { shown, prepared, outcome, panel, edits: Arc::default() }
    }

    /// The data of the lanes panel.
    pub(crate) fn panel(&self) -> Arc<Panel> {
        Arc::clone(&self.panel)
    }

    /// Moves positions with an edit of the text.
    pub(crate) fn edit(&mut self, edits: &[Edit]) {
        Arc::make_mut(&mut self.edits).extend_from_slice(edits);
        apply(Arc::make_mut(&mut self.shown), edits);
    }

    /// Marks the result as outdated; returns whether it was current before.
    pub(crate) fn mark_outdated(&mut self) -> bool {
        let was_current = !self.shown.is_outdated();
        Arc::make_mut(&mut self.shown).outdate();
        was_current
    }

    /// Whether these lanes stay shown when `outcome` stopped at an error of the program: same launch, and this run got
    /// further.
    pub(crate) fn is_kept_over(&self, prepared: &Prepared, outcome: &Outcome, warp: Option<WarpId>) -> bool {
        prepared.outcome_stopped_at_error(outcome)
            && !self.prepared.outcome_stopped_at_error(&self.outcome)
            && self.prepared.same_launch(prepared)
            && warp.is_none_or(|warp| warp == self.shown.warp())
            && self.shown.has_places()
    }

    /// Whether the run has findings.
    pub(crate) fn has_findings(&self) -> bool {
        self.shown.has_findings()
    }

    /// Another warp of the same run; `None` where its trace is not recorded.
    pub(crate) fn warp(&self, warp: WarpId) -> Option<Arc<Shown>> {
        if warp == self.shown.warp() {
            return Some(Arc::clone(&self.shown));
        }
        let mut shown = self.prepared.show_warp(&self.outcome, warp)?;
        apply(&mut shown, &self.edits);
        if self.shown.is_outdated() {
            shown.outdate();
        }
        Some(Arc::new(shown))
    }
}

fn apply(shown: &mut Shown, edits: &[Edit]) {
    edits.iter().for_each(|edit| shown.edit(edit.range, edit.inserted));
}
