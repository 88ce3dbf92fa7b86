//! Copies under way: what the hardware reads and writes behind the program's back, until somebody has waited for it.
//!
//! CopyCompletion then an access of a copy is stamped with an epoch that nobody knows of, so that whatever meets it is a race, even
//! if the thread that began the copy does it. Once the thread has waited, or somebody has seen the phase end of the mbarrier
//! that is told of the copy, the access is stamped like one of the thread's own.

use super::Sanitizer;
use super::shadow::{Stamp, Strength};
use crate::ptx::engine::memory::spaces::MemoryRegion;
use crate::ptx::registers::lanes;

/// Epochs from here on are those of copies under way, one a warp of the cluster.
pub(super) const IN_FLIGHT: u32 = 1 << 31;
/// Warps of a block at most.
pub(super) const WARPS: u32 = 32;
/// Stretches of copies of a cluster that are followed; more count as done when they begin.
const MAX_COPIES: usize = 1 << 16;

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
struct PendingCopy {
    stretch: CopyRange,
    statement: u32,
    warp: u32,
    lane: u32,
    /// Who waits, and the number of its group where the thread does.
    until: CopyCompletion,
    group: u32,
    /// The thread's epoch when it began, or when the mbarrier was told.
    epoch: u32,
}

/// The copies of a cluster.
#[derive(Debug, Default)]
pub(super) struct Copies {
    begun: Vec<PendingCopy>,
    /// Groups that each lane has closed, by warp and family.
    groups: Vec<[[u32; 32]; 2]>,
}

impl Copies {
    fn closed(&mut self, warp: u32, family: CopyFamily) -> &mut [u32; 32] {
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

impl Sanitizer {
    /// What a lane has just read or written is but the beginning of a copy.
    pub(crate) fn copy_started(&mut self, stretch: CopyRange, lane: usize, until: CopyCompletion) {
        if !self.checks.races || self.cluster.copies.begun.len() >= MAX_COPIES {
            return;
        }
        let (warp, statement) = (self.warp_of_cluster(), self.visit.statement);
        let group = match until {
            CopyCompletion::Waited(family) => self.cluster.copies.closed(warp, family)[lane],
            CopyCompletion::Phase { .. } => 0,
        };
        let epoch = self.sync.epoch(self.visit.warp);
        let begun = PendingCopy { stretch, statement, warp, lane: lane as u32, until, group, epoch };
        self.restamp(&begun, epoch, IN_FLIGHT | warp);
        self.cluster.copies.begun.push(begun);
    }

    /// Lanes close a group.
    pub(crate) fn closed(&mut self, family: CopyFamily, mask: u32) {
        let warp = self.warp_of_cluster();
        let closed = self.cluster.copies.closed(warp, family);
        lanes(mask).for_each(|lane| closed[lane] += 1);
    }

    /// Lanes wait until at most `left` of their closed groups are under way, or until all copies are done; or until these have
    /// read what they copy.
    pub(crate) fn waited(&mut self, family: CopyFamily, mask: u32, left: Option<u32>, read: bool) {
        let warp = self.warp_of_cluster();
        let closed = *self.cluster.copies.closed(warp, family);
        let done = |begun: &PendingCopy| {
            begun.warp == warp
                && mask >> begun.lane & 1 == 1
                && begun.until == CopyCompletion::Waited(family)
                && !(read && begun.stretch.writes)
                && left.is_none_or(|left| begun.group + left < closed[begun.lane as usize])
        };
        for begun in self.take(done) {
            let epoch = self.sync.epoch(self.visit.warp);
            self.restamp(&begun, IN_FLIGHT | warp, epoch);
        }
    }

    /// A lane has an mbarrier told of all its copies so far.
    pub(crate) fn arrive_on_copies(&mut self, lane: usize, object: u64, parity: u64) {
        let warp = self.warp_of_cluster();
        let epoch = self.sync.epoch(self.visit.warp);
        let mine = |begun: &&mut PendingCopy| {
            (begun.warp, begun.lane, begun.until) == (warp, lane as u32, CopyCompletion::Waited(CopyFamily::Single))
        };
        // The thread may still wait for them itself.
        let copies = &mut self.cluster.copies.begun;
        let told: Vec<PendingCopy> = copies
            .iter_mut()
            .filter(mine)
            .map(|begun| PendingCopy { until: CopyCompletion::Phase { object, parity }, epoch, ..*begun })
            .collect();
        copies.extend(told);
    }

    /// Somebody has seen a phase end: its copies are what their threads had done when they told the mbarrier.
    pub(crate) fn phase_completed(&mut self, object: u64, parity: u64) {
        for begun in self.take(|begun| begun.until == CopyCompletion::Phase { object, parity }) {
            self.restamp(&begun, IN_FLIGHT | begun.warp, begun.epoch);
        }
    }

    /// The block ends: what it copies to global memory arrives.
    pub(super) fn complete_global_copies(&mut self) {
        let rank = self.cluster.clock.rank(self.sync.running());
        for begun in self.take(|begun| begun.stretch.region != MemoryRegion::Shared && begun.warp / WARPS == rank) {
            let epoch = self.sync.epoch(begun.warp % WARPS);
            self.restamp(&begun, IN_FLIGHT | begun.warp, epoch);
        }
    }

    /// The running warp's number among those of the cluster.
    pub(super) fn warp_of_cluster(&self) -> u32 {
        self.cluster.clock.rank(self.sync.running()) * WARPS + self.visit.warp
    }

    fn take(&mut self, done: impl Fn(&PendingCopy) -> bool) -> Vec<PendingCopy> {
        self.cluster.copies.begun.extract_if(.., |begun| done(begun)).collect()
    }

    fn restamp(&mut self, begun: &PendingCopy, from: u32, to: u32) {
        let PendingCopy { stretch: CopyRange { region, index, span, writes }, statement, lane, .. } = *begun;
        let stamp = |epoch| Stamp::new(epoch, statement, lane, Strength::Weak);
        let shadow = match region {
            MemoryRegion::Shared => &mut self.cluster.shared,
            MemoryRegion::Launch => &mut self.launch,
            MemoryRegion::Globals => &mut self.globals,
            MemoryRegion::Constants | MemoryRegion::Params | MemoryRegion::Local => return,
        };
        shadow.restamp(index, span, writes, stamp(from), stamp(to));
    }
}
