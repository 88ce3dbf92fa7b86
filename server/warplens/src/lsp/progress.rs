//! The progress of long simulations, as the client shows it.

use serde_json::Value;
use tower_lsp::ls_types::{
    NumberOrString, WorkDoneProgress, WorkDoneProgressBegin, WorkDoneProgressEnd, WorkDoneProgressReport,
};

use super::event::Event;
use super::simulation::{News, Run, Update};
use super::state::State;

const TOKEN: &str = "warplens/simulation/";

impl State {
    /// News of a run; those of one that does not count any more are not heard.
    pub(super) fn simulation_update(&mut self, Update { uri, number, news }: Update) {
        if let News::Over(result) = news {
            return self.run_over(&uri, number, result);
        }
        let Some(run) = self.simulations.run(&uri, number) else {
            if matches!(news, News::ProgressOpen) {
                self.close_unused(number);
            }
            return;
        };
        match news {
            News::Long => {
                if self.abilities.progress {
                    let open = Update { uri, number, news: News::ProgressOpen };
                    self.outbox.open_progress(token(number), Event::Simulation(open));
                }
            }
            News::ProgressOpen => {
                run.progress = true;
                let title = format!("Simulating {}", run.title());
                self.outbox.progress(token(number), WorkDoneProgress::Begin(begin(title)));
            }
            News::Steps(steps) if run.progress => {
                let most = self.settings.simulation.max_steps.max(1);
                let report = WorkDoneProgressReport {
                    cancellable: Some(true),
                    message: Some(format!("{steps} warp instructions")),
                    percentage: Some((u128::from(steps) * 100 / u128::from(most)).min(100) as u32),
                };
                self.outbox.progress(token(number), WorkDoneProgress::Report(report));
            }
            News::Steps(_) | News::Over(_) => {}
        }
    }

    /// Stops a run, and takes its progress away.
    pub(super) fn stop(&self, run: &Run) {
        run.stop();
        if run.progress {
            self.outbox
                .progress(token(run.number), WorkDoneProgress::End(WorkDoneProgressEnd { message: None }));
        }
    }

    /// A progress that the client made room for must have a beginning and an end.
    fn close_unused(&self, number: u64) {
        self.outbox.progress(token(number), WorkDoneProgress::Begin(begin("Simulating".into())));
        self.outbox.progress(token(number), WorkDoneProgress::End(WorkDoneProgressEnd { message: None }));
    }

    /// The user has seen enough of a run.
    pub(super) fn progress_cancelled(&mut self, params: &Value) {
        let number = params["token"].as_str().and_then(|token| token.strip_prefix(TOKEN)?.parse().ok());
        if let Some(uri) = number.and_then(|number| self.simulations.document_of(number)) {
            self.not_prepared(&uri, "the simulation was stopped");
        }
    }
}

fn begin(title: String) -> WorkDoneProgressBegin {
    WorkDoneProgressBegin { title, cancellable: Some(true), message: None, percentage: Some(0) }
}

fn token(number: u64) -> NumberOrString {
    NumberOrString::String(format!("{TOKEN}{number}"))
}
