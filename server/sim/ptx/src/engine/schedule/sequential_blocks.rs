//! Runs blocks one after the other on one thread, cluster by cluster.

use warplens_sim_cuda::memory::spaces::Spaces;
use warplens_sim_cuda::run_state::RunState;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::listing::Listing;
use warplens_sim_warp::trace::{
    Cancelled, Control, Finding, Progress, RegisterValues, RunResult, Status, WarpId, WarpTrace,
};

use super::block::BlockPause;
use super::cluster::Cluster;
use super::livelock::Livelock;
use crate::engine::exec::value_tracer::registers_of;
use crate::engine::exec::warp::Warp;
use crate::engine::launch::Launch;
use crate::engine::run_context::RunContext;
use crate::program::Program;

/// Instructions between two polls of the caller's control. Even if all of them are of the most expensive kind, they take
/// only a few milliseconds.
const SLICE: u64 = 1024;

/// How far time advances in the first pass in which all threads only wait; the amount doubles in each further pass.
const FIRST_SKIP: u64 = 1024;
/// How often the amount doubles.
const MAX_SKIPS: u32 = 40;

pub(crate) struct SequentialBlocks<'a> {
    pub(crate) launch: &'a Launch<'a>,
    pub(crate) spaces: Spaces,
    pub(crate) state: RunState,
    pub(crate) control: Control<'a>,
    /// Clusters that cannot continue by themselves, with their numbers.
    pub(crate) suspended: Vec<(u64, Cluster)>,
    pub(crate) traces: Listing,
    pub(crate) blocks_done: u64,
    /// The last cluster, whose allocations the next one reuses.
    left: Option<Cluster>,
}

impl<'a> SequentialBlocks<'a> {
    pub(crate) fn new(launch: &'a Launch<'a>, spaces: Spaces, control: Control<'a>) -> SequentialBlocks<'a> {
        SequentialBlocks {
            state: RunState::new(&launch.options, launch.sanitizer()),
            launch,
            spaces,
            control,
            suspended: Vec::new(),
            traces: Listing::default(),
            blocks_done: 0,
            left: None,
        }
    }

    /// Runs the cluster with this number; returns a status if the run is over.
    pub(crate) fn next_cluster(&mut self, number: u64) -> Result<Option<Status>, Cancelled> {
        // A grid may have many empty clusters: each counts as an instruction.
        if number.is_multiple_of(SLICE) && (self.control.cancelled)() {
            return Err(Cancelled);
        }
        if number >= self.launch.max_clusters() {
            let (all, limit) = (self.launch.blocks(), self.launch.options.limits.max_steps);
            let message = format!(
                "reached at the start of {} of {all} blocks\nthe limit is {limit} warp instructions, and a start counts as {}; \
                 launch fewer blocks",
                number * (self.launch.blocks() / self.launch.clusters()),
                self.launch.start_cost()
            );
            self.state.report(Finding::about_launch(FindingKind::StepLimit, message));
            return Ok(Some(Status::StepLimit));
        }
        let cluster = Cluster::new(self.launch, number, self.left.take());
        self.cluster(number, cluster)
    }

    /// Runs a cluster as far as possible; returns a status if the run is over.
    fn cluster(&mut self, number: u64, mut cluster: Cluster) -> Result<Option<Status>, Cancelled> {
        loop {
            let mut run =
                RunContext { launch: self.launch, spaces: &mut self.spaces, state: &mut self.state };
            match cluster.run(&mut run) {
                BlockPause::Due => {
                    if let Err(status) = self.poll()? {
                        if status == Status::StepLimit {
                            self.report_step_limit(&cluster);
                        }
                        self.collect(&mut cluster);
                        return Ok(Some(status));
                    }
                }
                BlockPause::Ended => {
                    self.blocks_done += cluster.blocks.len() as u64;
                    self.collect(&mut cluster);
                    self.left = Some(cluster);
                    return Ok(None);
                }
                BlockPause::Stuck => {
                    self.suspended.push((number, cluster));
                    return Ok(self.exceeds_memory());
                }
                BlockPause::Stopped(status) => {
                    self.collect(&mut cluster);
                    return Ok(Some(status));
                }
            }
        }
    }

    /// Checks the memory limit after a cluster was suspended.
    fn exceeds_memory(&mut self) -> Option<Status> {
        let (_, last) = self.suspended.last()?;
        let waiting = self.suspended.len() as u64;
        // Clusters are alike, so the last one represents all.
        let (bytes, max) = (last.bytes().saturating_mul(waiting), self.launch.options.limits.max_memory);
        (bytes > max).then(|| {
            let message = format!(
                "{waiting} suspended blocks require {bytes} bytes, the limit is {max}\nlaunch fewer blocks"
            );
            let cta = last.blocks[0].warps[0].id.cta;
            self.state.report(Finding { cta, ..Finding::about_launch(FindingKind::MemoryLimit, message) });
            Status::Faulted
        })
    }

    /// Reports what the run was doing when it reached the step limit.
    fn report_step_limit(&mut self, cluster: &Cluster) {
        let finding = cluster.explain_step_limit(self.launch, &self.spaces, &self.suspended);
        self.state.report(finding.unwrap_or_else(|| {
            let (limit, blocks) = (self.launch.options.limits.max_steps, self.launch.blocks());
            let message = format!(
                "reached after {} of {blocks} blocks\nthe limit is {limit} warp instructions; launch fewer blocks, or raise it",
                self.blocks_done
            );
            Finding::about_launch(FindingKind::StepLimit, message)
        }));
    }

    /// Polls the caller's control and checks the limits.
    fn poll(&mut self) -> Result<Result<(), Status>, Cancelled> {
        let max = self.launch.options.limits.max_steps;
        if (self.control.cancelled)() {
            return Err(Cancelled);
        }
        (self.control.progress)(Progress {
            steps: self.state.steps,
            blocks_done: self.blocks_done,
            blocks: self.launch.blocks(),
        });
        if self.state.trace_complete {
            return Ok(Err(Status::Finished));
        }
        if self.state.steps >= max {
            return Ok(Err(Status::StepLimit));
        }
        self.state.pause_at = (self.state.steps + SLICE).min(max);
        Ok(Ok(()))
    }

    /// Resumes suspended clusters as long as memory changes.
    pub(crate) fn resume_suspended(&mut self) -> Result<Status, Cancelled> {
        let mut idle_rounds = 0;
        loop {
            if self.suspended.is_empty() {
                return Ok(Status::Finished);
            }
            let (before, waiting) = (self.spaces.changes, self.suspended.len());
            let mut clusters = std::mem::take(&mut self.suspended).into_iter();
            while let Some((number, cluster)) = clusters.next() {
                if let Some(status) = self.cluster(number, cluster)? {
                    self.suspended.extend(clusters);
                    return Ok(status);
                }
            }
            let nothing_new = self.spaces.changes == before && self.suspended.len() == waiting;
            if !nothing_new {
                idle_rounds = 0;
                continue;
            }
            if !self.is_livelock() && self.continue_polling(idle_rounds) {
                idle_rounds += 1;
            } else if !self.suspended.iter_mut().any(|(_, cluster)| cluster.force_progress()) {
                break;
            }
        }
        for (_, cluster) in &self.suspended {
            let findings = cluster.explain(self.launch, &self.spaces);
            findings.into_iter().for_each(|finding| self.state.report(finding));
        }
        Ok(Status::NoProgress)
    }

    /// Whether all warps poll memory that none of them changes.
    fn is_livelock(&self) -> bool {
        let mut livelock = Livelock::default();
        let changes = self.spaces.changes;
        self.suspended.iter().all(|(_, cluster)| cluster.add_to(&mut livelock, changes))
            && livelock.is_certain()
    }

    /// No warp can run: lets warps continue that only poll memory. For those that read the clock, time advances, by more in
    /// each idle round. Returns whether there are any.
    fn continue_polling(&mut self, idle_rounds: u32) -> bool {
        let mut result = (false, false);
        for (_, cluster) in &mut self.suspended {
            let (any, reads_clock) = cluster.continue_polling();
            result = (result.0 | any, result.1 | reads_clock);
        }
        if result.1 {
            self.spaces.skipped_time += FIRST_SKIP << idle_rounds.min(MAX_SKIPS);
        }
        result.0
    }

    fn collect(&mut self, cluster: &mut Cluster) {
        // Only these runs know the statements.
        if self.launch.options.checks.races {
            self.traces.note(cluster.notes(&self.spaces));
        }
        for warp in cluster.blocks.iter_mut().flat_map(|block| &mut block.warps) {
            if let Some(tracer) = warp.tracer.take() {
                self.traces.values = Some(tracer.finish(self.launch.program));
            }
            let WarpId { cta, warp: number } = warp.id;
            let registers = self.launch.options.registers.then(|| registers(self.launch.program, warp));
            if warp.listed {
                let (lines, _) = std::mem::take(&mut warp.recorder).finish();
                let launched = warp.threads.launched().into();
                let reconvergences = warp.reconvergences.take();
                let trace = WarpTrace { cta, warp: number, launched, lines, registers, reconvergences };
                self.traces.list(self.launch.number(cta), trace);
            } else {
                self.traces.count(&mut warp.recorder, !self.launch.is_within_limits(warp.id));
            }
        }
    }

    pub(crate) fn result(mut self, status: Status) -> RunResult {
        for (_, mut cluster) in std::mem::take(&mut self.suspended) {
            self.collect(&mut cluster);
        }
        let last_store = self.state.sanitizer.as_ref().and_then(|sanitizer| sanitizer.last_store());
        let findings = self.state.into_findings();
        let result = self.traces.finish(status, findings, self.spaces.launch, self.spaces.printed.finish());
        RunResult { last_store, ..result }
    }
}

/// The final values of the entry's registers.
fn registers(program: &Program, warp: &Warp) -> Vec<RegisterValues> {
    let Some(Some(frame)) = warp.frames.first() else { return Vec::new() };
    registers_of(&program.functions[0], frame)
}
