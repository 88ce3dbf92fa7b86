//! The progress of long runs in the client.

use ls_types::Uri;
use serde_json::Value;

use crate::event::{SimulationState, SimulationUpdate};
use crate::simulation::run::{TOKEN, token};
use crate::state::State;

impl State {
    /// Handles an update of a run. Updates of an older run are ignored.
    pub(crate) fn simulation_update(&mut self, SimulationUpdate { uri, number, state }: SimulationUpdate) {
        let max_steps = self.settings.simulation.max_steps;
        let run = self.simulations.run(&uri, number);
        match state {
            SimulationState::LongRunning => {
                run.into_iter().for_each(|run| run.show_progress(&self.client, max_steps));
            }
            SimulationState::ProgressCreated => match run {
                Some(run) => run.begin_progress(&self.client),
                // The run has ended, but the client waits for a begin and an end.
                None => {
                    self.client.begin_progress(token(number), "Simulating".into(), Some(0));
                    self.client.end_progress(token(number));
                }
            },
            SimulationState::Steps(steps) => {
                run.into_iter().for_each(|run| run.report_progress(&self.client, steps, max_steps));
            }
            SimulationState::Began(outcome) => self.show_beginning(&uri, number, *outcome),
            SimulationState::Finished(result) => {
                self.run_finished(&uri, number, result);
                self.environment.memory_freed();
            }
        }
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
        let shows_beginning = self.shown.get(uri).lanes.is_some_and(|lanes| lanes.shown.partial);
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
