//! The run of a document, from its start to its result.

use std::sync::Arc;
use std::time::Duration;

use ls_types::{MessageType, Uri};
use warplens_ide::lanes::{Outcome, Prepared, WarpRequest};

use crate::documents::document::Edit;
use crate::documents::lanes::Lanes;
use crate::event::{Event, SimulationState, SimulationUpdate};
use crate::state::State;

/// The delay after which the progress of a run is shown.
const PROGRESS_DELAY: Duration = Duration::from_millis(150);

impl State {
    pub(crate) fn start_run(
        &mut self,
        uri: &Uri,
        prepared: Arc<Prepared>,
        known: Option<Outcome>,
        warp_request: WarpRequest,
    ) {
        let number = self.simulations.start(uri, prepared, known, warp_request);
        let update = SimulationUpdate { uri: uri.clone(), number, state: SimulationState::LongRunning };
        self.client.send_later(PROGRESS_DELAY, Event::Simulation(update));
    }

    pub(crate) fn run_finished(&mut self, uri: &Uri, number: u64, outcome: Result<Outcome, String>) {
        let selected = self.simulations.selected.get_mut(uri);
        let run = selected.and_then(|selected| selected.run.take_if(|run| run.number == number));
        let Some(run) = run else { return };
        run.end(&self.client);
        match outcome {
            Ok(outcome) => self.show(uri, run.prepared, outcome, &run.edits),
            Err(message) => {
                tracing::error!("panic in a simulation of {}: {message}", uri.as_str());
                self.client.show(MessageType::ERROR, format!("internal error in the simulation: {message}"));
                self.answer_waiting(uri);
            }
        }
    }

    /// Shows a result. `edits` are the edits of the text since the run was prepared.
    pub(crate) fn show(&mut self, uri: &Uri, prepared: Arc<Prepared>, outcome: Outcome, edits: &[Edit]) {
        let Some(selected) = self.simulations.selected.get_mut(uri) else { return };
        let (warp, origin) = (selected.selection.warp, selected.origin.clone());
        if let Some(warp) = warp.filter(|&warp| outcome.result.warps_truncated && !outcome.has_trace(warp))
            && selected.recorded.is_none()
        {
            selected.recorded = Some(warp);
            return self.prepare_again(uri);
        }
        let last = self.shown.get(uri).lanes;
        if last.is_some_and(|last| last.is_kept_over(&prepared, &outcome, warp)) {
            self.mark_outdated(uri);
            return self.answer_waiting(uri);
        }
        let mut lanes = Lanes::new(prepared, outcome, warp, origin);
        lanes.edit(edits);
        let has_findings = lanes.shown.has_findings();
        let before = self.shown.update(uri, |shown| shown.lanes.replace(lanes)).flatten();
        self.shown.limit_runs();
        self.answer_waiting(uri);
        self.client.lanes_changed(uri);
        if has_findings || before.is_some_and(|before| before.shown.has_findings()) {
            self.refresh_diagnostics(uri);
        }
    }

    /// Shows the beginning of a run that is in progress, unless the document already shows a whole run of the same launch.
    pub(crate) fn show_beginning(&mut self, uri: &Uri, number: u64, outcome: Outcome) {
        let Some(run) = self.simulations.run(uri, number) else { return };
        let (prepared, edits) = (Arc::clone(&run.prepared), run.edits.clone());
        let is_whole = |lanes: &Lanes| {
            lanes.ran().is_some_and(|ran| ran.prepared.same_launch(&prepared))
                && lanes.shown.has_places()
                && !lanes.shown.partial
        };
        if !self.shown.get(uri).lanes.as_ref().is_some_and(is_whole) {
            self.show(uri, prepared, outcome, &edits);
        }
    }

    /// Marks the shown result as outdated.
    pub(crate) fn mark_outdated(&mut self, uri: &Uri) {
        let outdated = self.shown.update(uri, |shown| shown.lanes.as_mut().is_some_and(Lanes::mark_outdated));
        if outdated == Some(true) {
            self.client.lanes_changed(uri);
        }
    }
}
