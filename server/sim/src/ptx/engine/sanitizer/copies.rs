//! Copies under way: what the hardware reads and writes behind the program's back, until somebody has waited for it.
//!
//! CopyCompletion then an access of a copy is stamped with an epoch that nobody knows of, so that whatever meets it is a race, even
//! if the thread that began the copy does it. Once the thread has waited, or somebody has seen the phase end of the mbarrier
//! that is told of the copy, the access is stamped like one of the thread's own.

use super::stamp::{IN_FLIGHT, Stamp};
use crate::ptx::engine::memory::region::MemoryRegion;

/// Warps of a block at most.
pub(super) const WARPS: u32 = 32;
/// Stretches of copies of a cluster that are followed; more count as done when they begin.
pub(super) const MAX_COPIES: usize = 1 << 16;

/// The two families of groups that a thread puts its copies into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CopyFamily {
    /// Of `cp.async`
    Single,
    /// Of `cp.async.bulk`
    Bulk,
}

/// How it becomes known that a copy is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CopyCompletion {
    /// Its thread waits for the group that the copy will be in.
    Waited(CopyFamily),
    /// This phase of an mbarrier, which begins at this byte of shared memory, ends.
    Phase { object: u64, parity: u64 },
}

/// What a copy does to a stretch of memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CopyRange {
    pub(crate) region: MemoryRegion,
    pub(crate) index: u64,
    pub(crate) span: u64,
    pub(crate) writes: bool,
}

/// A stretch that a lane's copy has begun with.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingCopy {
    pub(super) stretch: CopyRange,
    pub(super) statement: u32,
    pub(super) warp: u32,
    pub(super) lane: u32,
    /// Who waits, and the number of its group where the thread does.
    pub(super) until: CopyCompletion,
    pub(super) group: u32,
    /// The thread's epoch when it began, or when the mbarrier was told.
    pub(super) epoch: u32,
}

/// The copies of a cluster.
#[derive(Debug, Default)]
pub(super) struct Copies {
    pub(super) begun: Vec<PendingCopy>,
    /// Groups that each lane has closed, by warp and family.
    groups: Vec<[[u32; 32]; 2]>,
}

impl Copies {
    pub(super) fn closed(&mut self, warp: u32, family: CopyFamily) -> &mut [u32; 32] {
        let warp = warp as usize;
        if self.groups.len() <= warp {
            self.groups.resize(warp + 1, [[0; 32]; 2]);
        }
        &mut self.groups[warp][family as usize]
    }

    /// How the copy that made this stamp is waited for.
    pub(super) fn until(&self, stamp: Stamp) -> Option<CopyCompletion> {
        let made = |begun: &&PendingCopy| {
            (begun.statement, begun.lane) == (stamp.statement(), stamp.lane())
                && begun.warp == stamp.epoch & !IN_FLIGHT
        };
        self.begun.iter().find(made).map(|begun| begun.until)
    }
}
