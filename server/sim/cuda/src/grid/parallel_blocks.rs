//! Runs blocks on several threads, which the caller provides, with the same result as a sequential run.
//!
//! A run starts on one thread. After a number of steps, the remaining blocks are divided into ranges. Each worker has a copy
//! of the memory as of the start of the first ranges, so a range sees that state and its own writes. This equals a
//! sequential run unless the range accesses memory that another range writes; the access sets show whether it does. If so,
//! or if any block does not exit normally, the results are discarded and the run continues sequentially. Programs that
//! depend on the order of blocks in other ways, because they read the clock, print or allocate, never run in parallel.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use warplens_sim_warp::listing::Listing;
use warplens_sim_warp::trace::{Cancelled, Control, Finding, Progress, Workers};

use super::cluster::ClusterReports;
use super::sequential_blocks::SequentialBlocks;
use crate::memory::access_set::AccessSet;
use crate::memory::spaces::Spaces;
use crate::race_context::RaceContext;
use crate::run_state::RunState;

/// Ranges per worker: with more ranges, the wait for the last one is shorter.
const RANGES_PER_WORKER: u64 = 8;
const MAX_RANGE: u64 = 256;
/// How much longer than in a sequential run a cluster may run before it counts as waiting: it would wait in vain, but most
/// long ones only compute.
const LONGER_TURNS: u64 = 16;
/// Limit of the copies of device memory, all together, in bytes.
const MAX_COPIES: u64 = 256 << 20;

/// The threads that may run blocks in parallel.
pub(super) struct ParallelBlocks<'a> {
    /// `None` if blocks must run sequentially.
    workers: Option<&'a dyn Workers>,
}

impl<'a> ParallelBlocks<'a> {
    /// Decides whether blocks may run in parallel, and enables the recording of accesses if so.
    pub(super) fn new<W: ClusterReports>(run: &mut SequentialBlocks<'a, '_, W>) -> ParallelBlocks<'a> {
        let options = &run.launch.options;
        let alone = run.launch.clusters() < 3
            || run.launch.clusters() > run.launch.max_clusters()
            || options.trace.is_some()
            || options.watch.is_some()
            || options.schedule.is_some()
            || options.log_order
            // Each range would have to know what others have written.
            || options.checks.uninitialized && !run.launch.uninitialized.is_empty()
            || W::depends_on_order(run.launch);
        let workers = run.control.workers.filter(|workers| !alone && workers.count() > 1);
        let records = workers.is_some() || options.coverage;
        run.grid.spaces.access_set = records.then(|| Box::new(run.grid.spaces.new_access_set()));
        ParallelBlocks { workers }
    }

    /// Runs all clusters from `next` on in parallel, if that is possible and worthwhile. Returns `false` if the run must
    /// continue sequentially.
    pub(super) fn take_over<W: ClusterReports>(
        &mut self,
        run: &mut SequentialBlocks<'a, '_, W>,
        next: u64,
    ) -> Result<bool, Cancelled> {
        let left = run.launch.clusters() - next;
        let Some(workers) = self.workers else { return Ok(false) };
        if left < 2 || run.grid.state.steps < workers.worth() {
            return Ok(false);
        }
        self.workers = None;
        // For coverage, they are kept in case the run continues sequentially.
        let accesses = match run.launch.options.coverage {
            true => run.grid.spaces.access_set.clone(),
            false => run.grid.spaces.access_set.take(),
        };
        // Before memory changes, the first turn of a warp may depend on the steps of the launch.
        let can_start = run.suspended.is_empty() && run.grid.spaces.changes > 0;
        let Some(accesses) = accesses.filter(|_| can_start) else { return Ok(false) };
        let slots = slots(run, workers.count() as u64);
        if slots < 2 {
            return Ok(false);
        }
        let shadow = run.grid.state.sanitizer.as_ref().map_or(Some(0), |sanitizer| sanitizer.memory.left());
        let Some(shadow) = shadow else { return Ok(false) };
        let range = (left / (slots * RANGES_PER_WORKER)).clamp(1, MAX_RANGE);
        let merged = MergedResults { accesses, spaces: run.grid.spaces.clone(), ranges: Vec::new() };
        let table = WorkQueue {
            run,
            next: AtomicU64::new(next),
            range,
            slots: AtomicU64::new(slots),
            steps: AtomicU64::new(run.grid.state.counted_steps()),
            blocks_done: AtomicU64::new(run.blocks_done),
            shadow: AtomicU64::new(shadow),
            share: shadow / slots,
            max_bytes: run.max_bytes / slots,
            failed: AtomicBool::new(false),
            merged: Mutex::new(merged),
        };
        workers.together(&|| table.work());
        if (run.control.cancelled)() {
            return Err(Cancelled);
        }
        let WorkQueue { failed, merged, steps, .. } = table;
        if failed.into_inner() {
            return Ok(false);
        }
        run.grid.state.steps = steps.into_inner() - run.grid.state.charged;
        merged.into_inner().unwrap_or_else(PoisonError::into_inner).complete(run);
        Ok(true)
    }
}

/// How many clusters may run at once: each needs a copy of memory, and one more copy receives the merged results.
fn slots<W: ClusterReports>(run: &mut SequentialBlocks<'_, '_, W>, workers: u64) -> u64 {
    let size = run.grid.spaces.launch.size() + run.grid.spaces.globals.size();
    let copies = MAX_COPIES / size.max(1);
    let of_cluster = run.left.as_mut().map_or(0, |left| {
        left.measure();
        left.bytes
    });
    copies.saturating_sub(1).min(workers).min(run.max_bytes / of_cluster.max(1))
}

struct BlockRange {
    first: u64,
    findings: Vec<Finding>,
    races: RaceContext,
    traces: Listing,
}

/// The merged results of completed ranges. The order of merging does not matter, because ranges are independent.
struct MergedResults {
    accesses: Box<AccessSet>,
    spaces: Spaces,
    ranges: Vec<BlockRange>,
}

impl MergedResults {
    /// Completes the run with the results, in the order of the blocks.
    fn complete<W: ClusterReports>(self, run: &mut SequentialBlocks<'_, '_, W>) {
        let MergedResults { accesses, spaces, mut ranges } = self;
        run.grid.spaces = Spaces { access_set: Some(accesses), ..spaces };
        run.blocks_done = run.launch.blocks();
        ranges.sort_unstable_by_key(|range| range.first);
        for BlockRange { findings, races, traces, .. } in ranges {
            run.grid.state.races.merge(races);
            findings.into_iter().for_each(|finding| run.grid.state.report(finding));
            run.traces.append(traces);
        }
    }
}

struct WorkQueue<'t, 'a, 'p, W: ClusterReports> {
    run: &'t SequentialBlocks<'a, 'p, W>,
    next: AtomicU64,
    range: u64,
    /// How many more workers may start; each needs a copy of the memory.
    slots: AtomicU64,
    steps: AtomicU64,
    blocks_done: AtomicU64,
    /// Bytes of shadow memory that a sequential run would have left.
    shadow: AtomicU64,
    /// Bytes of shadow memory for each range.
    share: u64,
    /// Bytes of the unfinished blocks of each worker.
    max_bytes: u64,
    /// Whether the run must continue sequentially.
    failed: AtomicBool,
    merged: Mutex<MergedResults>,
}

impl<W: ClusterReports> WorkQueue<'_, '_, '_, W> {
    fn work(&self) {
        let place = |slots: u64| slots.checked_sub(1);
        if self.slots.fetch_update(Ordering::Relaxed, Ordering::Relaxed, place).is_err() {
            return;
        }
        let reported = AtomicU64::new(0);
        let control = Control {
            cancelled: &|| self.failed.load(Ordering::Relaxed) || (self.run.control.cancelled)(),
            progress: &|progress| self.report_progress(progress.steps, &reported),
            workers: None,
            steps: None,
            tap: None,
        };
        let (spaces, extra) = (self.run.grid.spaces.clone(), self.run.grid.extra.clone());
        let mut run = SequentialBlocks::<W>::new(self.run.launch, spaces, extra, control);
        run.grid.spaces.access_set = Some(Box::new(run.grid.spaces.new_access_set()));
        run.max_bytes = self.max_bytes;
        run.turn = run.turn.saturating_mul(LONGER_TURNS);
        run.keeps_findings = false;
        loop {
            let first = self.next.fetch_add(self.range, Ordering::Relaxed);
            let end = first.saturating_add(self.range).min(run.launch.clusters());
            if first >= end {
                return;
            }
            if !self.run_range(&mut run, first..end, &reported) {
                self.failed.store(true, Ordering::Relaxed);
                return;
            }
        }
    }

    /// Runs clusters and merges their results; `false` if the run must continue sequentially.
    fn run_range(
        &self,
        run: &mut SequentialBlocks<'_, '_, W>,
        clusters: std::ops::Range<u64>,
        reported: &AtomicU64,
    ) -> bool {
        let first = clusters.start;
        if let Some(sanitizer) = &mut run.grid.state.sanitizer {
            sanitizer.memory.budget = self.share;
        }
        for number in clusters.clone() {
            if !matches!(run.next_cluster(number), Ok(None)) || !run.suspended.is_empty() {
                return false;
            }
        }
        self.report_progress(run.grid.state.counted_steps(), reported);
        reported.store(0, Ordering::Relaxed);
        let blocks = run.launch.blocks() / run.launch.clusters() * (clusters.end - first);
        self.blocks_done.fetch_add(blocks, Ordering::Relaxed);
        if !self.reserve_shadow(&run.grid.state) || run.grid.extra != self.run.grid.extra {
            return false;
        }
        let state = RunState::new(&run.launch.options, W::sanitizer(run.launch));
        let state = std::mem::replace(&mut run.grid.state, state);
        let traces = std::mem::take(&mut run.traces);
        let mut merged = self.merged.lock().unwrap_or_else(PoisonError::into_inner);
        merged.ranges.push(BlockRange { first, findings: state.findings, races: state.races, traces });
        let MergedResults { accesses, spaces, .. } = &mut *merged;
        let Some(mut theirs) = run.grid.spaces.access_set.take() else { return false };
        let apart = accesses.absorb(&mut theirs, run.grid.spaces.device_bytes(), spaces.device_bytes_mut());
        run.grid.spaces.access_set = Some(theirs);
        apart
    }

    /// Whether the shadow memory of this range and of all others fits the budget, as it must in a sequential run.
    fn reserve_shadow(&self, state: &RunState) -> bool {
        let Some(sanitizer) = &state.sanitizer else { return true };
        let Some(left) = sanitizer.memory.left() else { return false };
        let take = |all: u64| all.checked_sub(self.share - left.min(self.share));
        self.shadow.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }

    /// Called when a worker has executed `steps` steps of its range; `reported` is the number that it reported last.
    fn report_progress(&self, steps: u64, reported: &AtomicU64) {
        let new = steps - reported.swap(steps, Ordering::Relaxed);
        let steps = self.steps.fetch_add(new, Ordering::Relaxed) + new;
        if steps > self.run.launch.options.limits.max_steps {
            self.failed.store(true, Ordering::Relaxed);
        }
        (self.run.control.progress)(Progress {
            steps,
            blocks_done: self.blocks_done.load(Ordering::Relaxed),
            blocks: self.run.launch.blocks(),
        });
    }
}
