//! Runs blocks one after the other on one thread, cluster by cluster.

use std::collections::VecDeque;

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::launch_config::launched_lanes;
use warplens_sim_warp::listing::Listing;
use warplens_sim_warp::record::Recorder;
use warplens_sim_warp::trace::{Cancelled, Checks, Control, Finding, Progress, RunResult, Status, WarpTrace};

use super::block::BlockPause;
use super::cluster::{Cluster, ClusterReports, Polled};
use super::early_wait::EarlyWait;
use super::livelock::Livelock;
use super::standstill;
use super::warp::{CudaWarp, GridState};
use crate::memory::spaces::Spaces;
use crate::run_state::RunState;

/// How far time advances in the first pass in which all threads only wait; the amount doubles in each further pass.
const FIRST_SKIP: u64 = 1024;
/// How often the amount doubles.
const MAX_SKIPS: u32 = 40;
/// How much time waits may skip: as nanoseconds 36 years, longer than any time-out. It also keeps the clock from overflowing.
const MAX_SKIPPED: u64 = 1 << 60;
/// Instructions of a cluster after which others run, if the program has loops that may wait for them. Most waits are noticed
/// much earlier; this guarantees progress whatever else a waiting loop does.
const TURN: u64 = 1 << 14;
/// Instructions before the first search for a proof that no warp can end; doubled each time.
const FIRST_SEARCH: u64 = 1 << 14;

pub(super) struct SequentialBlocks<'a, 'p, W: CudaWarp> {
    pub(super) launch: &'a W::Launch<'p>,
    pub(super) grid: GridState<W>,
    pub(super) control: Control<'a>,
    /// Clusters that cannot continue by themselves, with their numbers.
    pub(super) suspended: Vec<(u64, Cluster<W>)>,
    /// Clusters that were suspended and are about to be resumed.
    resuming: VecDeque<(u64, Cluster<W>)>,
    pub(super) early_wait: Option<EarlyWait>,
    /// The suspended clusters that have not continued yet, and their bytes of host memory.
    pub(super) waiting: u64,
    pub(super) waiting_bytes: u64,
    /// Limit of the host memory of all clusters that have started and not ended, in bytes.
    pub(super) max_bytes: u64,
    /// Instructions of a cluster after which others run.
    pub(super) turn: u64,
    /// Whether the findings of a run that faults are kept, so that it pays to look for further ones.
    pub(super) keeps_findings: bool,
    pub(super) traces: Listing,
    pub(super) blocks_done: u64,
    /// How many clusters have started.
    pub(super) started: u64,
    /// The last cluster, whose allocations the next one reuses.
    pub(super) left: Option<Cluster<W>>,
    /// How often the run has been polled.
    polls: u64,
    /// The step count of the next search for a proof that no warp can end.
    pub(super) search_at: u64,
}

/// A turn of a cluster.
#[derive(Clone)]
pub(super) struct Turn<W: CudaWarp> {
    pub(super) number: u64,
    pub(super) cluster: Cluster<W>,
    /// The step at which it began.
    pub(super) began: u64,
    /// Whether the cluster starts with it.
    pub(super) is_first: bool,
}

/// What happened when each suspended cluster was resumed once.
enum Round {
    /// The run ended with this status.
    Over(Status),
    /// Memory changed, or a cluster exited.
    Progress,
    Idle,
}

impl<'a, 'p, W: ClusterReports> SequentialBlocks<'a, 'p, W> {
    pub(super) fn new(
        launch: &'a W::Launch<'p>,
        spaces: Spaces,
        extra: W::Extra,
        control: Control<'a>,
    ) -> SequentialBlocks<'a, 'p, W> {
        // A run without checks needs the sanitizer once it sends its steps.
        let checks_nothing = launch.options.checks == Checks::default();
        let is_awaited = checks_nothing && launch.tap.is_some() && launch.recording().is_none();
        let mut sanitizer = if is_awaited { None } else { W::sanitizer(launch) };
        if let Some(sanitizer) = &mut sanitizer {
            sanitizer.declare_unwritten(&launch.uninitialized, spaces.launch.raw().0);
        }
        let mut state = RunState::new(&launch.options, sanitizer);
        state.scheduler = launch.scheduler();
        let limits = &launch.options.limits;
        SequentialBlocks {
            launch,
            grid: GridState { spaces, state, extra },
            control,
            suspended: Vec::new(),
            resuming: VecDeque::new(),
            early_wait: None,
            waiting: 0,
            waiting_bytes: 0,
            max_bytes: limits.max_block_bytes.min(limits.max_memory),
            turn: if launch.may_wait && launch.blocks() > 1 { TURN } else { u64::MAX },
            keeps_findings: true,
            traces: Listing::default(),
            blocks_done: 0,
            started: 0,
            left: None,
            polls: 0,
            search_at: FIRST_SEARCH,
        }
    }

    /// Runs the cluster with this number; returns a status if the run is over.
    pub(super) fn next_cluster(&mut self, number: u64) -> Result<Option<Status>, Cancelled> {
        // A grid may have many empty clusters: each counts as an instruction.
        if number.is_multiple_of(W::SLICE) && (self.control.cancelled)() {
            return Err(Cancelled);
        }
        if number >= self.launch.max_clusters() {
            let (all, limit) = (self.launch.blocks(), self.launch.options.limits.max_steps);
            let message = format!(
                "reached at the start of {} of {all} blocks\nthe limit is {limit} warp instructions, and a start counts as {}; \
                 launch fewer blocks",
                number * (all / self.launch.clusters()),
                self.launch.start_cost
            );
            self.grid.state.report(Finding::about_launch(FindingKind::StepLimit, message));
            return Ok(Some(Status::StepLimit));
        }
        if let Some(status) = self.make_room()? {
            return Ok(Some(status));
        }
        self.started = number + 1;
        // Blocks that run in parallel must be charged the same.
        self.grid.state.uncharged = 0;
        let cluster = Cluster::new(self.launch, number, self.left.take(), self.launch.options.eager);
        let turn = Turn { is_first: true, ..self.turn_of(number, cluster) };
        self.first_turn(turn)
    }

    /// Continues the first turn of a cluster; returns a status if the run is over.
    pub(super) fn first_turn(&mut self, turn: Turn<W>) -> Result<Option<Status>, Cancelled> {
        let number = turn.number;
        let status = self.continue_turn(turn)?;
        match &mut self.early_wait {
            Some(wait) => wait.observe(number, &self.grid.spaces),
            None => self.note_early_wait(false),
        }
        Ok(status)
    }

    /// If no other cluster can start, lets the suspended ones continue; returns a status if the run is over. Clusters start
    /// even if that makes no room: what else happens tells why they wait.
    fn make_room(&mut self) -> Result<Option<Status>, Cancelled> {
        let is_full = |run: &Self| run.suspended.len() as u64 >= run.launch.resident_clusters();
        while is_full(self) && !self.early_wait.as_ref().is_some_and(|wait| wait.is_starved) {
            match self.resume_all()? {
                Round::Over(status) => return Ok(Some(status)),
                Round::Progress => {}
                Round::Idle => {
                    if self.is_livelock() {
                        self.note_early_wait(true);
                    }
                    break;
                }
            }
        }
        Ok(None)
    }

    fn note_early_wait(&mut self, is_starved: bool) {
        if let Some((_, first)) = self.suspended.first() {
            self.early_wait = EarlyWait::new(first, self.launch, &self.grid.spaces, is_starved);
        }
    }

    /// Reports a wait for blocks that start later, in a run that ended with this status.
    pub(super) fn report_early_wait(&mut self, status: Status) {
        let finding = self.early_wait.take().and_then(|wait| wait.report(self.launch, status));
        finding.into_iter().for_each(|finding| self.grid.state.report(finding));
    }

    /// Runs a cluster as far as possible; returns a status if the run is over.
    pub(super) fn run_cluster(
        &mut self,
        number: u64,
        cluster: Cluster<W>,
    ) -> Result<Option<Status>, Cancelled> {
        let turn = self.turn_of(number, cluster);
        self.continue_turn(turn)
    }

    /// A turn of a cluster that begins now.
    fn turn_of(&mut self, number: u64, cluster: Cluster<W>) -> Turn<W> {
        let began = self.grid.state.steps;
        self.grid.state.turn_end = began.saturating_add(self.turn);
        Turn { number, cluster, began, is_first: false }
    }

    fn continue_turn(&mut self, mut turn: Turn<W>) -> Result<Option<Status>, Cancelled> {
        loop {
            let cluster = &mut turn.cluster;
            match cluster.run(self.launch, &mut self.grid) {
                BlockPause::Due => {
                    let ended = self.poll()?;
                    if ended == Some(Status::StepLimit) {
                        self.report_step_limit(cluster);
                    }
                    if self.measures_memory() {
                        cluster.measure();
                    }
                    let status = ended.or_else(|| self.exceeds_memory(cluster));
                    if let Some(status) = status.or_else(|| self.stands_still(cluster)) {
                        self.collect(cluster);
                        return Ok(Some(status));
                    }
                    self.begin_recording(cluster);
                    self.leave_checkpoint(&mut turn);
                    self.pause_for_recording();
                }
                BlockPause::Ended => {
                    self.blocks_done += cluster.blocks.len() as u64;
                    self.collect(cluster);
                    self.left = Some(turn.cluster);
                    return Ok(None);
                }
                BlockPause::Stuck | BlockPause::TurnOver | BlockPause::Preempted(_) => {
                    if cluster.bytes == 0 || self.grid.state.steps != turn.began {
                        cluster.measure();
                    }
                    let status = self.exceeds_memory(cluster);
                    (self.waiting, self.waiting_bytes) =
                        (self.waiting + 1, self.waiting_bytes + cluster.bytes);
                    self.suspended.push((turn.number, turn.cluster));
                    return Ok(status);
                }
                BlockPause::Stopped(status) => {
                    self.collect(cluster);
                    if status == Status::Faulted && self.keeps_findings {
                        self.find_further_faults(turn.cluster)?;
                    }
                    return Ok(Some(status));
                }
            }
        }
    }

    /// Begins to send steps to the recording, if its first step is due.
    fn begin_recording(&mut self, running: &mut Cluster<W>) {
        let (launch, step) = (self.launch, self.grid.state.steps);
        let Some(tap) = &launch.tap else { return };
        // Without a pause of its own, it begins at the last pause before its first step.
        let early = if W::pauses_matter(launch) { W::SLICE + launch.statements as u64 } else { 0 };
        if tap.begins().is_none_or(|first| first > step + early) {
            return;
        }
        tap.begin(step);
        if self.grid.state.sanitizer.is_none() {
            self.grid.state.sanitizer = W::sanitizer(launch);
        }
        self.grid.spaces.send_held(tap);
        let others = self.suspended.iter_mut().chain(&mut self.resuming).map(|(_, cluster)| cluster);
        others.chain([running]).for_each(|cluster| cluster.begin_recording(launch, tap));
    }

    /// Takes a suspended cluster, which continues.
    pub(super) fn resume(&mut self, index: usize) -> (u64, Cluster<W>) {
        let (number, cluster) = self.suspended.remove(index);
        self.count_resumed(&cluster);
        (number, cluster)
    }

    fn count_resumed(&mut self, cluster: &Cluster<W>) {
        (self.waiting, self.waiting_bytes) = (self.waiting - 1, self.waiting_bytes - cluster.bytes);
    }

    /// Whether the memory of the running cluster is measured at this poll. That takes time for each warp, so it is done less often if
    /// there are many.
    fn measures_memory(&mut self) -> bool {
        self.polls += 1;
        self.polls.is_multiple_of((u64::from(self.launch.warps()) / 32).max(1))
    }

    /// Checks the limits of memory; `cluster` is the one that ran last, and is not suspended yet.
    fn exceeds_memory(&mut self, cluster: &Cluster<W>) -> Option<Status> {
        let blocks = (self.waiting + 1) * cluster.blocks.len() as u64;
        let warps = blocks * u64::from(self.launch.warps());
        let (bytes, records) =
            (self.waiting_bytes + cluster.bytes, warps * Recorder::bytes(self.launch.statements));
        let (bytes, max, of) = if bytes > self.max_bytes {
            let of = "their registers and local memory, and the shared and tensor memory of blocks that wait for others; launch \
                      fewer threads, or use less of these";
            (bytes, self.max_bytes, of.to_owned())
        } else if records > 2 * self.max_bytes {
            let statements = self.launch.statements;
            let of = format!(
                "to count the visits of {statements} statements in {warps} warps; launch fewer threads, or raise the limit"
            );
            (records, 2 * self.max_bytes, of)
        } else {
            return None;
        };
        let require = if blocks == 1 { "block requires" } else { "blocks require" };
        let message = format!("{blocks} unfinished {require} {bytes} bytes, the limit is {max}\n{of}");
        let finding = Finding {
            cta: cluster.blocks[0].cta,
            ..Finding::about_launch(FindingKind::MemoryLimit, message)
        };
        self.grid.state.report(finding);
        Some(Status::Faulted)
    }

    /// Reports what the run was doing when it reached the step limit.
    fn report_step_limit(&mut self, cluster: &Cluster<W>) {
        let finding = W::explain_step_limit(cluster, self.launch, &self.grid.spaces, &self.suspended);
        let mut finding = finding.unwrap_or_else(|| {
            let (limit, blocks) = (self.launch.options.limits.max_steps, self.launch.blocks());
            let message = format!(
                "reached after {} of {blocks} blocks\nthe limit is {limit} warp instructions; launch fewer blocks, or raise it",
                self.blocks_done
            );
            Finding::about_launch(FindingKind::StepLimit, message)
        });
        let charged = self.grid.state.charged;
        if charged != 0 {
            let part =
                format!("; {charged} of them are charged for statements that do more work than others");
            finding.message.push_str(&part);
        }
        self.grid.state.report(finding);
    }

    /// Lets the caller control the run; returns a status if the run is over.
    fn poll(&mut self) -> Result<Option<Status>, Cancelled> {
        if (self.control.cancelled)() {
            return Err(Cancelled);
        }
        let state = &mut self.grid.state;
        (self.control.progress)(Progress {
            steps: state.counted_steps(),
            blocks_done: self.blocks_done,
            blocks: self.launch.blocks(),
        });
        if state.trace_complete {
            return Ok(Some(Status::Finished));
        }
        if state.steps >= state.limit {
            return Ok(Some(Status::StepLimit));
        }
        state.pause_at = (state.steps + W::SLICE).min(state.limit);
        // Searches at the same steps whatever else the run pauses for.
        if self.search_at > state.steps {
            state.pause_at = state.pause_at.min(self.search_at);
        }
        Ok(None)
    }

    /// Lets the run pause in time for the recording.
    pub(super) fn pause_for_recording(&mut self) {
        let state = &mut self.grid.state;
        if let Some(next) = self.launch.tap.as_ref().and_then(|tap| tap.next_pause(state.steps))
            && !W::pauses_matter(self.launch)
        {
            state.pause_at = state.pause_at.min(next);
        }
    }

    /// From time to time, searches for a proof that no warp can end although they change memory; the running cluster is not
    /// suspended. Returns a status if the run is over.
    fn stands_still(&mut self, running: &mut Cluster<W>) -> Option<Status> {
        let state = &self.grid.state;
        if state.steps < self.search_at {
            return None;
        }
        self.search_at *= 2;
        if state.scheduler.is_some() || state.further.is_some() || self.started != self.launch.clusters() {
            return None;
        }
        let others = self.suspended.iter().chain(&self.resuming).map(|(_, cluster)| cluster);
        let clusters: Vec<&Cluster<W>> = others.chain([&*running]).collect();
        if !standstill::is_certain(self.launch, &self.grid, &clusters) {
            return None;
        }
        let changes = self.grid.spaces.changes;
        let others = self.suspended.iter_mut().chain(&mut self.resuming).map(|(_, cluster)| cluster);
        for cluster in others.chain([running]) {
            cluster.stand_still(changes);
            let findings = W::explain_deadlock(cluster, self.launch, &self.grid.spaces, Polled::Exchanged);
            findings.into_iter().for_each(|finding| self.grid.state.report(finding));
        }
        Some(Status::NoProgress)
    }

    /// Resumes suspended clusters as long as memory changes.
    pub(super) fn resume_suspended(&mut self) -> Result<Status, Cancelled> {
        let mut idle_rounds = 0;
        loop {
            if self.suspended.is_empty() {
                return Ok(Status::Finished);
            }
            match self.resume_all()? {
                Round::Over(status) => return Ok(status),
                Round::Progress => {
                    idle_rounds = 0;
                    continue;
                }
                Round::Idle => {}
            }
            let polls = !self.is_livelock() && self.continue_polling(idle_rounds);
            if polls && idle_rounds < W::MAX_IDLE_ROUNDS {
                idle_rounds += 1;
            } else if !self.suspended.iter_mut().any(|(_, cluster)| cluster.force_progress()) {
                break;
            }
        }
        for (_, cluster) in &self.suspended {
            let findings = W::explain_deadlock(cluster, self.launch, &self.grid.spaces, Polled::Unchanged);
            findings.into_iter().for_each(|finding| self.grid.state.report(finding));
        }
        Ok(Status::NoProgress)
    }

    /// Resumes each suspended cluster once.
    fn resume_all(&mut self) -> Result<Round, Cancelled> {
        let before = (self.grid.spaces.changes, self.suspended.len());
        self.resuming = std::mem::take(&mut self.suspended).into();
        while let Some((number, cluster)) = self.resuming.pop_front() {
            self.count_resumed(&cluster);
            if let Some(status) = self.run_cluster(number, cluster)? {
                self.suspended.extend(self.resuming.drain(..));
                return Ok(Round::Over(status));
            }
        }
        let may_continue = self.suspended.iter().any(|(_, cluster)| cluster.is_preempted());
        let is_idle = !may_continue && before == (self.grid.spaces.changes, self.suspended.len());
        Ok(if is_idle { Round::Idle } else { Round::Progress })
    }

    /// Whether all warps poll memory that none of them changes.
    fn is_livelock(&self) -> bool {
        let mut livelock = Livelock::default();
        let changes = self.grid.spaces.changes;
        self.suspended.iter().all(|(_, cluster)| cluster.add_to(&mut livelock, changes))
            && livelock.is_certain()
    }

    /// No warp can run: lets warps continue that only poll memory. For those that read the clock, time advances, by more in
    /// each idle round, up to a limit. Returns whether there are any.
    fn continue_polling(&mut self, idle_rounds: u32) -> bool {
        if self.grid.spaces.skipped_time >= MAX_SKIPPED {
            return false;
        }
        let mut result = (false, false);
        for (_, cluster) in &mut self.suspended {
            let (any, reads_clock) = cluster.continue_polling();
            result = (result.0 | any, result.1 | reads_clock);
        }
        if result.1 {
            self.grid.spaces.skipped_time += FIRST_SKIP << idle_rounds.min(MAX_SKIPS);
        }
        result.0
    }

    /// Collects the traces of a cluster's warps.
    pub(super) fn collect(&mut self, cluster: &mut Cluster<W>) {
        let launch = self.launch;
        if let Some(tap) = launch.tap.as_ref().filter(|tap| tap.has_room()) {
            cluster.send_held(launch, tap);
        }
        self.traces.note(W::notes(cluster, launch, &self.grid.spaces));
        for block in &mut cluster.blocks {
            for index in 0..block.warps.len() {
                let (id, warp) = (block.id(index), &mut block.warps[index]);
                if let Some(values) = warp.take_values(launch) {
                    self.traces.values = Some(values);
                }
                if !launch.lists(id) {
                    self.traces.count(warp.recorder(), !launch.is_within_limits(id));
                    continue;
                }
                let trace = WarpTrace {
                    cta: id.cta,
                    warp: id.warp,
                    launched: launched_lanes(launch.block, id.warp).into(),
                    lines: std::mem::take(warp.recorder()).finish().0,
                    registers: launch.options.registers.then(|| warp.registers(launch)),
                    reconvergences: warp.take_reconvergences(),
                };
                self.traces.list(launch.number(id.cta), trace);
            }
        }
    }

    /// The result of the run, which ended with this status.
    pub(super) fn result(mut self, status: Status) -> RunResult {
        for (_, mut cluster) in std::mem::take(&mut self.suspended) {
            self.collect(&mut cluster);
        }
        let GridState { spaces, mut state, extra } = self.grid;
        let status = W::final_status(status, &extra);
        let last_store = state.sanitizer.as_ref().and_then(|sanitizer| sanitizer.watch.as_ref()?.last);
        let order_log = state.order_log.take();
        let findings = state.into_findings();
        let base = spaces.launch.raw().0;
        let accesses = spaces.access_set.filter(|_| self.launch.options.coverage);
        let accessed = accesses.map(|accesses| Box::new(accesses.into_launch(base)));
        let result = self.traces.finish(status, findings, spaces.launch, spaces.printed.finish());
        RunResult { last_store, accessed, order_log, ..result }
    }
}
