//! Blocks that run concurrently and access each other's shared memory. A block without a cluster is a cluster of one.
//!
//! Blocks take turns in the order of their ranks. A turn lasts until the block has exited or cannot continue by itself.

use warplens_sim_warp::note::Note;
use warplens_sim_warp::recording::{Space, Tap};
use warplens_sim_warp::schedule::{Switch, Turns};
use warplens_sim_warp::trace::Finding;

use super::block::{Block, BlockPause};
use super::cluster_barrier::ClusterBarrier;
use super::livelock::Livelock;
use super::warp::{CudaWarp, GridState};
use crate::async_ops::queue::Queue;
use crate::memory::cluster_window::ClusterWindow;
use crate::memory::spaces::Spaces;
use crate::sanitizer::ClusterSanitizer;
use crate::tensor_memory::cells::TensorMemory;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ready,
    /// The block could not continue. Holds the counts of memory changes and of completions of the cluster's barrier at that
    /// time.
    Stuck(u64, u32),
    Ended,
}

/// The bytes of the widest access of a lane, which are aligned and so in one page of the shadow.
const ROW: u32 = 16;

pub struct Cluster<W: CudaWarp> {
    pub blocks: Vec<Block<W>>,
    states: Vec<State>,
    pub barrier: ClusterBarrier,
    /// The shared memory of all blocks while the cluster is not running.
    pub shared: Vec<u8>,
    /// Asynchronous operations in flight while the cluster is not running.
    pub asynchronous: Queue,
    tensor_memory: TensorMemory,
    sanitizer: ClusterSanitizer,
    turns: Turns,
    /// Bytes of host memory when it was last measured.
    pub(super) bytes: u64,
}

/// What happens to the memory that the threads of a deadlock poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polled {
    Unchanged,
    /// The threads change it themselves, and never end a wait by that.
    Exchanged,
}

/// What a language reports about clusters.
pub trait ClusterReports: CudaWarp {
    fn finish_cluster(cluster: &Cluster<Self>, launch: &Self::Launch<'_>, grid: &mut GridState<Self>);

    /// What the listed or traced warps of a cluster did, for hovers.
    fn notes(_cluster: &Cluster<Self>, _launch: &Self::Launch<'_>, _spaces: &Spaces) -> Vec<Note> {
        Vec::new()
    }

    /// For each block of a cluster that has not exited: why it cannot make progress.
    fn explain_deadlock(
        cluster: &Cluster<Self>,
        launch: &Self::Launch<'_>,
        spaces: &Spaces,
        polled: Polled,
    ) -> Vec<Finding>;

    /// What a cluster was doing when it reached the step limit, while others were suspended.
    fn explain_step_limit(
        _cluster: &Cluster<Self>,
        _launch: &Self::Launch<'_>,
        _spaces: &Spaces,
        _suspended: &[(u64, Cluster<Self>)],
    ) -> Option<Finding> {
        None
    }
}

impl<W: ClusterReports> Cluster<W> {
    /// Creates the cluster with this number, reusing the allocations of a completed one if there is any. `eager` tells whether
    /// asynchronous operations complete at issue.
    pub(super) fn new(
        launch: &W::Launch<'_>,
        number: u64,
        left: Option<Cluster<W>>,
        eager: bool,
    ) -> Cluster<W> {
        let ctas = launch.ctas(number);
        let mut shared = Vec::new();
        let blocks: Vec<Block<W>> = match left {
            Some(left) => {
                shared = left.shared;
                left.blocks.into_iter().zip(&ctas).map(|(block, cta)| block.renewed(launch, *cta)).collect()
            }
            None => ctas.iter().enumerate().map(|(rank, cta)| Block::new(launch, *cta, rank)).collect(),
        };
        let live = blocks.iter().flat_map(|block| block.warps.iter().map(W::live)).collect();
        // Clearing existing memory is cheaper than allocating new memory.
        shared.fill(0);
        // Rows of all blocks are aligned as their addresses are.
        let size = if blocks.len() > 1 { launch.shared.next_multiple_of(ROW) } else { launch.shared };
        shared.resize(size as usize * blocks.len(), 0);
        let numbers = ctas.iter().map(|cta| launch.number(*cta) as u32).collect();
        Cluster {
            states: vec![State::Ready; blocks.len()],
            barrier: ClusterBarrier::new(live),
            shared,
            asynchronous: Queue::new(eager),
            tensor_memory: TensorMemory::default(),
            sanitizer: ClusterSanitizer::new(numbers, size),
            turns: Turns::default(),
            bytes: 0,
            blocks,
        }
    }

    /// Sends the steps of all warps to a recording from now on, after what they hold.
    pub(super) fn begin_recording(&mut self, launch: &W::Launch<'_>, tap: &Tap) {
        self.send_held(launch, tap);
        let warps = self.blocks.iter_mut().flat_map(|block| &mut block.warps);
        warps.for_each(|warp| warp.begin_recording(launch, tap));
    }

    /// Sends what the warps and the shared memory hold to a recording.
    pub(super) fn send_held(&self, launch: &W::Launch<'_>, tap: &Tap) {
        let size = self.shared.len() / self.blocks.len().max(1);
        for (block, shared) in self.blocks.iter().zip(self.shared.chunks(size.max(1))) {
            tap.holds_bytes((Space::Shared, launch.number(block.cta), 0), &[], shared);
        }
        let warps = self.blocks.iter().flat_map(|block| &block.warps);
        warps.for_each(|warp| warp.send_held(launch, tap));
    }

    /// Runs until all blocks have exited, cannot continue, or the caller's control is due.
    pub(super) fn run(&mut self, launch: &W::Launch<'_>, grid: &mut GridState<W>) -> BlockPause {
        self.swap_memory(&mut grid.spaces);
        if let Some(log) = &mut grid.spaces.write_log {
            log.blocks = self.blocks.iter().map(|block| launch.number(block.cta)).collect();
        }
        let pause = self.run_blocks(launch, grid);
        self.swap_memory(&mut grid.spaces);
        // The run ends some steps after the trace, and notes must not show these steps.
        if let Some(traced) = self.asynchronous.traced.take() {
            (self.asynchronous, self.shared) = *traced;
        }
        pause
    }

    fn swap_memory(&mut self, spaces: &mut Spaces) {
        std::mem::swap(&mut self.shared, &mut spaces.shared);
        std::mem::swap(&mut self.asynchronous, &mut spaces.asynchronous);
        std::mem::swap(&mut self.tensor_memory, &mut spaces.tensor_memory);
    }

    fn run_blocks(&mut self, launch: &W::Launch<'_>, grid: &mut GridState<W>) -> BlockPause {
        while let Some(rank) = self.next_block(grid) {
            self.turns.begin(rank);
            let pause = self.run_block(rank, launch, grid);
            self.states[rank] = match pause {
                BlockPause::Ended => State::Ended,
                BlockPause::Stuck => State::Stuck(grid.spaces.changes, self.barrier.phases()),
                BlockPause::TurnOver => {
                    self.states[rank] = State::Ready;
                    self.turns.end(self.blocks.len());
                    return pause;
                }
                BlockPause::Preempted(switch) => {
                    self.turns.postpone(rank);
                    match switch {
                        Switch::Cluster => return pause,
                        Switch::Warp | Switch::Block => State::Ready,
                    }
                }
                BlockPause::Due | BlockPause::Stopped(_) => return pause,
            };
            self.turns.end(self.blocks.len());
        }
        grid.spaces.complete_all();
        self.report_late_problems(grid);
        let ended = self.states.iter().all(|state| *state == State::Ended);
        if ended {
            W::finish_cluster(self, launch, grid);
        }
        if ended { BlockPause::Ended } else { BlockPause::Stuck }
    }

    /// The next block that can run: blocks take turns, unless the schedule has another order. If none can, asynchronous
    /// operations complete and warps wake as long as there are any.
    fn next_block(&mut self, grid: &mut GridState<W>) -> Option<usize> {
        let count = self.blocks.len();
        self.turns.choose_order(grid.state.scheduler.as_deref_mut(), count);
        loop {
            let mut ranks = (0..count).map(|place| self.turns.member(place, count));
            let ready = ranks.find(|rank| self.is_ready(*rank, grid.spaces.changes));
            if ready.is_some() {
                return ready;
            }
            let in_flight = grid.spaces.asynchronous.in_flight() as usize;
            let completed = match &mut grid.state.scheduler {
                Some(scheduler) if in_flight != 0 => grid.spaces.complete_chosen(scheduler.choose(in_flight)),
                _ => grid.spaces.complete_oldest(),
            };
            if !completed && !self.wake() {
                return None;
            }
        }
    }

    /// Whether a block can run, `changes` being the number of changes of memory.
    fn is_ready(&self, rank: usize, changes: u64) -> bool {
        match self.states[rank] {
            State::Ready => true,
            State::Stuck(before, phases) => (before, phases) != (changes, self.barrier.phases()),
            State::Ended => false,
        }
    }

    /// Whether a block can run, `changes` being the number of changes of memory.
    pub(super) fn may_continue(&self, changes: u64) -> bool {
        (0..self.blocks.len()).any(|rank| self.is_ready(rank, changes))
    }

    /// Whether the cluster was preempted or its turn was over, so that it need not wait for a change of memory.
    pub(super) fn is_preempted(&self) -> bool {
        self.states.contains(&State::Ready)
    }

    /// Reports misuse of operands that operations in flight have read.
    fn report_late_problems(&self, grid: &mut GridState<W>) {
        for (issuer, statement, problem) in std::mem::take(&mut grid.spaces.asynchronous.problems) {
            if let Some(block) = self.blocks.get(issuer.rank as usize) {
                let id = block.id(issuer.warp as usize);
                grid.state.report(id.finding(problem.kind, problem.message, statement, issuer.lanes));
            }
        }
    }

    fn run_block(&mut self, rank: usize, launch: &W::Launch<'_>, grid: &mut GridState<W>) -> BlockPause {
        let mut window =
            ClusterWindow { rank: rank as u32, blocks: self.blocks.len() as u32, size: 0, ended: 0 };
        window.size = (grid.spaces.shared.len() / self.blocks.len()) as u32;
        for (rank, _) in self.states.iter().enumerate().filter(|(_, state)| **state == State::Ended) {
            window.ended |= 1 << rank;
        }
        grid.spaces.window = window;
        if let Some(sanitizer) = &mut grid.state.sanitizer {
            sanitizer.enter(&mut self.blocks[rank].sanitizer, &mut self.sanitizer);
        }
        let pause = self.blocks[rank].run(launch, grid, &mut self.barrier);
        if let Some(sanitizer) = &mut grid.state.sanitizer {
            sanitizer.leave(
                &mut self.blocks[rank].sanitizer,
                &mut self.sanitizer,
                pause == BlockPause::Ended,
            );
        }
        if pause == BlockPause::Ended {
            grid.state.collect_at_exit();
        }
        pause
    }

    /// Wakes the warps of a block whose mbarrier tests failed, if no other warp can run. Returns whether there were any.
    fn wake(&mut self) -> bool {
        let rank = self.blocks.iter_mut().position(Block::wake);
        rank.map(|rank| self.states[rank] = State::Ready).is_some()
    }

    /// Lets warps that only poll memory continue: see [`Block::continue_polling`].
    pub(super) fn continue_polling(&mut self) -> (bool, bool) {
        let mut result = (false, false);
        for (block, state) in self.blocks.iter_mut().zip(&mut self.states) {
            let (any, reads_clock) = block.continue_polling();
            if any {
                *state = State::Ready;
            }
            result = (result.0 | any, result.1 | reads_clock);
        }
        result
    }

    /// Adds the cluster's warps to those that can only wait; `false` if a warp may do something else. `changes` counts
    /// changes of memory.
    pub(super) fn add_to(&self, livelock: &mut Livelock, changes: u64) -> bool {
        livelock.cluster += 1;
        livelock.opens_barriers = self.blocks.iter().any(Block::opens_barriers);
        self.blocks.iter().all(|block| block.add_to(livelock, changes))
    }

    /// How many warps could execute their next statement, and how many poll memory.
    pub(super) fn activity(&self) -> (usize, usize) {
        let each = self.blocks.iter().map(Block::activity);
        each.fold((0, 0), |(ready, polling), (more, others)| (ready + more, polling + others))
    }

    /// The lanes that run, each in a warp of its own, if nothing else changes memory: see [`Block::lone_lanes`].
    pub(super) fn lone_lanes(&self, launch: &W::Launch<'_>, max: usize) -> Option<Vec<W>> {
        match &self.blocks[..] {
            [block] if self.asynchronous.in_flight() == 0 => block.lone_lanes(launch, max),
            _ => None,
        }
    }

    /// No warp can end: those that run only poll memory.
    pub(super) fn stand_still(&mut self, changes: u64) {
        self.blocks.iter_mut().for_each(|block| block.stand_still(changes));
    }

    /// Measures the host memory that the cluster uses while it is not running, without the records of its warps.
    pub(super) fn measure(&mut self) {
        let blocks = self.blocks.iter().map(Block::bytes).sum::<u64>();
        let shared = self.shared.len() as u64;
        self.bytes = shared + blocks + self.tensor_memory.bytes() + self.asynchronous.bytes();
    }

    /// Releases a group that waits for other lanes only because of the model, if no other warp can run.
    pub(super) fn force_progress(&mut self) -> bool {
        let released = self.blocks.iter_mut().position(Block::force_progress);
        released.map(|rank| self.states[rank] = State::Ready).is_some()
    }

    pub fn running(&self) -> Option<&W> {
        self.blocks.get(self.turns.current())?.running()
    }

    pub fn unfinished_blocks(&self) -> impl Iterator<Item = &Block<W>> {
        self.blocks
            .iter()
            .zip(&self.states)
            .filter(|(_, state)| **state != State::Ended)
            .map(|(block, _)| block)
    }
}
