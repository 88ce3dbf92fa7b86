//! The arguments that select other schedules.

use anyhow::{Result, bail};
use clap::Args;
use warplens_ide::lanes::{Coverage, Exploration, Prepared, Unexpected};
use warplens_sim_warp::{Cancelled, Control, RunResult, Schedule};

#[derive(Args)]
pub(super) struct ScheduleArguments {
    /// Also run under this many other orders of warps, blocks, lanes and asynchronous operations, and report what differs
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "schedule")]
    schedules: u32,

    /// The seed that determines the schedules
    #[arg(long, value_name = "S", default_value_t = 1, conflicts_with = "schedule")]
    seed: u64,

    /// Run under one of these schedules, such as 1:3 for number 3 of seed 1, and show its lanes
    #[arg(long, value_name = "S:I")]
    schedule: Option<Schedule>,
}

/// A run with what other schedules show.
pub(super) struct ExploredRun {
    /// The run whose lanes are shown.
    pub(super) prepared: Prepared,
    pub(super) result: RunResult,
    /// The expectations that do not hold in the run under the default schedule.
    pub(super) failures: Vec<Unexpected>,
    pub(super) coverage: Coverage,
}

impl ScheduleArguments {
    /// Fails if the arguments select schedules, and the kernel has none.
    pub(super) fn check(&self, prepared: &Prepared) -> Result<()> {
        if self.exploration().count != 0 && prepared.program.order_effect().is_none() {
            let model = prepared.model.name();
            bail!(
                "the model {model} runs in one order only: choose another one for --schedule and --schedules"
            );
        }
        Ok(())
    }

    fn exploration(&self) -> Exploration {
        match self.schedule {
            Some(schedule) => Exploration::replay(schedule),
            None => Exploration::new(self.seed, self.schedules),
        }
    }

    /// Explores the schedules after a run under the default one. A single schedule is shown in its place.
    pub(super) fn explore(
        &self,
        prepared: Prepared,
        mut result: RunResult,
        failures: Vec<Unexpected>,
        control: Control<'_>,
    ) -> Result<ExploredRun, Cancelled> {
        let explored = prepared.explore(&mut result, &failures, &self.exploration(), control)?;
        let (prepared, result) = match self.schedule {
            None => (prepared, result),
            Some(schedule) => {
                let under = prepared.under(schedule);
                let shown = under.run(control)?;
                (under, RunResult { findings: result.findings, ..shown })
            }
        };
        let coverage = Coverage { explored, ..prepared.coverage(&result) };
        Ok(ExploredRun { prepared, result, failures, coverage })
    }
}
