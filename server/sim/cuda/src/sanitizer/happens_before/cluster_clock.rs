//! The order that the barrier of a cluster gives.
//!
//! Threads that wait learn what the others did before they arrived. Of a thread that arrives with `.relaxed` they learn only
//! what its last fence released.

use rustc_hash::FxHashMap;
use warplens_sim_warp::launch_config::launched_lanes;

use super::{Agent, BlockClock, ByScope, HappensBefore, LaneClock, VectorClock, WarpClock, join_by_scope};
use crate::grown::grown;
use crate::order::Scope;
use crate::registers::lanes;

#[derive(Clone, Debug, Default)]
pub(crate) struct ClusterClock {
    blocks: Vec<u32>,
    ended: usize,
    /// Completed phases of the barrier, and the newest epoch at the last completion.
    phases: u32,
    completed: u32,
    /// The relaxed arrivals in the current phase.
    relaxed: RelaxedArrivals,
    /// What the last phase orders, if threads arrived relaxed.
    learned: Option<VectorClock>,
    /// Whether every thread arrived relaxed in the last phase.
    all_relaxed: bool,
    /// What each block knew of others when it was last suspended, joined.
    pool: LaneClock,
    /// What the threads of each block, by rank, knew of their own block when it was last suspended.
    synchronized: Vec<BlockEpochs>,
}

/// Epochs of a block that its threads know.
#[derive(Clone, Debug, Default)]
struct BlockEpochs {
    /// Every thread knows the epochs of the block up to this one.
    block: u32,
    /// The threads of each warp know the epochs of the warp up to this one.
    warps: Vec<u32>,
}

#[derive(Clone, Debug, Default)]
struct RelaxedArrivals {
    /// Block, warp and lanes.
    threads: Vec<(u32, u32, u32)>,
    /// What the threads had released by fences.
    released: VectorClock,
}

impl ClusterClock {
    pub(crate) fn new(blocks: Vec<u32>) -> ClusterClock {
        ClusterClock { blocks, ..ClusterClock::default() }
    }

    pub(crate) fn number(&self) -> u32 {
        self.blocks.first().copied().unwrap_or(0)
    }

    pub(crate) fn holds(&self, number: u32) -> bool {
        self.blocks.contains(&number)
    }

    pub(crate) fn rank(&self, number: u32) -> u32 {
        self.blocks.iter().position(|block| *block == number).unwrap_or(0) as u32
    }

    pub(crate) fn block(&self, rank: u32) -> u32 {
        self.blocks.get(rank as usize).copied().unwrap_or(0)
    }

    pub(crate) fn has_several_blocks(&self) -> bool {
        self.blocks.len() > 1
    }

    pub(crate) fn is_over(&self) -> bool {
        self.ended == self.blocks.len()
    }

    /// What the completed phase orders: what the threads that did not arrive relaxed had done and knew, and what fences released.
    /// Threads that have exited count as if they had not arrived relaxed.
    fn learn(&mut self, block_size: [u32; 3], warps: u32, latest: u32) {
        self.completed = latest;
        let RelaxedArrivals { threads, released } = std::mem::take(&mut self.relaxed);
        self.all_relaxed = false;
        if threads.is_empty() {
            self.learned = None;
            return;
        }
        let mut relaxed: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        threads.iter().for_each(|&(block, warp, mask)| *relaxed.entry((block, warp)).or_default() |= mask);
        let mut learned = released;
        self.all_relaxed = true;
        for (rank, &block) in self.blocks.iter().enumerate() {
            let known = self.synchronized.get(rank).cloned().unwrap_or_default();
            let mut passes_on = false;
            for warp in 0..warps {
                let launched = launched_lanes(block_size, warp);
                let relaxed = relaxed.get(&(block, warp)).copied().unwrap_or(0);
                let strong = launched & !relaxed;
                passes_on |= strong != 0;
                if strong == launched {
                    learned.learn(Agent::Warp(block, warp), latest);
                } else if strong != 0 {
                    lanes(strong)
                        .for_each(|lane| learned.learn(Agent::Lane(block, warp, lane as u8), latest));
                    let of_warp = known.warps.get(warp as usize).copied().unwrap_or(0);
                    learned.learn(Agent::Warp(block, warp), of_warp);
                }
            }
            if passes_on {
                learned.learn(Agent::Block(block), known.block);
                self.all_relaxed = false;
            }
        }
        self.learned = Some(learned);
    }

    /// A block of the cluster is suspended, or the last one to arrive at the barrier: collects what others may learn from it.
    fn collect(&mut self, block: &BlockClock) {
        self.pool.absorb(&block.everything(), block.number);
        let rank = self.rank(block.number);
        *grown(&mut self.synchronized, rank) = block.epochs();
    }
}

impl HappensBefore {
    /// The running block is suspended: collects what other blocks of its cluster may learn from it at their barrier.
    pub(crate) fn pool(&self, cluster: &mut ClusterClock, ended: bool) {
        cluster.ended += usize::from(ended);
        if cluster.blocks.len() > 1 {
            cluster.collect(&self.block);
        }
    }

    /// Lanes of a warp arrive at the barrier of the cluster with `.relaxed`.
    pub(crate) fn arrive_relaxed(&self, cluster: &mut ClusterClock, warp: u32, mask: u32) {
        cluster.relaxed.threads.push((self.block.number, warp, mask));
        let of_lanes = self.block.warps[warp as usize].lanes.as_ref();
        let released = of_lanes.into_iter().flat_map(|clocks| lanes(mask).map(|lane| &clocks[lane].released));
        let of_cluster = |by_scope: &'_ ByScope| by_scope[Scope::Cluster as usize].clone();
        let released = released.chain([&self.block.released]).filter_map(of_cluster);
        released.for_each(|released| cluster.relaxed.released.join(&released));
    }

    /// Threads of all blocks of the cluster have arrived at its barrier, the last time for phase `phases`. `live` are the lanes of each
    /// warp that have not exited. Returns whether the phase completes now and has relaxed arrivals.
    pub(crate) fn synchronize_cluster(
        &mut self,
        cluster: &mut ClusterClock,
        phases: u32,
        block_size: [u32; 3],
        live: impl Iterator<Item = u32>,
    ) -> bool {
        if (phases, phases) == (cluster.phases, self.block.phases) {
            return false;
        }
        let completes = cluster.phases != phases;
        if completes {
            cluster.phases = phases;
            cluster.collect(&self.block);
            cluster.learn(block_size, self.block.warps.len() as u32, self.latest());
        }
        self.block.phases = phases;
        match &cluster.learned {
            None => {
                let live: Vec<u32> = live.collect();
                self.learn_together(LaneClock::default(), &live, &live);
                for &block in &cluster.blocks {
                    self.block.common.learn(Agent::Block(block), cluster.completed);
                }
            }
            Some(learned) => {
                self.block.warps.iter_mut().for_each(|warp| warp.epoch = 0);
                self.block.common.join(learned);
            }
        }
        // What threads learned from other blocks is collected for the whole cluster: one thread that did not arrive relaxed passes on
        // all of it.
        if !cluster.all_relaxed {
            self.block.common.join(&cluster.pool.knows);
        }
        join_by_scope(&mut self.block.released, &cluster.pool.released);
        completes && cluster.learned.is_some()
    }
}

impl BlockClock {
    fn epochs(&self) -> BlockEpochs {
        let of_warp = |warp: &WarpClock| {
            let pairs = warp.pairs.iter().flat_map(|pairs| pairs.as_flattened().iter().copied());
            pairs.fold(warp.synchronized, u32::max)
        };
        BlockEpochs { block: self.floor, warps: self.warps.iter().map(of_warp).collect() }
    }
}
