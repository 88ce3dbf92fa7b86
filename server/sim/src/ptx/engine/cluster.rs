//! The barrier of a cluster, which has one block here: threads arrive, and wait for all others to have arrived.

use super::warp::Warp;

/// Threads of the block at the cluster's barrier.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClusterBarrier {
    /// The lanes of each warp that have arrived in the phase that is under way.
    arrived: Vec<u32>,
    /// Those whose phase is over, and who have not waited for it yet.
    passed: Vec<u32>,
    waiting: Vec<Waiting>,
}

/// A group that waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub(crate) warp: usize,
    pub(crate) mask: u32,
    pub(crate) statement: u32,
}

impl ClusterBarrier {
    /// Lanes of a warp arrive; gives those that had, without having waited since.
    pub(crate) fn arrive(&mut self, warps: usize, index: usize, mask: u32) -> u32 {
        self.arrived.resize(warps, 0);
        self.passed.resize(warps, 0);
        let again = (self.arrived[index] | self.passed[index]) & mask;
        self.arrived[index] |= mask;
        again
    }

    /// A group waits, or has no need to; gives the lanes that never arrived.
    pub(crate) fn wait(&mut self, warps: usize, group: Waiting) -> u32 {
        self.arrived.resize(warps, 0);
        self.passed.resize(warps, 0);
        self.waiting.push(group);
        group.mask & !(self.arrived[group.warp] | self.passed[group.warp])
    }

    /// Ends the phase if every thread that has not ended is there, and says whether it did; then takes the groups that may go on.
    pub(crate) fn open(&mut self, warps: &[Warp]) -> (bool, Vec<Waiting>) {
        let any = self.arrived.iter().any(|mask| *mask != 0);
        let complete = || warps.iter().zip(&self.arrived).all(|(warp, arrived)| warp.live & !arrived == 0);
        let ends = any && complete();
        if ends {
            for (passed, arrived) in self.passed.iter_mut().zip(&mut self.arrived) {
                *passed |= std::mem::take(arrived);
            }
        }
        let passed = &mut self.passed;
        let mut goes_on = |group: &Waiting| {
            let goes_on = group.mask & !passed[group.warp] == 0;
            if goes_on {
                passed[group.warp] &= !group.mask;
            }
            goes_on
        };
        (ends, self.waiting.extract_if(.., |group| goes_on(group)).collect())
    }

    /// Who waits here.
    pub(crate) fn waiting(&self) -> &[Waiting] {
        &self.waiting
    }
}
