//! Copies in flight: asynchronous accesses that no thread has waited for.
//!
//! Until then an access of a copy has an epoch that no thread knows, so any conflicting access is a race, even one by
//! the thread that started the copy. When the thread has waited, or a thread has observed the completed phase of the
//! mbarrier that tracks the copy, the access gets the stamp of an ordinary access by the thread.

use rustc_hash::FxHashMap;

use super::happens_before::PhaseKey;
use super::stamp::{IN_FLIGHT, Stamp};
use crate::grown::grown;
use crate::memory::region::MemoryRegion;
use crate::order::SpecialOrder;

pub(super) const WARPS: u32 = 32;
/// Maximum number of tracked copies per cluster; further copies count as complete when they start.
pub(super) const MAX_COPIES: usize = 1 << 16;

/// The families of groups; a thread waits for the groups of each family separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CopyFamily {
    /// `cp.async`
    Single,
    /// `cp.async.bulk`
    Bulk,
    /// `wgmma`
    Products,
    /// `tcgen05`: tracked by the mbarriers of all later commits of the thread
    TensorMemory,
    /// `tcgen05.st`: all stores in flight form one group
    CellStores,
}

const FAMILIES: usize = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyCompletion {
    Waited(CopyFamily),
    /// A thread observes that this phase of the mbarrier at this offset of shared memory has completed.
    Phase {
        object: u64,
        parity: u64,
    },
}

#[derive(Clone, Copy, Debug)]
pub struct CopyRange {
    pub region: MemoryRegion,
    pub index: u64,
    pub span: u64,
    pub writes: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct PendingCopy {
    pub(super) range: CopyRange,
    pub(super) statement: u32,
    pub(super) special: SpecialOrder,
    pub(super) warp: u32,
    pub(super) lane: u32,
    /// How completion is observed, and the index of the copy's group if the thread waits.
    pub(super) until: CopyCompletion,
    pub(super) group: u32,
    /// The thread's epoch when it started the copy, or when it arrived on the mbarrier.
    pub(super) epoch: u32,
}

impl PendingCopy {
    /// What a message calls it.
    pub(super) fn noun(&self) -> &'static str {
        if self.special == SpecialOrder::AsyncProduct { "product" } else { "copy" }
    }
}

/// A completed copy to or from the shared memory of another block than that of its mbarrier.
#[derive(Clone, Copy, Debug)]
pub(super) struct ObservedCopy {
    pub(super) begun: PendingCopy,
    pub(super) key: PhaseKey,
    /// The epoch that stands for the completion of the phase.
    pub(super) epoch: u32,
}

/// A `tcgen05.commit` of a lane: a phase of an mbarrier that completes after all earlier operations of the lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Commit {
    pub(super) warp: u32,
    pub(super) lane: u32,
    /// The lane's operations up to this group are covered.
    pub(super) group: u32,
    pub(super) object: u64,
    pub(super) parity: u64,
    pub(super) epoch: u32,
}

impl Commit {
    pub(super) fn covers(&self, begun: &PendingCopy) -> bool {
        begun.until == CopyCompletion::Waited(CopyFamily::TensorMemory)
            && (begun.warp, begun.lane) == (self.warp, self.lane)
            && begun.group <= self.group
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Copies {
    pub(super) begun: Vec<PendingCopy>,
    /// Completed copies that the block whose memory they access may not know to be complete.
    pub(super) observed: Vec<ObservedCopy>,
    /// The commits whose operations no thread knows to be complete, oldest first.
    pub(super) commits: Vec<Commit>,
    /// For each mbarrier, the parity of the last phase that a thread saw completed.
    pub(super) completed: FxHashMap<u64, u64>,
    /// Committed groups of each lane, by warp and family.
    groups: Vec<[[u32; 32]; FAMILIES]>,
}

impl Copies {
    pub(super) fn closed(&mut self, warp: u32, family: CopyFamily) -> &mut [u32; 32] {
        &mut grown(&mut self.groups, warp)[family as usize]
    }

    /// The copy in flight with this stamp.
    pub(super) fn of(&self, stamp: Stamp) -> Option<&PendingCopy> {
        let made = |begun: &&PendingCopy| {
            (begun.statement, begun.lane) == (stamp.statement(), stamp.lane())
                && begun.warp == stamp.epoch & !IN_FLIGHT
        };
        self.begun.iter().find(made)
    }

    /// How the completion of a copy is observed.
    pub(super) fn completion(&self, begun: &PendingCopy) -> CopyCompletion {
        let commit = self.commits.iter().find(|commit| commit.covers(begun));
        commit.map_or(begun.until, |commit| CopyCompletion::Phase {
            object: commit.object,
            parity: commit.parity,
        })
    }
}
