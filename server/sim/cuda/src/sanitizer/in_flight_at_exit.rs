//! Copies and products in flight when their block exits: its shared memory then belongs to the next block.
//!
//! The check does not depend on the schedule: if an mbarrier of another block tracks a copy, a thread of the exiting block must know
//! that the copy is complete, from a thread that has waited there.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::trace::WarpId;

use super::Sanitizer;
use super::copies::{CopyCompletion, CopyFamily, ObservedCopy, PendingCopy, WARPS};
use super::happens_before::Thread;
use crate::memory::region::MemoryRegion;
use crate::order::SpecialOrder;
use crate::registers::WIDTH;

impl Sanitizer {
    /// A thread observed that a copy is complete.
    pub(super) fn note_observed(&mut self, begun: PendingCopy, object: u64) {
        let range = begun.range;
        if range.region != MemoryRegion::Shared || self.owner(range.index) == self.owner(object) {
            return;
        }
        let epoch = self.cluster.mbarriers.0.get(&object).map_or(0, |phases| phases.epochs[0]);
        let observed = ObservedCopy { begun, key: self.key(object), epoch };
        let is_same = |other: &&mut ObservedCopy| {
            (other.begun.statement, other.begun.warp, other.begun.range.writes, other.key)
                == (begun.statement, begun.warp, range.writes, observed.key)
        };
        match self.cluster.copies.observed.iter_mut().find(is_same) {
            Some(other) => *other = observed,
            None => self.cluster.copies.observed.push(observed),
        }
    }

    /// The block exits: its shared memory goes, also where its copies and products still access it.
    pub(super) fn check_in_flight_at_exit(&mut self) {
        if !self.report.checks.races {
            return;
        }
        let (rank, bytes) = (self.rank(), self.cluster.block_bytes);
        let is_of_block = |begun: &PendingCopy| {
            begun.range.region == MemoryRegion::Shared
                && begun.warp / WARPS == rank
                && begun.range.index.checked_div(bytes) == Some(rank.into())
                && begun.special != SpecialOrder::None
        };
        let (products, copies): (Vec<_>, Vec<_>) = self
            .take(is_of_block)
            .into_iter()
            .partition(|begun| begun.until == CopyCompletion::Waited(CopyFamily::Products));
        copies.into_iter().for_each(|begun| self.report_exit(begun));
        // One wait covers all products of a warp.
        if let Some(first) = products.first().filter(|_| !products.iter().any(|begun| self.is_raced(begun))) {
            self.report_exit(*first);
        }
        let observed: Vec<ObservedCopy> =
            self.cluster.copies.observed.extract_if(.., |observed| is_of_block(&observed.begun)).collect();
        for ObservedCopy { begun, key, epoch } in observed {
            let mut threads = (0..self.report.warps())
                .flat_map(|warp| (0..WIDTH as u32).map(move |lane| Thread { warp, lane }));
            if !threads.any(|thread| self.sync.knows_phase(thread, key, epoch)) {
                self.report_exit(begun);
            }
        }
    }

    /// Whether another access while the copy was in flight shows the same missing wait.
    fn is_raced(&self, begun: &PendingCopy) -> bool {
        self.report.reported.iter().any(|&(kind, _, other)| {
            use FindingKind::{AsyncResult, AsyncSource, DataRace, MbarrierPhase};
            matches!(kind, DataRace | AsyncResult | AsyncSource | MbarrierPhase)
                && other == Some(begun.statement)
        })
    }

    fn report_exit(&mut self, begun: PendingCopy) {
        let kind = if begun.range.writes { FindingKind::AsyncResult } else { FindingKind::AsyncSource };
        if self.is_raced(&begun) || !self.report.reported.insert((kind, begun.statement, None)) {
            return;
        }
        let noun = begun.noun();
        let verb = if begun.range.writes { "write" } else { "read" };
        let advice = self.advice_at_exit(&begun);
        let message = format!(
            "Shared-memory race: the block exits while a {noun} may {verb} its shared memory\n{advice}"
        );
        let warp = WarpId { cta: self.report.cta, warp: begun.warp % WARPS };
        let finding = warp.finding(kind, message, begun.statement, 1u32 << begun.lane);
        self.report.findings.push(finding);
    }

    fn advice_at_exit(&self, begun: &PendingCopy) -> &'static str {
        match self.cluster.copies.completion(begun) {
            CopyCompletion::Waited(CopyFamily::Products) => {
                "execute `wgmma.commit_group.sync.aligned` after the product, and `wgmma.wait_group.sync.aligned 0` before the exit"
            }
            CopyCompletion::Waited(CopyFamily::TensorMemory | CopyFamily::CellStores) => {
                "execute `tcgen05.commit` with an mbarrier in the thread that started it, and wait for that mbarrier before the exit"
            }
            CopyCompletion::Waited(CopyFamily::Bulk | CopyFamily::Single) => {
                "wait in the thread that started it, after \
                 `cp.async.bulk.commit_group`, with `cp.async.bulk.wait_group.read 0`; a group that was not committed is not waited \
                 for, and a thread waits only for its own groups"
            }
            CopyCompletion::Phase { object, .. } if self.owner(object) == self.owner(begun.range.index) => {
                "wait for the mbarrier that tracks it, with `mbarrier.try_wait`, in a thread of the block"
            }
            CopyCompletion::Phase { .. } => {
                "an mbarrier of another block tracks it: let a thread that has waited there tell this block, with a barrier of the \
                 cluster or an arrival at an mbarrier of this block"
            }
        }
    }

    /// The rank of the block that owns an offset of the cluster's shared memory.
    fn owner(&self, index: u64) -> Option<u64> {
        index.checked_div(self.cluster.block_bytes)
    }
}
