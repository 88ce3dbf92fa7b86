//! Tracking of asynchronous copies from their start to their completion.

use super::Sanitizer;
use super::copies::{Commit, CopyCompletion, CopyFamily, CopyRange, MAX_COPIES, PendingCopy, WARPS};
use super::stamp::{IN_FLIGHT, Stamp, Strength};
use crate::memory::region::MemoryRegion;
use crate::registers::lanes;

impl Sanitizer {
    /// The access that a lane has just reported belongs to a copy in flight.
    pub fn copy_started(&mut self, range: CopyRange, lane: usize, until: CopyCompletion) {
        if !self.report.checks.races || self.cluster.copies.begun.len() >= MAX_COPIES {
            return;
        }
        let (warp, statement) = (self.warp_of_cluster(), self.report.visit.statement);
        let group = match until {
            CopyCompletion::Waited(family) => self.cluster.copies.closed(warp, family)[lane],
            CopyCompletion::Phase { .. } => 0,
        };
        let epoch = self.sync.epoch(self.report.visit.warp);
        let special = self.report.visit.order.special;
        let begun = PendingCopy { range, statement, special, warp, lane: lane as u32, until, group, epoch };
        self.restamp(&begun, epoch, IN_FLIGHT | warp);
        self.cluster.copies.begun.push(begun);
    }

    pub fn closed(&mut self, family: CopyFamily, mask: u32) {
        let warp = self.warp_of_cluster();
        let closed = self.cluster.copies.closed(warp, family);
        lanes(mask).for_each(|lane| closed[lane] += 1);
    }

    /// Lanes wait until at most `left` committed groups are in flight, or until all copies are complete. With `read`,
    /// they wait only until the sources have been read.
    pub fn waited(&mut self, family: CopyFamily, mask: u32, left: Option<u32>, read: bool) {
        let warp = self.warp_of_cluster();
        let closed = *self.cluster.copies.closed(warp, family);
        let done = |begun: &PendingCopy| {
            begun.warp == warp
                && mask >> begun.lane & 1 == 1
                && begun.until == CopyCompletion::Waited(family)
                && !(read && begun.range.writes)
                && left.is_none_or(|left| begun.group + left < closed[begun.lane as usize])
        };
        for begun in self.take(done) {
            let epoch = self.sync.epoch(self.report.visit.warp);
            self.restamp(&begun, IN_FLIGHT | warp, epoch);
        }
    }

    /// A lane arrives on an mbarrier with the copies of a family that it has started so far.
    pub fn arrive_on_copies(&mut self, lane: usize, family: CopyFamily, object: u64, parity: u64) {
        let warp = self.warp_of_cluster();
        let epoch = self.sync.epoch(self.report.visit.warp);
        let mine = |begun: &&mut PendingCopy| {
            (begun.warp, begun.lane, begun.until) == (warp, lane as u32, CopyCompletion::Waited(family))
        };
        // A new entry, because the thread may still wait for the copies itself.
        let copies = &mut self.cluster.copies.begun;
        let tracked: Vec<PendingCopy> = copies
            .iter_mut()
            .filter(mine)
            .map(|begun| PendingCopy { until: CopyCompletion::Phase { object, parity }, epoch, ..*begun })
            .collect();
        copies.extend(tracked);
    }

    /// A lane commits its tensor memory operations so far to a phase of an mbarrier.
    pub fn commit_operations(&mut self, lane: usize, object: u64, parity: u64) {
        if !self.report.checks.races || self.cluster.copies.commits.len() >= MAX_COPIES {
            return;
        }
        let warp = self.warp_of_cluster();
        let epoch = self.sync.epoch(self.report.visit.warp);
        let group = self.cluster.copies.closed(warp, CopyFamily::TensorMemory)[lane];
        let commit = Commit { warp, lane: lane as u32, group, object, parity, epoch };
        self.cluster.copies.commits.push(commit);
    }

    /// A thread observed the phase of a commit. Each operation gets the stamp that its thread had at the first commit after it, so
    /// that threads that waited for an earlier commit know it too.
    fn commits_completed(&mut self, object: u64, parity: u64) {
        let observed = |commit: &Commit| (commit.object, commit.parity) == (object, parity);
        let latest: Vec<Commit> = self.cluster.copies.commits.iter().copied().filter(observed).collect();
        for last in latest {
            let is_earlier = |commit: &Commit| {
                (commit.warp, commit.lane) == (last.warp, last.lane) && commit.group <= last.group
            };
            let commits: Vec<Commit> =
                self.cluster.copies.commits.extract_if(.., |commit| is_earlier(commit)).collect();
            for commit in commits {
                self.committed_cells(&commit);
                for begun in self.take(|begun| commit.covers(begun)) {
                    self.restamp(&begun, IN_FLIGHT | begun.warp, commit.epoch);
                }
            }
        }
    }

    /// A thread observed that a phase completed: the phase's copies get the stamps that their threads had at the
    /// arrival.
    pub fn phase_completed(&mut self, object: u64, parity: u64) {
        self.note_wait();
        self.cluster.copies.completed.insert(object, parity);
        for begun in self.take(|begun| begun.until == CopyCompletion::Phase { object, parity }) {
            self.restamp(&begun, IN_FLIGHT | begun.warp, begun.epoch);
            self.note_observed(begun, object);
        }
        self.commits_completed(object, parity);
    }

    /// The block exits: its copies to global memory complete.
    pub(super) fn complete_global_copies(&mut self) {
        let rank = self.rank();
        for begun in
            self.take(|begun| begun.range.region != MemoryRegion::Shared && begun.warp / WARPS == rank)
        {
            let epoch = self.sync.epoch(begun.warp % WARPS);
            self.restamp(&begun, IN_FLIGHT | begun.warp, epoch);
        }
    }

    pub(super) fn rank(&self) -> u32 {
        self.cluster.clock.rank(self.sync.running())
    }

    pub(super) fn warp_of_cluster(&self) -> u32 {
        self.rank() * WARPS + self.report.visit.warp
    }

    pub(super) fn take(&mut self, done: impl Fn(&PendingCopy) -> bool) -> Vec<PendingCopy> {
        self.cluster.copies.begun.extract_if(.., |begun| done(begun)).collect()
    }

    fn restamp(&mut self, begun: &PendingCopy, from: u32, to: u32) {
        let PendingCopy { range: CopyRange { region, index, span, writes }, statement, lane, .. } = *begun;
        let made = Stamp::new(from, statement, lane, Strength::Weak);
        if let Some((shadow, _)) = self.memory.of(region) {
            shadow.restamp(index, span, writes, made, to);
        }
    }
}
