//! A block: runs its warps in index order, each until it waits, exits or spins.

use warplens_sim_cuda::memory::spaces::Spaces;
use warplens_sim_cuda::registers::WIDTH;
use warplens_sim_cuda::run_state::RunState;
use warplens_sim_cuda::sanitizer::BlockSanitizer;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::lanes::Lanes;
use warplens_sim_warp::trace::{Finding, Related, Status, WarpId};

use super::barrier::{COUNT, State};
use super::cluster_barrier::{self, ClusterBarrier};
use super::livelock::Livelock;
use crate::engine::exec::warp::{Arrival, Pause, Warp};
use crate::engine::launch::Launch;
use crate::engine::run_context::RunContext;
use crate::program::BarrierKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockPause {
    /// All threads have exited.
    Ended,
    /// The block waits for a condition that only other blocks can satisfy.
    Stuck,
    /// The caller's control is due.
    Due,
    /// The run is over.
    Stopped(Status),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WarpState {
    Ready,
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

enum Arrived {
    Continues,
    Waits,
    Completed,
}

pub(crate) struct Block {
    pub(crate) warps: Vec<Warp>,
    states: Vec<WarpState>,
    barriers: [State; COUNT],
    /// The barriers at which threads have arrived, one bit each.
    reached: u32,
    pub(crate) sanitizer: BlockSanitizer,
    /// The block's rank in the cluster.
    rank: usize,
    /// The warp whose turn it is.
    turn: usize,
}

impl Block {
    pub(crate) fn new(launch: &Launch<'_>, cta: [u32; 3], rank: usize) -> Block {
        Block::of((0..launch.warps()).map(|warp| Warp::new(launch, cta, warp)).collect(), launch, cta, rank)
    }

    /// A new block that reuses the warps of a finished one, whose traces have been collected.
    pub(crate) fn renewed(self, launch: &Launch<'_>, cta: [u32; 3]) -> Block {
        let Block { mut warps, rank, .. } = self;
        warps.iter_mut().for_each(|warp| warp.renew(launch, cta));
        Block::of(warps, launch, cta, rank)
    }

    fn of(warps: Vec<Warp>, launch: &Launch<'_>, cta: [u32; 3], rank: usize) -> Block {
        Block {
            states: vec![WarpState::Ready; warps.len()],
            barriers: Default::default(),
            reached: 0,
            sanitizer: BlockSanitizer::new(&launch.grid, cta, warps.len()),
            warps,
            rank,
            turn: 0,
        }
    }

    /// Runs until the block has exited, cannot continue by itself, or the caller's control is due.
    pub(crate) fn run(&mut self, run: &mut RunContext<'_>, cluster: &mut ClusterBarrier) -> BlockPause {
        // Other blocks may have arrived at the cluster's barrier.
        self.complete_barriers(run.launch, run.state, cluster);
        let mut idle = 0;
        while idle < self.warps.len() {
            let index = self.turn;
            if self.is_ready(index, run.spaces) {
                idle = 0;
                match self.run_warp(index, run, cluster) {
                    None => {}
                    Some(pause) => return pause,
                }
            } else {
                idle += 1;
            }
            self.turn = (index + 1) % self.warps.len();
        }
        let ended = self.states.iter().all(|state| *state == WarpState::Ended);
        if ended { BlockPause::Ended } else { BlockPause::Stuck }
    }

    /// Whether a warp can run. A warp that polls memory can run once that memory has changed.
    fn is_ready(&mut self, index: usize, spaces: &Spaces) -> bool {
        let warp = &mut self.warps[index];
        match &mut self.states[index] {
            WarpState::Ready => true,
            WarpState::Waiting | WarpState::Ended => false,
            WarpState::Spinning(changes) | WarpState::Polling(changes) | WarpState::Yielding(changes)
                if *changes == spaces.changes =>
            {
                false
            }
            // Nothing is known about what a sleeping warp waits for.
            WarpState::Yielding(_) if warp.polled.values.is_empty() => true,
            WarpState::Spinning(changes) | WarpState::Polling(changes) | WarpState::Yielding(changes) => {
                *changes = spaces.changes;
                let has_changed = spaces.has_changed(&warp.polled);
                if has_changed && !matches!(self.states[index], WarpState::Yielding(_)) {
                    warp.spin.woken();
                }
                has_changed
            }
        }
    }

    /// Adds the block's warps to those that can only wait; `false` if a warp may do something else. `changes` counts changes
    /// of memory.
    pub(crate) fn add_to(&self, livelock: &mut Livelock, changes: u64) -> bool {
        let iterates_barriers = |warp: &Warp| warp.polled.at_barriers == Some(changes);
        let warps = || self.states.iter().zip(&self.warps);
        // Warps that iterate over barriers release other warps that wait there.
        let opens_barriers = warps()
            .any(|(state, warp)| matches!(state, WarpState::Polling(_)) && warp.polled.at_barriers.is_some());
        warps().all(|(state, warp)| match state {
            WarpState::Ended => true,
            WarpState::Waiting => !opens_barriers || iterates_barriers(warp),
            WarpState::Spinning(_) => livelock.add(&warp.polled, &[]),
            WarpState::Polling(_) => match &warp.polled.writes {
                Some(writes) if warp.polled.at_barriers.is_none() || iterates_barriers(warp) => {
                    livelock.add(&warp.polled, writes)
                }
                _ => false,
            },
            WarpState::Ready | WarpState::Yielding(_) => false,
        })
    }

    /// Lets warps that only poll memory continue although it has not changed: they may stop by themselves, for example after
    /// a time-out. Returns whether there were any, and whether any of them reads the clock.
    pub(crate) fn continue_polling(&mut self) -> (bool, bool) {
        let (mut any, mut reads_clock) = (false, false);
        for (state, warp) in self.states.iter_mut().zip(&mut self.warps) {
            if let WarpState::Polling(_) = state {
                (*state, any) = (WarpState::Ready, true);
                reads_clock |= warp.polled.reads_clock;
                warp.spin.takes_turn(warp.polled.reads_clock);
            }
        }
        (any, reads_clock)
    }

    /// Wakes warps whose mbarrier tests failed, if no other warp of the cluster can run: they may have other work, or spin
    /// until that is detected. Returns whether there were any.
    pub(crate) fn wake(&mut self) -> bool {
        let mut any = false;
        for (state, warp) in self.states.iter_mut().zip(&mut self.warps) {
            if let WarpState::Yielding(_) = state {
                (*state, any) = (WarpState::Ready, true);
                warp.spin.hint();
            }
        }
        any
    }

    /// Releases a group that waits for other lanes only because of the model, if no other warp can run in this or another
    /// block.
    pub(crate) fn force_progress(&mut self) -> bool {
        let way = self.warps.iter_mut().position(|warp| warp.groups.force_progress());
        way.map(|index| self.states[index] = WarpState::Ready).is_some()
    }

    fn run_warp(
        &mut self,
        index: usize,
        run: &mut RunContext<'_>,
        cluster: &mut ClusterBarrier,
    ) -> Option<BlockPause> {
        self.states[index] = WarpState::Ready;
        loop {
            match self.warps[index].run(run) {
                Pause::Ended => {
                    self.states[index] = WarpState::Ended;
                    self.complete_barriers(run.launch, run.state, cluster);
                    return None;
                }
                Pause::Waiting => {
                    // Lanes may have exited in the meantime, and others may be waiting only for these.
                    self.states[index] = WarpState::Waiting;
                    self.complete_barriers(run.launch, run.state, cluster);
                    return None;
                }
                Pause::Spinning => {
                    self.states[index] = WarpState::Spinning(run.spaces.changes);
                    return None;
                }
                Pause::Polling => {
                    self.states[index] = WarpState::Polling(run.spaces.changes);
                    return None;
                }
                Pause::Yielding => {
                    self.states[index] = WarpState::Yielding(run.spaces.changes);
                    return None;
                }
                Pause::Due => return Some(BlockPause::Due),
                Pause::Stopped(status) => return Some(BlockPause::Stopped(status)),
                Pause::Arrived(arrival) => {
                    match self.arrive(index, arrival, run.launch, run.state, cluster) {
                        // The warp that completes a barrier has had its turn, like the others that arrived at it.
                        Ok(Arrived::Completed) => return None,
                        Ok(Arrived::Waits | Arrived::Continues) => {}
                        Err(status) => return Some(BlockPause::Stopped(status)),
                    }
                }
            }
        }
    }

    fn arrive(
        &mut self,
        index: usize,
        arrival: Arrival,
        launch: &Launch<'_>,
        state: &mut RunState,
        cluster: &mut ClusterBarrier,
    ) -> Result<Arrived, Status> {
        if matches!(arrival.barrier.kind, BarrierKind::ClusterArrive | BarrierKind::ClusterWait) {
            return Ok(self.arrive_at_cluster(index, arrival, launch, state, cluster));
        }
        let count = self.warps.len();
        let warp = &mut self.warps[index];
        let lane = arrival.mask.trailing_zeros() as usize % WIDTH;
        let Some(frame) = &warp.frames[arrival.frame as usize] else { return Ok(Arrived::Continues) };
        let value = |slot| frame.registers.get::<u32>(slot)[lane];
        let id = value(arrival.barrier.id);
        let expected = arrival.barrier.count.map(value);
        let Some(barrier) = self.barriers.get_mut(id as usize) else {
            let message = format!("{id}, a block has the barriers 0 to {}", COUNT - 1);
            state.report(warp.id.finding(
                FindingKind::BarrierNumber,
                message,
                arrival.statement,
                arrival.mask,
            ));
            return Err(Status::Faulted);
        };
        if let Some((other, theirs)) = barrier.disagrees(expected) {
            state.report(mismatch(warp.id, id, arrival, expected, (other, theirs)));
        }
        let waits = barrier.arrive(count, index, warp, arrival, expected);
        self.reached |= 1 << id;
        if waits {
            warp.groups.block(arrival.mask);
        }
        self.complete_barriers(launch, state, cluster);
        Ok(match (waits, self.barriers[id as usize].waiting().is_empty()) {
            (false, _) => Arrived::Continues,
            (true, false) => Arrived::Waits,
            (true, true) => Arrived::Completed,
        })
    }

    fn arrive_at_cluster(
        &mut self,
        index: usize,
        arrival: Arrival,
        launch: &Launch<'_>,
        state: &mut RunState,
        cluster: &mut ClusterBarrier,
    ) -> Arrived {
        let Arrival { barrier, mask, statement, .. } = arrival;
        let number = self.first_in_cluster() + index;
        let warp = &mut self.warps[index];
        let waits = barrier.kind == BarrierKind::ClusterWait;
        let wrong = if waits {
            warp.groups.block(arrival.mask);
            cluster.wait(cluster_barrier::Waiting { warp: number, mask, statement })
        } else {
            cluster.arrive(number, mask)
        };
        if wrong != 0 {
            let what = if waits { "a wait without an arrival" } else { "a second arrival without a wait" };
            let message =
                format!("{what} in {}\neach thread must arrive and wait in turn", Lanes(wrong.into()));
            state.report(warp.id.finding(FindingKind::ClusterBarrier, message, statement, wrong));
        }
        self.complete_barriers(launch, state, cluster);
        let still = cluster.waiting(number..number + 1).any(|group| group.mask == mask);
        match (waits, still) {
            (false, _) => Arrived::Continues,
            (true, true) => Arrived::Waits,
            (true, false) => Arrived::Completed,
        }
    }

    /// Completes every barrier that all threads have reached.
    fn complete_barriers(&mut self, launch: &Launch<'_>, state: &mut RunState, cluster: &mut ClusterBarrier) {
        let reached = self.reached;
        for number in (0..COUNT).filter(|number| reached >> number & 1 == 1) {
            let barrier = &mut self.barriers[number];
            if !barrier.is_complete(&self.warps) {
                continue;
            }
            self.reached &= !(1 << number);
            for waiting in barrier.waiting() {
                if self.states[waiting.warp] == WarpState::Waiting {
                    self.states[waiting.warp] = WarpState::Ready;
                }
            }
            if let Some(sanitizer) = &mut state.sanitizer {
                sanitizer.barrier_completed(
                    barrier.arrived(),
                    &barrier.waiting_lanes(),
                    self.warps.iter().map(|warp| warp.live),
                );
            }
            barrier.open(&mut self.warps, launch.program);
        }
        let first = self.first_in_cluster();
        let groups = cluster.open(first, &self.warps);
        if let Some(sanitizer) = &mut state.sanitizer {
            sanitizer.cluster_barrier_completed(cluster.phases(), self.warps.iter().map(|warp| warp.live));
        }
        for group in groups {
            let warp = group.warp - first;
            self.warps[warp].groups.release(group.mask);
            if self.states[warp] == WarpState::Waiting {
                self.states[warp] = WarpState::Ready;
            }
        }
    }

    /// The number of the block's first warp within the cluster.
    fn first_in_cluster(&self) -> usize {
        self.rank * self.warps.len()
    }

    /// The groups that wait at barriers, as warp, lanes and statement.
    pub(crate) fn waiting(&self, cluster: &ClusterBarrier) -> impl Iterator<Item = (usize, u32, u32)> {
        let first = self.first_in_cluster();
        let at_barriers = self.barriers.iter().flat_map(State::waiting);
        let at_barriers = at_barriers.map(|group| (group.warp, group.mask, group.statement));
        let at_cluster = cluster.waiting(first..first + self.warps.len());
        at_barriers.chain(at_cluster.map(|group| (group.warp, group.mask, group.statement)))
    }

    /// The warps that wait for a change of memory.
    pub(crate) fn waiting_for_memory(&self) -> impl Iterator<Item = &Warp> {
        let waits = |state: &WarpState| {
            matches!(state, WarpState::Spinning(_) | WarpState::Polling(_) | WarpState::Yielding(_))
        };
        self.states.iter().zip(&self.warps).filter(move |(state, _)| waits(state)).map(|(_, warp)| warp)
    }

    pub(crate) fn running(&self) -> Option<&Warp> {
        self.warps.get(self.turn)
    }
}

/// Reports that threads arriving at one barrier specify different counts.
fn mismatch(
    warp: WarpId,
    id: u32,
    arrival: Arrival,
    count: Option<u32>,
    (other, theirs): (u32, Option<u32>),
) -> Finding {
    let how_many = |count: Option<u32>| count.map_or("all".to_owned(), |count| count.to_string());
    let message = format!(
        "barrier {id} expects {} threads in {}\nand {} in threads that already wait there; use one count, \
         or another barrier",
        how_many(count),
        Lanes(arrival.mask.into()),
        how_many(theirs)
    );
    let finding = warp.finding(FindingKind::BarrierMismatch, message, arrival.statement, arrival.mask);
    finding.with([Related::new(other, format!("threads here expect {}", how_many(theirs)))])
}
