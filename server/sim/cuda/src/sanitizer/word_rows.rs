//! Weak accesses to words of shared memory by all lanes of a warp, in rows of eight lanes. These are the most frequent
//! accesses.
//!
//! Nearly all of them only record their lanes, without an [`AccessEvent`](super::event::AccessEvent). If one lane needs
//! more, the instruction is checked again on the general path, in the same epoch: what was already recorded is recorded
//! again, which changes nothing.

use super::Sanitizer;
use super::happens_before::Thread;
use super::row::WordRow;
use super::shadow::{Shadow, ShadowAccess};
use super::stamp::{Stamp, Strength};
use crate::order::SpecialOrder;
use crate::registers::FULL;

impl Sanitizer {
    /// Records the loads of the running instruction by all lanes of a block that is not in a cluster. Returns `false`
    /// if a lane needs the general check, which must follow.
    #[inline(always)]
    pub fn loaded_rows(&mut self, rows: &[WordRow; 4]) -> bool {
        self.has_begun = self.is_special() || !self.record_loads(rows);
        self.note_uses();
        !self.has_begun
    }

    /// Like [`Self::loaded_rows`], for stores.
    #[inline(always)]
    pub fn stored_rows(&mut self, rows: &[WordRow; 4]) -> bool {
        self.has_begun = self.is_special() || !self.record_stores(rows);
        self.note_uses();
        !self.has_begun
    }

    /// All lanes of the warp use the values that the running access needs.
    #[inline(always)]
    fn note_uses(&mut self) {
        let (statement, warp) = (self.report.visit.statement, self.report.visit.warp);
        self.block.uses.accessed(&self.patterns.uses, (statement, warp), FULL);
    }

    /// Whether accesses concern more than the shadow of shared memory.
    #[inline(always)]
    fn is_special(&self) -> bool {
        let order = self.report.visit.order;
        (order.special != SpecialOrder::None)
            | order.strong
            | self.cost.counts
            | !self.prerequisite_writes.is_empty()
            | self.tracks_unwritten()
            | self.undefined.store.is_some()
            | self.cost.accesses.is_some()
            | self.listed.is_some()
            | self.watch.is_some()
            | !self.report.checks.races
    }

    /// Checks rows of the same words once: often all rows, or both halves of the warp, load the same words.
    #[inline(always)]
    fn record_loads(&mut self, rows: &[WordRow; 4]) -> bool {
        let (shadow, access) = self.shared_access();
        let (halves, firsts) = if rows[..2] == rows[2..] { (1, 0x1_0001) } else { (2, 1) };
        // Plain loops, because they are inlined whatever their body contains.
        for half in 0..halves {
            let eights = if rows[2 * half] == rows[2 * half + 1] { 1 } else { 2 };
            for (number, row) in rows.iter().enumerate().skip(2 * half).take(eights) {
                let firsts = if eights == 1 { 0x101 * firsts } else { firsts };
                let lane = 8 * number as u32;
                if shadow.load_row(*row, firsts << lane, &access.of_lane(lane)) != 0 {
                    return false;
                }
            }
        }
        true
    }

    #[inline(always)]
    fn record_stores(&mut self, rows: &[WordRow; 4]) -> bool {
        let (shadow, access) = self.shared_access();
        for (number, row) in rows.iter().enumerate() {
            if !shadow.store_row(*row, &access.of_lane(8 * number as u32)) {
                return false;
            }
        }
        true
    }

    /// The shadow of shared memory, and a weak access to it by the running warp.
    #[inline(always)]
    fn shared_access(&mut self) -> (&mut Shadow, ShadowAccess<'_>) {
        let (statement, warp) = (self.report.visit.statement, self.report.visit.warp);
        let epoch = self.sync.epoch(warp);
        let access = ShadowAccess {
            sync: &self.sync,
            stamp: Stamp::new(epoch, statement, 0, Strength::Weak),
            thread: Thread { warp, lane: 0 },
            races: true,
            needs_initialized: true,
        };
        (&mut self.memory.shared, access)
    }
}
