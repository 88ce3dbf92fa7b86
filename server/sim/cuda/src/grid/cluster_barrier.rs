//! A cluster's barrier: threads of all blocks arrive, and wait until all others have arrived.

use std::ops::Range;

use super::barrier::Waiting;

/// How far the cluster's threads are at the barrier. Warps are numbered consecutively, block by block.
#[derive(Clone, Debug)]
pub struct ClusterBarrier {
    live: Vec<u32>,
    /// Lanes that have arrived in the current phase.
    arrived: Vec<u32>,
    /// Lanes whose phase is complete but which have not waited for it yet.
    passed: Vec<u32>,
    waiting: Vec<Waiting>,
    phases: u32,
}

impl ClusterBarrier {
    /// No lane has arrived yet; `live` holds the lanes of each warp.
    pub(super) fn new(live: Vec<u32>) -> ClusterBarrier {
        let none = vec![0; live.len()];
        ClusterBarrier { live, arrived: none.clone(), passed: none, waiting: Vec::new(), phases: 0 }
    }

    pub(super) fn phases(&self) -> u32 {
        self.phases
    }

    /// Lanes of a warp arrive. Returns those that had already arrived and have not waited since.
    pub(super) fn arrive(&mut self, warp: usize, mask: u32) -> u32 {
        let again = (self.arrived[warp] | self.passed[warp]) & mask;
        self.arrived[warp] |= mask;
        again
    }

    /// A group waits, or continues at once. Returns the lanes that never arrived.
    pub(super) fn wait(&mut self, group: Waiting) -> u32 {
        self.waiting.push(group);
        group.mask & !(self.arrived[group.warp] | self.passed[group.warp])
    }

    /// Completes the phase if every live thread has arrived, then takes the released groups of one block: `own` are the
    /// numbers of its warps, `live` their lanes.
    pub(super) fn open(&mut self, own: Range<usize>, live: impl Iterator<Item = u32>) -> Vec<Waiting> {
        self.live[own.clone()].iter_mut().zip(live).for_each(|(known, live)| *known = live);
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

    /// The warps with lanes that have not arrived, and these lanes.
    pub(super) fn absent(&self) -> impl Iterator<Item = (usize, u32)> {
        let lanes = self.live.iter().zip(&self.arrived).map(|(live, arrived)| live & !arrived);
        lanes.enumerate().filter(|(_, lanes)| *lanes != 0)
    }

    pub(super) fn waiting(&self, own: Range<usize>) -> impl Iterator<Item = Waiting> {
        let first = own.start;
        let groups = self.waiting.iter().filter(move |group| own.contains(&group.warp));
        groups.map(move |group| Waiting { warp: group.warp - first, ..*group })
    }
}
