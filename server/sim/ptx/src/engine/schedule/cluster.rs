//! Blocks that run concurrently and access each other's shared memory. A block without a cluster is a cluster of one.
//!
//! Blocks take turns in the order of their ranks. A turn lasts until the block has exited or cannot continue by itself.

use warplens_sim_cuda::async_ops::queue::Queue;
use warplens_sim_cuda::memory::cluster_window::ClusterWindow;
use warplens_sim_cuda::memory::spaces::Spaces;
use warplens_sim_cuda::sanitizer::ClusterSanitizer;
use warplens_sim_cuda::tensor_memory::cells::TensorMemory;
use warplens_sim_warp::trace::Finding;

use super::block::{Block, BlockPause};
use super::cluster_barrier::ClusterBarrier;
use super::deadlock::Mbarriers;
use super::livelock::Livelock;
use super::tensor_checks;
use crate::engine::exec::warp::Warp;
use crate::engine::launch::Launch;
use crate::engine::run_context::RunContext;

/// Maximum number of blocks per cluster.
pub(crate) const MAX_BLOCKS: u32 = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ready,
    /// The block could not continue. Holds the counts of memory changes and of completions of the cluster's barrier at that
    /// time.
    Stuck(u64, u32),
    Ended,
}

pub(crate) struct Cluster {
    pub(crate) blocks: Vec<Block>,
    states: Vec<State>,
    barrier: ClusterBarrier,
    shared: Vec<u8>,
    /// Asynchronous operations in flight.
    pub(super) asynchronous: Queue,
    tensor_memory: TensorMemory,
    sanitizer: ClusterSanitizer,
    /// The block whose turn it is.
    turn: usize,
}

impl Cluster {
    /// Creates the cluster with this number, reusing the allocations of a completed one if there is any.
    pub(crate) fn new(launch: &Launch<'_>, number: u64, left: Option<Cluster>) -> Cluster {
        let ctas = launch.ctas(number);
        let mut shared = Vec::new();
        let blocks: Vec<Block> = match left {
            Some(left) => {
                shared = left.shared;
                left.blocks.into_iter().zip(&ctas).map(|(block, cta)| block.renewed(launch, *cta)).collect()
            }
            None => ctas.iter().enumerate().map(|(rank, cta)| Block::new(launch, *cta, rank)).collect(),
        };
        let live = blocks.iter().flat_map(|block| block.warps.iter().map(|warp| warp.live)).collect();
        let size = (launch.program.shared_size + launch.dynamic_shared) as usize;
        // Clearing existing memory is cheaper than allocating new memory.
        shared.fill(0);
        shared.resize(size * blocks.len(), 0);
        let numbers = ctas.iter().map(|cta| launch.number(*cta) as u32).collect();
        Cluster {
            states: vec![State::Ready; blocks.len()],
            barrier: ClusterBarrier::new(live),
            shared,
            asynchronous: Queue::new(launch.options.eager),
            tensor_memory: TensorMemory::default(),
            sanitizer: ClusterSanitizer::new(numbers),
            turn: 0,
            blocks,
        }
    }

    /// Runs until all blocks have exited, cannot continue, or the caller's control is due.
    pub(crate) fn run(&mut self, run: &mut RunContext<'_>) -> BlockPause {
        std::mem::swap(&mut self.shared, &mut run.spaces.shared);
        std::mem::swap(&mut self.asynchronous, &mut run.spaces.asynchronous);
        std::mem::swap(&mut self.tensor_memory, &mut run.spaces.tensor_memory);
        let pause = self.run_blocks(run);
        std::mem::swap(&mut self.tensor_memory, &mut run.spaces.tensor_memory);
        std::mem::swap(&mut self.asynchronous, &mut run.spaces.asynchronous);
        std::mem::swap(&mut self.shared, &mut run.spaces.shared);
        // The run ends some steps after the trace, and notes must not show these steps.
        if let Some(kept) = self.asynchronous.take_kept() {
            (self.asynchronous, self.shared) = kept;
        }
        pause
    }

    fn run_blocks(&mut self, run: &mut RunContext<'_>) -> BlockPause {
        let mut idle = 0;
        while idle < self.blocks.len() {
            let rank = self.turn;
            let ready = match self.states[rank] {
                State::Ready => true,
                State::Stuck(changes, phases) => {
                    (changes, phases) != (run.spaces.changes, self.barrier.phases())
                }
                State::Ended => false,
            };
            idle += 1;
            if ready {
                idle = 0;
                let pause = self.run_block(rank, run);
                self.states[rank] = match pause {
                    BlockPause::Ended => State::Ended,
                    BlockPause::Stuck => State::Stuck(run.spaces.changes, self.barrier.phases()),
                    BlockPause::Due | BlockPause::Stopped(_) => return pause,
                };
            }
            self.turn = (rank + 1) % self.blocks.len();
            if idle == self.blocks.len() && (run.spaces.complete_oldest() || self.wake()) {
                idle = 0;
            }
        }
        run.spaces.complete_all();
        let late = tensor_checks::late_problems(&self.blocks, run.spaces);
        late.into_iter().for_each(|finding| run.state.report(finding));
        let ended = self.states.iter().all(|state| *state == State::Ended);
        if ended {
            self.check_tensor_operations(run);
        }
        if ended { BlockPause::Ended } else { BlockPause::Stuck }
    }

    /// Reports misuse of asynchronous operations that shows only when all blocks have exited.
    fn check_tensor_operations(&self, run: &mut RunContext<'_>) {
        if run.launch.options.checks.races {
            let unbalanced = tensor_checks::unbalanced_phases(&self.blocks, run.spaces);
            let different = self.blocks.iter().flat_map(tensor_checks::different_products);
            unbalanced.into_iter().chain(different).for_each(|finding| run.state.report(finding));
        }
        let leaks = tensor_checks::leaks(&self.blocks, run.spaces);
        leaks.into_iter().for_each(|finding| run.state.report(finding));
    }

    fn run_block(&mut self, rank: usize, run: &mut RunContext<'_>) -> BlockPause {
        let mut window =
            ClusterWindow { rank: rank as u32, blocks: self.blocks.len() as u32, size: 0, ended: 0 };
        window.size = (run.spaces.shared.len() / self.blocks.len()) as u32;
        for (rank, _) in self.states.iter().enumerate().filter(|(_, state)| **state == State::Ended) {
            window.ended |= 1 << rank;
        }
        run.spaces.window = window;
        if let Some(sanitizer) = &mut run.state.sanitizer {
            sanitizer.enter(&mut self.blocks[rank].sanitizer, &mut self.sanitizer);
        }
        let pause = self.blocks[rank].run(run, &mut self.barrier);
        if let Some(sanitizer) = &mut run.state.sanitizer {
            sanitizer.leave(
                &mut self.blocks[rank].sanitizer,
                &mut self.sanitizer,
                pause == BlockPause::Ended,
            );
        }
        if pause == BlockPause::Ended {
            run.state.collect_at_exit();
        }
        pause
    }

    /// Wakes the warps of a block whose mbarrier tests failed, if no other warp can run. Returns whether there were any.
    fn wake(&mut self) -> bool {
        let rank = self.blocks.iter_mut().position(Block::wake);
        rank.map(|rank| self.states[rank] = State::Ready).is_some()
    }

    /// Lets warps that only poll memory continue: see [`Block::continue_polling`].
    pub(crate) fn continue_polling(&mut self) -> (bool, bool) {
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
    pub(crate) fn add_to(&self, livelock: &mut Livelock, changes: u64) -> bool {
        livelock.enter_cluster();
        self.blocks.iter().all(|block| block.add_to(livelock, changes))
    }

    /// Bytes of host memory that the cluster uses while it is suspended.
    pub(crate) fn bytes(&self) -> u64 {
        let warps = self.blocks.iter().flat_map(|block| &block.warps);
        self.shared.len() as u64 + warps.map(Warp::bytes).sum::<u64>()
    }

    /// Releases a group that waits for other lanes only because of the model, if no other warp can run.
    pub(crate) fn force_progress(&mut self) -> bool {
        let way = self.blocks.iter_mut().position(Block::force_progress);
        way.map(|rank| self.states[rank] = State::Ready).is_some()
    }

    pub(crate) fn running(&self) -> Option<&Warp> {
        self.blocks.get(self.turn)?.running()
    }

    /// The cluster's mbarriers while it is not running.
    pub(super) fn mbarriers(&self) -> Mbarriers<'_> {
        Mbarriers { shared: &self.shared, phases: &self.asynchronous.phases }
    }

    /// Explains the deadlock of each block that has not exited.
    pub(crate) fn explain(&self, launch: &Launch<'_>, spaces: &Spaces) -> Vec<Finding> {
        let left = self.blocks.iter().zip(&self.states).filter(|(_, state)| **state != State::Ended);
        let mbarriers = self.mbarriers();
        left.filter_map(|(block, _)| block.explain(launch, spaces, &self.barrier, mbarriers)).collect()
    }
}
