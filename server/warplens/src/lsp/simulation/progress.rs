//! The progress of long runs in the client.

use serde_json::Value;
use tower_lsp::ls_types::{
    NumberOrString, Uri, WorkDoneProgress, WorkDoneProgressBegin, WorkDoneProgressEnd, WorkDoneProgressReport,
};

use super::run::Run;
use crate::lsp::client::{RunProgressParams, RunningParams};
use crate::lsp::event::{Event, SimulationState, SimulationUpdate};
use crate::lsp::state::State;

/// The prefix of progress tokens.
const TOKEN: &str = "warplens/simulation/";

impl State {
    /// Handles an update of a run. Updates of an older run are ignored.
    pub(crate) fn simulation_update(&mut self, SimulationUpdate { uri, number, state }: SimulationUpdate) {
        if let SimulationState::Finished(result) = state {
            self.run_finished(&uri, number, result);
            return self.memory.freed();
        }
        if let SimulationState::Began(outcome) = state {
            return self.show_beginning(&uri, number, *outcome);
        }
        let Some(run) = self.simulations.run(&uri, number) else {
            if matches!(state, SimulationState::ProgressCreated) {
                self.end_unused_progress(number);
            }
            return;
        };
        match state {
            SimulationState::LongRunning => {
                self.announce(&uri, number, 0);
                if self.capabilities.progress {
                    let state = SimulationState::ProgressCreated;
                    let created = Event::Simulation(SimulationUpdate { uri, number, state });
                    self.client.create_progress(token(number), created);
                }
            }
            SimulationState::ProgressCreated => {
                run.has_progress = true;
                let title = format!("Simulating {}", run.title());
                self.client.progress(token(number), WorkDoneProgress::Begin(begin(title)));
            }
            SimulationState::Steps(steps) => {
                let has_progress = run.has_progress;
                if run.is_announced {
                    self.announce(&uri, number, steps);
                }
                if !has_progress {
                    return;
                }
                let max = self.settings.simulation.max_steps.max(1);
                let report = WorkDoneProgressReport {
                    cancellable: Some(true),
                    message: Some(format!("{steps} warp instructions")),
                    percentage: Some((u128::from(steps) * 100 / u128::from(max)).min(100) as u32),
                };
                self.client.progress(token(number), WorkDoneProgress::Report(report));
            }
            SimulationState::Began(_) | SimulationState::Finished(_) => {}
        }
    }

    /// Sends the progress of a run to clients that show it in a view of their own.
    fn announce(&mut self, uri: &Uri, number: u64, steps: u64) {
        let max_steps = self.settings.simulation.max_steps;
        let Some(run) = self.simulations.run(uri, number).filter(|_| self.capabilities.run_progress) else {
            return;
        };
        run.is_announced = true;
        let launch = &run.prepared.resolved.launch;
        let entry = launch.entry.as_deref().unwrap_or_default().to_owned();
        let running = RunningParams { entry, launch: launch.name.to_string(), steps, max_steps };
        self.client.run_progress(&RunProgressParams { uri: uri.clone(), running: Some(running) });
    }

    /// Stops a run and ends its progress.
    pub(crate) fn stop(&self, run: &Run) {
        run.stop();
        if run.is_announced {
            self.client.run_progress(&RunProgressParams { uri: run.uri.clone(), running: None });
        }
        if run.has_progress {
            self.client
                .progress(token(run.number), WorkDoneProgress::End(WorkDoneProgressEnd { message: None }));
        }
    }

    /// A created progress token needs a begin and an end notification.
    fn end_unused_progress(&self, number: u64) {
        self.client.progress(token(number), WorkDoneProgress::Begin(begin("Simulating".into())));
        self.client.progress(token(number), WorkDoneProgress::End(WorkDoneProgressEnd { message: None }));
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
                self.stop(&run);
                self.answer_waiting(uri);
            }
            None => self.preparation_failed(uri, "the simulation was stopped"),
        }
    }
}

fn begin(title: String) -> WorkDoneProgressBegin {
    WorkDoneProgressBegin { title, cancellable: Some(true), message: None, percentage: Some(0) }
}

fn token(number: u64) -> NumberOrString {
    NumberOrString::String(format!("{TOKEN}{number}"))
}
