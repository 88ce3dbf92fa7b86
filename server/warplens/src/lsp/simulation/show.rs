//! From the start of a run to its result in the document.

use std::sync::Arc;
use std::time::Duration;

use tower_lsp::ls_types::request::{CodeLensRefresh, InlayHintRefreshRequest};
use tower_lsp::ls_types::{MessageType, Uri};
use warplens_ide::lanes::Prepared;
use warplens_sim::{RunResult, TraceRequest, WarpId};

use super::{News, Outcome, Update};
use crate::lsp::document::Edit;
use crate::lsp::event::Event;
use crate::lsp::lanes::Lanes;
use crate::lsp::state::State;

/// A run that takes longer is announced to the user.
const LONG: Duration = Duration::from_millis(500);

impl State {
    /// Starts a run.
    pub(super) fn run_now(
        &mut self,
        uri: &Uri,
        prepared: Arc<Prepared>,
        known: Option<Arc<RunResult>>,
        look: TraceRequest,
    ) {
        let run = self.simulations.start(uri, prepared, known, look);
        let update = Update { uri: uri.clone(), number: run.number, news: News::Long };
        self.outbox.later(LONG, Event::Simulation(update));
        if let Some(selected) = self.simulations.selected.get_mut(uri) {
            selected.run = Some(run);
        }
    }

    /// A run is over.
    pub(in crate::lsp) fn run_over(&mut self, uri: &Uri, number: u64, outcome: Result<Outcome, String>) {
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
    pub(super) fn show(&mut self, uri: &Uri, prepared: Arc<Prepared>, outcome: Outcome, edits: &[Edit]) {
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
        self.lanes_changed(uri);
        if has_findings || before.is_some_and(|before| before.has_findings()) {
            self.diagnose_again(uri);
        }
    }

    /// The last result stays shown, as one of the past.
    pub(super) fn outdate(&mut self, uri: &Uri) {
        if self.simulations.shown.get_mut(uri).is_some_and(|mut lanes| lanes.outdate()) {
            self.lanes_changed(uri);
        }
    }

    /// A document shows other lanes, or none any more.
    pub(super) fn lanes_changed(&self, uri: &Uri) {
        self.refresh_lanes();
        if self.abilities.hears_of_lanes {
            self.outbox.lanes_changed(uri.clone());
        }
    }

    /// Asks the client to fetch hints and lenses again.
    pub(in crate::lsp) fn refresh_lanes(&self) {
        if self.abilities.refresh_hints {
            self.outbox.ask::<InlayHintRefreshRequest>((), |_| None);
        }
        if self.abilities.refresh_lenses {
            self.outbox.ask::<CodeLensRefresh>((), |_| None);
        }
    }
}
