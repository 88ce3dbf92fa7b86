//! Runs all blocks of a launch.

use warplens_sim_warp::recording::Tap;
use warplens_sim_warp::trace::{Cancelled, Control, Finding, RunOutcome, Status};

use super::cluster::ClusterReports;
use super::parallel_blocks::ParallelBlocks;
use super::sequential_blocks::SequentialBlocks;
use crate::memory::spaces::Spaces;
use crate::memory::write_log::WriteLog;

/// Runs a launch, unless there is a reason to refuse it.
pub fn run_launch<W: ClusterReports>(
    launch: &W::Launch<'_>,
    mut spaces: Spaces,
    extra: W::Extra,
    control: Control<'_>,
    refusal: Option<Finding>,
) -> RunOutcome {
    let log = |tap: &Tap| {
        let initial = tap.begins().map(|_| Box::new([spaces.launch.clone(), spaces.globals.clone()]));
        Box::new(WriteLog { tap: tap.clone(), blocks: Vec::new(), initial })
    };
    spaces.write_log = launch.tap.as_ref().map(log);
    let mut run = SequentialBlocks::<W>::new(launch, spaces, extra, control);
    let status = match refusal {
        Some(refusal) => {
            run.grid.state.report(refusal);
            Status::Faulted
        }
        None => {
            let status = all_blocks(&mut run)?;
            run.report_early_wait(status);
            status
        }
    };
    Ok(run.result(status))
}

/// Runs all blocks of the launch, in parallel if the caller provides threads.
fn all_blocks<W: ClusterReports>(run: &mut SequentialBlocks<'_, '_, W>) -> Result<Status, Cancelled> {
    let mut parallel = ParallelBlocks::new(run);
    if run.grid.state.scheduler.is_some() {
        return match run.run_in_schedule()? {
            Some(status) => Ok(status),
            None => run.resume_suspended(),
        };
    }
    let mut first = 0;
    if let Some(turn) = run.resumed() {
        first = turn.number + 1;
        if let Some(status) = run.first_turn(turn)? {
            return Ok(status);
        }
    }
    for number in first..run.launch.clusters() {
        if let Some(status) = run.next_cluster(number)? {
            return Ok(status);
        }
        if run.traces.values.is_some() {
            return Ok(Status::Finished);
        }
        if parallel.take_over(run, number + 1)? {
            break;
        }
    }
    run.resume_suspended()
}
