//! The progress of long runs in the client.

use serde_json::Value;
use tower_lsp::ls_types::Uri;

use crate::lsp::event::{Event, SimulationState, SimulationUpdate};
use crate::lsp::simulation::run::{TOKEN, token};
use crate::lsp::state::State;
use crate::lsp::transport::client::RunningParams;

impl State {
    /// Handles an update of a run. Updates of an older run are ignored.
    pub(crate) fn simulation_update(&mut self, SimulationUpdate { uri, number, state }: SimulationUpdate) {
        match state {
            SimulationState::LongRunning => self.run_is_long(uri, number),
            SimulationState::ProgressCreated => self.progress_created(&uri, number),
            SimulationState::Steps(steps) => self.run_advanced(&uri, number, steps),
            SimulationState::Began(outcome) => self.show_beginning(&uri, number, *outcome),
            SimulationState::Finished(result) => {
                self.run_finished(&uri, number, result);
                self.memory.freed();
            }
        }
    }

    /// Announces a run that is still in progress after a while.
    fn run_is_long(&mut self, uri: Uri, number: u64) {
        if self.simulations.run(&uri, number).is_none() {
            return;
        }
        self.announce(&uri, number, 0);
        if self.client.capabilities.progress {
            let state = SimulationState::ProgressCreated;
            let created = Event::Simulation(SimulationUpdate { uri, number, state });
            self.client.create_progress(token(number), created);
        }
    }

    fn progress_created(&mut self, uri: &Uri, number: u64) {
        match self.simulations.run(uri, number) {
            Some(run) => {
                run.has_progress = true;
                let title = format!("Simulating {}", run.title());
                self.client.begin_progress(token(number), title, Some(0));
            }
            // The run has ended, but the client waits for a begin and an end.
            None => {
                self.client.begin_progress(token(number), "Simulating".into(), Some(0));
                self.client.end_progress(token(number));
            }
        }
    }

    fn run_advanced(&mut self, uri: &Uri, number: u64, steps: u64) {
        let Some(run) = self.simulations.run(uri, number) else { return };
        let has_progress = run.has_progress;
        if run.is_announced {
            self.announce(uri, number, steps);
        }
        if has_progress {
            let max = self.settings.simulation.max_steps.max(1);
            let percentage = (u128::from(steps) * 100 / u128::from(max)).min(100) as u32;
            let message = format!("{steps} warp instructions");
            self.client.report_progress(token(number), message, Some(percentage));
        }
    }

    /// Sends the progress of a run to clients that show it in their own view.
    fn announce(&mut self, uri: &Uri, number: u64, steps: u64) {
        if !self.client.capabilities.run_progress {
            return;
        }
        let max_steps = self.settings.simulation.max_steps;
        let Some(run) = self.simulations.run(uri, number) else { return };
        run.is_announced = true;
        let launch = &run.prepared.resolved.launch;
        let entry = launch.entry.as_deref().unwrap_or_default().to_owned();
        let running = RunningParams { entry, launch: launch.name.to_string(), steps, max_steps };
        self.client.run_progress(uri, Some(running));
    }

    /// `window/workDoneProgress/cancel`: the user stops a run or a task.
    pub(crate) fn progress_cancelled(&mut self, params: &Value) {
        if self.cancel_task_of(&params["token"]) {
            return;
        }
        let number = params["token"].as_str().and_then(|token| token.strip_prefix(TOKEN)?.parse().ok());
        if let Some(uri) = number.and_then(|number| self.simulations.document_of(number)) {
            self.stop_run(&uri);
        }
    }

    /// The user stops the run of a document. The last result stays shown, and so does the beginning of this run.
    pub(crate) fn stop_run(&mut self, uri: &Uri) {
        let shows_beginning = self.shown.get(uri).lanes.is_some_and(|lanes| lanes.is_partial());
        let run = self.simulations.selected.get_mut(uri).filter(|_| shows_beginning);
        match run.and_then(|selected| selected.run.take()) {
            Some(run) => {
                run.end(&self.client);
                self.answer_waiting(uri);
            }
            None => self.preparation_failed(uri, "the simulation was stopped"),
        }
    }
}
