//! Blocks on many threads, which the caller owns: with the result that they have one after the other.
//!
//! A run begins on one thread. Once it has lasted a while and blocks are left, these are dealt out in ranges. A worker has
//! memory of its own, as it was when the first ranges began, so a range sees what was there before and what it has
//! written itself. That is what it would see in its turn, unless it touches what another range writes; whether that happens
//! is found out from what each accesses. Then, or if anything but the end of all blocks comes to pass, nothing of the ranges
//! counts, and the run goes on alone. What a run cannot know before its turn, programs that ask for it are not dealt out: the
//! clock, and the order of what is printed and allocated.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashSet;

use super::sequential_blocks::{CollectedTraces, SequentialBlocks};
use crate::ptx::engine::memory::access_set::AccessSet;
use crate::ptx::engine::memory::spaces::Spaces;
use crate::ptx::engine::run_state::RunState;
use crate::ptx::program::Op;
use crate::trace::{Cancelled, Control, Finding, Progress, StatementId, Workers};

/// Stretches for each worker: the more, the less they wait for the last one.
const RANGES_PER_WORKER: u64 = 8;
/// Blocks of a range at most.
const MAX_RANGE: u64 = 256;

/// Those who may take over from the thread that a run began on.
pub(crate) struct ParallelBlocks<'a> {
    /// `None` where blocks must run one after the other.
    workers: Option<&'a dyn Workers>,
}

impl<'a> ParallelBlocks<'a> {
    /// Decides who could help, and has the run note what it touches if somebody could.
    pub(crate) fn new(run: &mut SequentialBlocks<'a>) -> ParallelBlocks<'a> {
        let (program, options) = (run.launch.program, &run.launch.options);
        let mut code = program.functions.iter().flat_map(|function| &function.code);
        let alone = run.launch.clusters() < 3
            || run.launch.clusters() > options.limits.max_steps
            || options.trace.is_some()
            || program.calls_system()
            || options.trace.is_some()
            || code.any(|instruction| matches!(instruction.op, Op::Clock(_)));
        let workers = run.control.workers.filter(|workers| !alone && workers.count() > 1);
        run.spaces.access_set = workers.map(|_| Box::new(run.spaces.new_access_set()));
        ParallelBlocks { workers }
    }

    /// Runs all clusters from `next` on, if there is somebody for it, it is worth it, and it goes well.
    pub(crate) fn take_over(&mut self, run: &mut SequentialBlocks<'a>, next: u64) -> Result<bool, Cancelled> {
        let left = run.launch.clusters() - next;
        let Some(workers) = self.workers else { return Ok(false) };
        if left < 2 || run.state.steps < workers.worth() {
            return Ok(false);
        }
        self.workers = None;
        let accesses = run.spaces.access_set.take();
        let Some(accesses) = accesses.filter(|_| run.suspended.is_empty()) else { return Ok(false) };
        let size = run.spaces.launch.size() + run.spaces.globals.size();
        let limits = &run.launch.options.limits;
        let room = limits.max_memory / size.max(1);
        let slots = room.saturating_sub(2).min(workers.count() as u64);
        if slots < 2 {
            return Ok(false);
        }
        let shadow = run.state.sanitizer.as_ref().map_or(Some(0), |sanitizer| sanitizer.budget());
        let Some(shadow) = shadow else { return Ok(false) };
        let range = (left / (slots * RANGES_PER_WORKER)).clamp(1, MAX_RANGE);
        let merged = MergedResults { accesses, spaces: run.spaces.clone(), ranges: Vec::new() };
        let table = WorkQueue {
            run,
            next: AtomicU64::new(next),
            range,
            slots: AtomicU64::new(slots),
            steps: AtomicU64::new(run.state.steps),
            blocks_done: AtomicU64::new(run.blocks_done),
            shadow: AtomicU64::new(shadow),
            share: shadow / slots,
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
        let MergedResults { spaces, mut ranges, .. } =
            merged.into_inner().unwrap_or_else(PoisonError::into_inner);
        ranges.sort_unstable_by_key(|range| range.first);
        run.spaces = spaces;
        run.state.steps = steps.into_inner();
        run.blocks_done = run.launch.blocks();
        for BlockRange { findings, raced, traces, .. } in ranges {
            run.state.raced.extend(raced);
            findings.into_iter().for_each(|finding| run.state.report(finding));
            run.traces.append(traces);
        }
        Ok(true)
    }
}

/// What came of a range of blocks.
struct BlockRange {
    first: u64,
    findings: Vec<Finding>,
    raced: FxHashSet<StatementId>,
    traces: CollectedTraces,
}

/// What came of all ranges that are done, in any order: they have nothing to do with each other.
struct MergedResults {
    accesses: Box<AccessSet>,
    spaces: Spaces,
    ranges: Vec<BlockRange>,
}

/// What workers take ranges from and put them back to.
struct WorkQueue<'t, 'a> {
    /// The run as it was when they began.
    run: &'t SequentialBlocks<'a>,
    next: AtomicU64,
    range: u64,
    /// How many more may work, each with memory of its own.
    slots: AtomicU64,
    steps: AtomicU64,
    blocks_done: AtomicU64,
    /// Bytes of shadow memory that a run alone could still make.
    shadow: AtomicU64,
    /// Those that a range may make.
    share: u64,
    /// Whether the run must go on alone.
    failed: AtomicBool,
    merged: Mutex<MergedResults>,
}

impl WorkQueue<'_, '_> {
    /// What each worker does.
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
        };
        let mut run = SequentialBlocks::new(self.run.launch, self.run.spaces.clone(), control);
        run.spaces.access_set = Some(Box::new(run.spaces.new_access_set()));
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

    /// Runs clusters and merges what came of them; `false` if the run must go on alone.
    fn run_range(
        &self,
        run: &mut SequentialBlocks<'_>,
        clusters: std::ops::Range<u64>,
        reported: &AtomicU64,
    ) -> bool {
        let first = clusters.start;
        if let Some(sanitizer) = &mut run.state.sanitizer {
            sanitizer.limit(self.share);
        }
        for number in clusters.clone() {
            if !matches!(run.next_cluster(number), Ok(None)) || !run.suspended.is_empty() {
                return false;
            }
        }
        self.report_progress(run.state.steps, reported);
        reported.store(0, Ordering::Relaxed);
        let blocks = run.launch.blocks() / run.launch.clusters() * (clusters.end - first);
        self.blocks_done.fetch_add(blocks, Ordering::Relaxed);
        if !self.reserve_shadow(&run.state) {
            return false;
        }
        let state = std::mem::replace(&mut run.state, RunState::new(run.launch));
        let traces = std::mem::take(&mut run.traces);
        let mut merged = self.merged.lock().unwrap_or_else(PoisonError::into_inner);
        merged.ranges.push(BlockRange { first, findings: state.findings, raced: state.raced, traces });
        let MergedResults { accesses, spaces, .. } = &mut *merged;
        let Some(mut theirs) = run.spaces.access_set.take() else { return false };
        let apart = accesses.absorb(&mut theirs, run.spaces.device_bytes(), spaces.device_bytes_mut());
        run.spaces.access_set = Some(theirs);
        apart
    }

    /// Whether the shadow memory of a range has room beside that of the others, as it must have in a run alone.
    fn reserve_shadow(&self, state: &RunState) -> bool {
        let Some(sanitizer) = &state.sanitizer else { return true };
        let Some(left) = sanitizer.budget() else { return false };
        let take = |all: u64| all.checked_sub(self.share - left.min(self.share));
        self.shadow.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }

    /// A worker has come to so many steps of its range; `reported` is where it was.
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
