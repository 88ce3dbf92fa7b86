//! The order that the barrier of a cluster gives.
//!
//! Threads that wait learn what the others did before they arrived. Of a thread that arrives with `.relaxed` they learn only
//! what its last fence released.

use super::{Agent, ByScope, HappensBefore, LaneClock, VectorClock, join_by_scope};
use crate::order::Scope;
use crate::registers::lanes;

#[derive(Debug, Default)]
pub(crate) struct ClusterClock {
    blocks: Vec<u32>,
    ended: usize,
    /// Completed phases of the barrier, and the newest epoch at the last completion.
    phases: u32,
    synchronized: u32,
    /// The relaxed arrivals in the current phase.
    relaxed: RelaxedArrivals,
    /// What the last phase orders, if threads arrived relaxed.
    learned: Option<VectorClock>,
    /// Whether at least one thread of each warp arrived relaxed in the last phase.
    all_relaxed: bool,
    /// What each block knew when it was last suspended, joined.
    pool: LaneClock,
}

#[derive(Debug, Default)]
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

    /// What the completed phase orders: everything before the arrivals that were not relaxed, and what fences released.
    fn learn(&mut self, warps: u32, latest: u32) {
        self.synchronized = latest;
        let RelaxedArrivals { threads, released } = std::mem::take(&mut self.relaxed);
        self.all_relaxed = true;
        if threads.is_empty() {
            (self.learned, self.all_relaxed) = (None, false);
            return;
        }
        let mut learned = released;
        for &block in &self.blocks {
            let relaxed = |warp: u32| {
                let of_warp = threads.iter().filter(|(owner, of, _)| (*owner, *of) == (block, warp));
                of_warp.fold(0, |all, (.., mask)| all | mask)
            };
            for warp in 0..warps {
                match relaxed(warp) {
                    0 => {
                        self.all_relaxed = false;
                        learned.learn(Agent::Warp(block, warp), latest);
                    }
                    mask => lanes(!mask)
                        .for_each(|lane| learned.learn(Agent::Lane(block, warp, lane as u8), latest)),
                }
            }
        }
        self.learned = Some(learned);
    }
}

impl HappensBefore {
    /// The running block is suspended: collects what other blocks of its cluster may learn from it at their barrier.
    pub(crate) fn pool(&self, cluster: &mut ClusterClock, ended: bool) {
        cluster.ended += usize::from(ended);
        if cluster.blocks.len() > 1 {
            cluster.pool.absorb(&self.block.everything(), self.block.number);
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

    /// Threads of all blocks of the cluster have arrived at its barrier, the last time for phase `phases`. Returns whether the
    /// phase completes now and has relaxed arrivals.
    pub(crate) fn synchronize_cluster(
        &mut self,
        cluster: &mut ClusterClock,
        phases: u32,
        live: impl Iterator<Item = u32>,
    ) -> bool {
        if (phases, phases) == (cluster.phases, self.block.phases) {
            return false;
        }
        let completes = cluster.phases != phases;
        if completes {
            cluster.phases = phases;
            cluster.learn(self.block.warps.len() as u32, self.latest());
            cluster.pool.absorb(&self.block.everything(), self.block.number);
        }
        self.block.phases = phases;
        match &cluster.learned {
            None => {
                let live: Vec<u32> = live.collect();
                self.open(&live, &live, &live);
                for &block in &cluster.blocks {
                    self.block.common.learn(Agent::Block(block), cluster.synchronized);
                }
            }
            Some(learned) => {
                self.block.warps.iter_mut().for_each(|warp| warp.epoch = 0);
                self.block.common.join(learned);
            }
        }
        // What threads learned from others is collected by block: one that did not arrive relaxed passes on all of it.
        if !cluster.all_relaxed {
            self.block.common.join(&cluster.pool.knows);
        }
        join_by_scope(&mut self.block.released, &cluster.pool.released);
        completes && cluster.learned.is_some()
    }
}
