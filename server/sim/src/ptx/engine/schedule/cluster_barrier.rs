//! The barrier of a cluster: threads of all its blocks arrive, and wait for all others to have arrived.

use crate::ptx::engine::exec::warp::Warp;
use std::ops::Range;

/// Threads of the blocks at their cluster's barrier. Warps are numbered through, block after block.
#[derive(Clone, Debug)]
pub(crate) struct ClusterBarrier {
    /// The lanes of each warp that have not ended.
    live: Vec<u32>,
    /// Those that have arrived in the phase that is under way.
    arrived: Vec<u32>,
    /// Those whose phase is over, and who have not waited for it yet.
    passed: Vec<u32>,
    waiting: Vec<Waiting>,
    phases: u32,
}

/// A group that waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub(crate) warp: usize,
    pub(crate) mask: u32,
    pub(crate) statement: u32,
}

impl ClusterBarrier {
    /// Nobody has arrived; the lanes that each warp has.
    pub(crate) fn new(live: Vec<u32>) -> ClusterBarrier {
        let none = vec![0; live.len()];
        ClusterBarrier { live, arrived: none.clone(), passed: none, waiting: Vec::new(), phases: 0 }
    }

    /// How many phases have ended.
    pub(crate) fn phases(&self) -> u32 {
        self.phases
    }

    /// Lanes of a warp arrive; gives those that had, without having waited since.
    pub(crate) fn arrive(&mut self, warp: usize, mask: u32) -> u32 {
        let again = (self.arrived[warp] | self.passed[warp]) & mask;
        self.arrived[warp] |= mask;
        again
    }

    /// A group waits, or has no need to; gives the lanes that never arrived.
    pub(crate) fn wait(&mut self, group: Waiting) -> u32 {
        self.waiting.push(group);
        group.mask & !(self.arrived[group.warp] | self.passed[group.warp])
    }

    /// Ends the phase if every thread that has not ended is there; then takes the groups of the block whose warps these are,
    /// the first of which has number `first`, that may go on.
    pub(crate) fn open(&mut self, first: usize, warps: &[Warp]) -> Vec<Waiting> {
        let own: Range<usize> = first..first + warps.len();
        self.live[own.clone()].iter_mut().zip(warps).for_each(|(live, warp)| *live = warp.live);
        let any = self.arrived.iter().any(|mask| *mask != 0);
        if any && self.live.iter().zip(&self.arrived).all(|(live, arrived)| live & !arrived == 0) {
            self.phases += 1;
            for (passed, arrived) in self.passed.iter_mut().zip(&mut self.arrived) {
                *passed |= std::mem::take(arrived);
            }
        }
        let passed = &mut self.passed;
        let mut continues = |group: &Waiting| {
            let continues = own.contains(&group.warp) && group.mask & !passed[group.warp] == 0;
            if continues {
                passed[group.warp] &= !group.mask;
            }
            continues
        };
        self.waiting.extract_if(.., |group| continues(group)).collect()
    }

    /// Which groups of a block wait here.
    pub(crate) fn waiting(&self, own: Range<usize>) -> impl Iterator<Item = Waiting> {
        let first = own.start;
        let groups = self.waiting.iter().filter(move |group| own.contains(&group.warp));
        groups.map(move |group| Waiting { warp: group.warp - first, ..*group })
    }
}
