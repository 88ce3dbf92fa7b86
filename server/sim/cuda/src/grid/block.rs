//! A block: runs its warps in index order, each until it waits, exits or spins.

use std::ops::Range;

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::lanes::LaneSet;
use warplens_sim_warp::schedule::{Switch, Turns};
use warplens_sim_warp::trace::{Finding, Related, Severity, Status, WarpId};

use super::barrier::{Barrier, COUNT, Waiting};
use super::cluster_barrier::ClusterBarrier;
use super::livelock::Livelock;
use super::pause::{Arrival, ArrivalForm, ClusterAction, ClusterArrival, Pause, Wake};
use super::warp::{CudaWarp, GridState};
use crate::memory::spaces::Spaces;
use crate::registers::WIDTH;
use crate::run_state::RunState;
use crate::sanitizer::BlockSanitizer;
use crate::sanitizer::barrier_reuse::BarrierArrival;
use crate::work::ARRIVAL_STEPS;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockPause {
    Ended,
    /// The block waits for a condition that only other blocks can satisfy.
    Stuck,
    /// The block could continue, but it may be waiting for others in a way that its warps do not notice.
    TurnOver,
    Due,
    /// In a run under a schedule: other threads continue, those that the switch tells apart.
    Preempted(Switch),
    Stopped(Status),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WarpState {
    Ready,
    /// The warp could execute its next statement, but the schedule lets others continue.
    Preempted,
    /// All groups wait at barriers.
    Waiting,
    /// The warp repeats an iteration until the memory that it polls changes. Holds the count of memory changes at that time.
    Spinning(u64),
    /// The warp polls memory, but may also stop by itself. Holds the count of memory changes at that time.
    Polling(u64),
    /// The warp's test of an mbarrier failed, or it sleeps. Holds the count of memory changes at that time.
    Yielding(u64),
    Ended,
}

#[derive(Clone)]
pub struct Block<W: CudaWarp> {
    pub cta: [u32; 3],
    pub warps: Vec<W>,
    states: Vec<WarpState>,
    barriers: [Barrier<W::Wait>; COUNT],
    /// The barriers at which threads have arrived, one bit each.
    reached: u32,
    pub(super) sanitizer: BlockSanitizer,
    rank: usize,
    turns: Turns,
}

impl<W: CudaWarp> Block<W> {
    pub(super) fn new(launch: &W::Launch<'_>, cta: [u32; 3], rank: usize) -> Block<W> {
        Block::of((0..launch.warps()).map(|warp| W::new(launch, cta, warp)).collect(), launch, cta, rank)
    }

    /// A new block that reuses the warps of a finished one, whose traces have been collected.
    pub(super) fn renewed(self, launch: &W::Launch<'_>, cta: [u32; 3]) -> Block<W> {
        let Block { mut warps, rank, .. } = self;
        warps.iter_mut().for_each(|warp| warp.renew(launch, cta));
        Block::of(warps, launch, cta, rank)
    }

    fn of(warps: Vec<W>, launch: &W::Launch<'_>, cta: [u32; 3], rank: usize) -> Block<W> {
        Block {
            cta,
            states: vec![WarpState::Ready; warps.len()],
            barriers: Default::default(),
            reached: 0,
            sanitizer: BlockSanitizer::new(&launch.grid, cta, warps.len()),
            warps,
            rank,
            turns: Turns::default(),
        }
    }

    pub(super) fn id(&self, warp: usize) -> WarpId {
        WarpId { cta: self.cta, warp: warp as u32 }
    }

    /// Runs until the block has exited, cannot continue by itself, or the caller's control is due.
    pub(super) fn run(
        &mut self,
        launch: &W::Launch<'_>,
        grid: &mut GridState<W>,
        cluster: &mut ClusterBarrier,
    ) -> BlockPause {
        // Other blocks may have arrived at the cluster's barrier.
        self.complete_barriers(launch, &mut grid.state, cluster);
        while let Some(index) = self.next_warp(grid) {
            self.turns.begin(index);
            if let Some(pause) = self.run_warp(index, launch, grid, cluster) {
                return pause;
            }
            self.turns.end(self.warps.len());
            if grid.state.steps >= grid.state.turn_end && self.states.contains(&WarpState::Ready) {
                return BlockPause::TurnOver;
            }
        }
        let ended = self.states.iter().all(|state| *state == WarpState::Ended);
        if ended { BlockPause::Ended } else { BlockPause::Stuck }
    }

    /// The next warp that can run: warps take turns, unless the schedule has another order.
    fn next_warp(&mut self, grid: &mut GridState<W>) -> Option<usize> {
        let count = self.warps.len();
        self.turns.choose_order(grid.state.scheduler.as_deref_mut(), count);
        (0..count).find_map(|place| {
            let index = self.turns.member(place, count);
            self.is_ready(index, &grid.spaces).then_some(index)
        })
    }

    /// Whether a warp can run. A warp that polls memory can run once that memory has changed.
    fn is_ready(&mut self, index: usize, spaces: &Spaces) -> bool {
        let (warp, state) = (&mut self.warps[index], &mut self.states[index]);
        let yields = matches!(state, WarpState::Yielding(_));
        match state {
            WarpState::Ready | WarpState::Preempted => true,
            WarpState::Waiting | WarpState::Ended => false,
            WarpState::Spinning(changes) | WarpState::Polling(changes) | WarpState::Yielding(changes) => {
                if *changes == spaces.changes {
                    return false;
                }
                *changes = spaces.changes;
                // Nothing is known about what a sleeping warp waits for.
                let polled = warp.polled().filter(|polled| !yields || !polled.values.is_empty());
                let is_ready = polled.is_none_or(|polled| spaces.has_changed(polled));
                if is_ready && !yields {
                    warp.wake(Wake::Changed);
                }
                is_ready
            }
        }
    }

    /// Whether warps that iterate over barriers may release others that wait there.
    pub(super) fn opens_barriers(&self) -> bool {
        let mut warps = self.states.iter().zip(&self.warps);
        warps.any(|(state, warp)| matches!(state, WarpState::Polling(_)) && warp.at_barriers().is_some())
    }

    /// Adds the block's warps to those that can only wait; `false` if a warp may do something else. `changes` counts changes
    /// of memory.
    pub(super) fn add_to(&self, livelock: &mut Livelock, changes: u64) -> bool {
        self.states.iter().zip(&self.warps).all(|(state, warp)| {
            // The warp repeats the iteration that it has executed since memory changed last.
            let repeats = warp.at_barriers() == Some(changes);
            match (state, warp.polled()) {
                (WarpState::Ended, _) | (WarpState::Spinning(_), None) => true,
                (WarpState::Waiting, _) => !livelock.opens_barriers || repeats,
                (WarpState::Spinning(_), Some(polled)) => livelock.add(polled, &[]),
                (WarpState::Polling(_), None) => repeats,
                (WarpState::Polling(_), Some(polled)) => match &polled.writes {
                    Some(writes) if repeats || warp.at_barriers().is_none() => livelock.add(polled, writes),
                    _ => false,
                },
                (WarpState::Ready | WarpState::Preempted | WarpState::Yielding(_), _) => false,
            }
        })
    }

    /// Lets warps that only poll memory continue although it has not changed: they may stop by themselves, for example after
    /// a time-out. Returns whether there were any, and whether any of them reads the clock.
    pub(super) fn continue_polling(&mut self) -> (bool, bool) {
        let (mut any, mut reads_clock) = (false, false);
        for (state, warp) in self.states.iter_mut().zip(&mut self.warps) {
            if let WarpState::Polling(_) = state {
                (*state, any) = (WarpState::Ready, true);
                reads_clock |= warp.polled().is_none_or(|polled| polled.reads_clock);
                warp.wake(Wake::Turn);
            }
        }
        (any, reads_clock)
    }

    /// Wakes warps whose mbarrier tests failed, if no other warp of the cluster can run: they may have other work, or spin
    /// until that is detected. Returns whether there were any.
    pub(super) fn wake(&mut self) -> bool {
        let mut any = false;
        for (state, warp) in self.states.iter_mut().zip(&mut self.warps) {
            if let WarpState::Yielding(_) = state {
                (*state, any) = (WarpState::Ready, true);
                warp.wake(Wake::Alone);
            }
        }
        any
    }

    /// Releases a group that waits for other lanes only because of the model, if no other warp can run in this or another
    /// block.
    pub(super) fn force_progress(&mut self) -> bool {
        let released = self.warps.iter_mut().position(W::force_progress);
        released.map(|index| self.states[index] = WarpState::Ready).is_some()
    }

    fn run_warp(
        &mut self,
        index: usize,
        launch: &W::Launch<'_>,
        grid: &mut GridState<W>,
        cluster: &mut ClusterBarrier,
    ) -> Option<BlockPause> {
        let has_paused = self.states[index] == WarpState::Preempted;
        grid.state.scheduler.iter_mut().for_each(|scheduler| scheduler.runs(has_paused));
        self.states[index] = WarpState::Ready;
        loop {
            let pause = self.warps[index].run(launch, grid);
            let changes = grid.spaces.changes;
            self.states[index] = match pause {
                Pause::Ended => {
                    launch.tap.iter().for_each(|tap| tap.ended(self.id(index), grid.state.steps));
                    WarpState::Ended
                }
                Pause::Waiting => WarpState::Waiting,
                Pause::Spinning => WarpState::Spinning(changes),
                Pause::Polling => WarpState::Polling(changes),
                Pause::Yielding => WarpState::Yielding(changes),
                Pause::TurnOver => WarpState::Ready,
                Pause::Due => return Some(BlockPause::Due),
                Pause::Preempted => match self.preempt(index, grid) {
                    None => continue,
                    Some(Switch::Warp) => return None,
                    Some(switch) => return Some(BlockPause::Preempted(switch)),
                },
                Pause::Stopped(status) => return Some(BlockPause::Stopped(status)),
                Pause::Arrived(arrival) => {
                    match self.arrive(index, &arrival, launch, &mut grid.state, cluster) {
                        // The warp that completes a barrier has had its turn, like the others that arrived at it.
                        Ok(true) => return None,
                        Ok(false) => continue,
                        Err(status) => return Some(BlockPause::Stopped(status)),
                    }
                }
                Pause::ArrivedAtCluster(arrival) => {
                    match self.arrive_at_cluster(index, arrival, launch, &mut grid.state, cluster) {
                        true => return None,
                        false => continue,
                    }
                }
            };
            if grid.state.scheduler.is_some() {
                self.recheck(index, &grid.spaces);
            }
            if matches!(self.states[index], WarpState::Ended | WarpState::Waiting) {
                // Lanes may have exited in the meantime, and others may be waiting only for these.
                self.complete_barriers(launch, &mut grid.state, cluster);
            }
            return None;
        }
    }

    /// A warp has paused before a statement that synchronizes. Returns the switch to others, if there is one.
    fn preempt(&mut self, index: usize, grid: &mut GridState<W>) -> Option<Switch> {
        let scheduler = grid.state.scheduler.as_mut()?;
        grid.spaces.lane_order = scheduler.lane_order(WIDTH as u32);
        if let Some(chosen) = scheduler.completes(grid.spaces.asynchronous.in_flight() as usize) {
            grid.spaces.complete_chosen(chosen);
        }
        let switch = scheduler.paused()?;
        self.states[index] = WarpState::Preempted;
        self.turns.postpone(index);
        Some(switch)
    }

    /// The memory that the warp polls may have changed within the iteration that it repeats, while others ran.
    fn recheck(&mut self, index: usize, spaces: &Spaces) {
        let warp = &mut self.warps[index];
        let polls = matches!(self.states[index], WarpState::Spinning(_) | WarpState::Polling(_));
        if polls && warp.polled().is_some_and(|polled| spaces.has_changed(polled)) {
            warp.wake(Wake::Changed);
            self.states[index] = WarpState::Ready;
        }
    }

    /// Lanes arrive at a barrier. Returns whether they wait there and complete it.
    fn arrive(
        &mut self,
        index: usize,
        arrival: &Arrival<W::Wait>,
        launch: &W::Launch<'_>,
        state: &mut RunState,
        cluster: &mut ClusterBarrier,
    ) -> Result<bool, Status> {
        let (warps, id) = (self.warps.len(), self.id(index));
        let &Arrival { number, count, mask, statement, .. } = arrival;
        let Some(barrier) = self.barriers.get_mut(number as usize) else {
            let message = format!("{number}, a block has the barriers 0 to {}", COUNT - 1);
            state.report(id.finding(FindingKind::BarrierNumber, message, statement, mask));
            return Err(Status::Faulted);
        };
        if let Some(theirs) = barrier.disagrees(warps, count) {
            state.report(mismatch(id, arrival, theirs));
        }
        if let Some(theirs) = barrier.differs(arrival.form)
            && state.sanitizer.is_some()
        {
            state.report(intermixed(id, arrival, theirs));
        }
        barrier.arrive(warps, index, arrival);
        state.charge(ARRIVAL_STEPS);
        self.reached |= 1 << number;
        let (warp, live, waits) = (index as u32, self.warps[index].live(), arrival.wait.is_some());
        let arrived = BarrierArrival { barrier: number, warp, live, mask: arrival.arrived, statement, waits };
        let early = state.sanitizer.as_mut().and_then(|sanitizer| sanitizer.arrived(arrived));
        early.into_iter().for_each(|finding| state.report(finding));
        self.complete_barriers(launch, state, cluster);
        Ok(arrival.wait.is_some() && self.barriers[number as usize].waiting.is_empty())
    }

    /// Lanes arrive at the barrier of the cluster. Returns whether they wait there and complete it.
    fn arrive_at_cluster(
        &mut self,
        index: usize,
        arrival: ClusterArrival,
        launch: &W::Launch<'_>,
        state: &mut RunState,
        cluster: &mut ClusterBarrier,
    ) -> bool {
        let ClusterArrival { mask, statement, action } = arrival;
        let waits = action == ClusterAction::Wait;
        if action == ClusterAction::ArriveRelaxed
            && let Some(sanitizer) = &mut state.sanitizer
        {
            sanitizer.arrived_relaxed(index as u32, mask);
        }
        state.charge(ARRIVAL_STEPS);
        let number = self.warps_in_cluster().start + index;
        let (wrong, what) = match waits {
            true => {
                let group = Waiting { warp: number, mask, statement, wait: () };
                (cluster.wait(group), "a wait without an arrival")
            }
            false => (cluster.arrive(number, mask), "a second arrival without a wait"),
        };
        if wrong != 0 {
            let message =
                format!("{what} in {}\neach thread must arrive and wait in turn", LaneSet(wrong.into()));
            state.report(self.id(index).finding(FindingKind::ClusterBarrier, message, statement, wrong));
        }
        self.complete_barriers(launch, state, cluster);
        waits && !cluster.waiting(number..number + 1).any(|group| group.mask == mask)
    }

    /// Completes every barrier that all threads have reached.
    fn complete_barriers(
        &mut self,
        launch: &W::Launch<'_>,
        state: &mut RunState,
        cluster: &mut ClusterBarrier,
    ) {
        let reached = self.reached;
        for number in (0..COUNT).filter(|number| reached >> number & 1 == 1) {
            let barrier = &mut self.barriers[number];
            if !barrier.is_complete(self.warps.iter().map(W::live)) {
                continue;
            }
            self.reached &= !(1 << number);
            if let Some(sanitizer) = &mut state.sanitizer {
                let live = self.warps.iter().map(W::live);
                sanitizer.barrier_completed(number as u32, barrier.waiting_lanes(), live);
            }
            for group in &barrier.waiting {
                release(&mut self.states[group.warp]);
                let warp = &mut self.warps[group.warp];
                warp.pass_barrier(launch, group.mask, group.statement, group.wait, barrier.votes);
            }
            barrier.reset();
        }
        let own = self.warps_in_cluster();
        let groups = cluster.open(own.clone(), self.warps.iter().map(W::live));
        if let Some(sanitizer) = &mut state.sanitizer {
            sanitizer.cluster_barrier_completed(cluster.phases(), self.warps.iter().map(W::live));
        }
        for group in groups {
            let warp = group.warp - own.start;
            self.warps[warp].pass_cluster_barrier(group.mask);
            release(&mut self.states[warp]);
        }
    }

    /// The numbers of the block's warps within the cluster.
    pub(super) fn warps_in_cluster(&self) -> Range<usize> {
        let count = self.warps.len();
        self.rank * count..(self.rank + 1) * count
    }

    /// The barriers with their numbers.
    pub(super) fn barriers(&self) -> impl Iterator<Item = (usize, &Barrier<W::Wait>)> {
        self.barriers.iter().enumerate()
    }

    /// The groups that wait at barriers of the block, as warp, lanes and statement.
    pub(super) fn waiting_in_block(&self) -> impl Iterator<Item = (usize, u32, u32)> {
        let groups = self.barriers.iter().flat_map(|barrier| &barrier.waiting);
        groups.map(|group| (group.warp, group.mask, group.statement))
    }

    /// How many warps could execute their next statement, and how many poll memory.
    pub(super) fn activity(&self) -> (usize, usize) {
        let count = |polls: bool| {
            let is_of_kind = |state: &&WarpState| match state {
                WarpState::Ended | WarpState::Waiting => false,
                WarpState::Ready | WarpState::Preempted => !polls,
                WarpState::Spinning(_) | WarpState::Polling(_) | WarpState::Yielding(_) => polls,
            };
            self.states.iter().filter(is_of_kind).count()
        };
        (count(false), count(true))
    }

    /// The lanes that run, each in a warp of its own; `None` if there are more than `max`, or [`CudaWarp::lone_lanes`] fails.
    pub(super) fn lone_lanes(&self, launch: &W::Launch<'_>, max: usize) -> Option<Vec<W>> {
        let mut lanes = Vec::new();
        for (state, warp) in self.states.iter().zip(&self.warps) {
            if !matches!(state, WarpState::Ended | WarpState::Waiting) {
                lanes.extend(warp.lone_lanes(launch)?);
            }
            if lanes.len() > max {
                return None;
            }
        }
        Some(lanes)
    }

    /// No warp can end: those that run only poll memory.
    pub(super) fn stand_still(&mut self, changes: u64) {
        let running = self.states.iter_mut().filter(|state| **state == WarpState::Ready);
        running.for_each(|state| *state = WarpState::Spinning(changes));
    }

    pub fn waiting_for_memory(&self) -> impl Iterator<Item = &W> {
        let waits = |state: &WarpState| {
            matches!(state, WarpState::Spinning(_) | WarpState::Polling(_) | WarpState::Yielding(_))
        };
        self.states.iter().zip(&self.warps).filter(move |(state, _)| waits(state)).map(|(_, warp)| warp)
    }

    /// Bytes of host memory that the block uses while it is not running.
    pub(super) fn bytes(&self) -> u64 {
        let warps = self.warps.iter().map(|warp| warp.bytes() + size_of::<W>() as u64);
        warps.sum::<u64>() + self.sanitizer.local_bytes() + size_of::<Self>() as u64
    }

    pub(super) fn running(&self) -> Option<&W> {
        self.warps.get(self.turns.current())
    }
}

/// A group of the warp continues after a barrier.
fn release(state: &mut WarpState) {
    if *state == WarpState::Waiting {
        *state = WarpState::Ready;
    }
}

/// Reports that threads arriving at one barrier specify different counts. `theirs` is the statement of earlier arrivals, and their
/// count.
fn mismatch<W>(warp: WarpId, arrival: &Arrival<W>, theirs: (u32, Option<u32>)) -> Finding {
    let &Arrival { number, count, mask, statement, .. } = arrival;
    let how_many = |count: Option<u32>| count.map_or("all".to_owned(), |count| count.to_string());
    let (other, theirs) = (theirs.0, how_many(theirs.1));
    let message = format!(
        "barrier {number} expects {} threads in {}\nand {theirs} in threads that arrived before; use one count, or another barrier",
        how_many(count),
        LaneSet(mask.into()),
    );
    let finding = warp.finding(FindingKind::BarrierMismatch, message, statement, mask);
    finding.with([Related::new(other, format!("threads here expect {theirs}"))])
}

/// Reports that threads arrive at one barrier with and without a reduction, or with different ones (PTX ISA, `barrier`). `theirs` is the
/// statement and the form of an earlier arrival.
fn intermixed<W>(warp: WarpId, arrival: &Arrival<W>, (other, theirs): (u32, ArrivalForm)) -> Finding {
    let &Arrival { number, mask, statement, form, .. } = arrival;
    let is_mixed = [form, theirs].contains(&ArrivalForm::Plain);
    let (what, severity) = match is_mixed {
        true => ("with and without a reduction", Severity::Error),
        false => ("with different reductions", Severity::Warning),
    };
    let message = format!(
        "threads arrive at barrier {number} {what}\nthe result is unpredictable; make all threads execute the same `bar.red`, or use \
         another barrier"
    );
    let finding = warp.finding(FindingKind::BarrierMismatch, message, statement, mask);
    finding.with_severity(severity).with([Related::new(other, "another form arrives here".to_owned())])
}
