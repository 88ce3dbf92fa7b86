//! Weak accesses to words of shared memory by all lanes of a warp, in rows of eight lanes: the most frequent accesses.
//!
//! Nearly all of them only record their lanes. They are recorded without an [`AccessEvent`](super::event::AccessEvent). Where one
//! lane needs more, the instruction runs again in the general way, in the same epoch: what is recorded already is recorded again,
//! which changes nothing.

use super::Sanitizer;
use super::happens_before::Thread;
use super::row::Row;
use super::shadow::{Access, Shadow};
use super::stamp::{Stamp, Strength};
use crate::cuda::memory::spaces::Spaces;
use crate::cuda::order::SpecialOrder;

impl Sanitizer {
    /// Records the loads of the running instruction by all lanes; `false` if one of them needs the general check, which must
    /// follow.
    #[inline(always)]
    pub(crate) fn loaded_rows(&mut self, rows: &[Row; 4], spaces: &Spaces) -> bool {
        self.record_rows(rows, spaces, |shadow, row, access| shadow.load_row(row, access) == 0)
    }

    /// As [`Self::loaded_rows`], for stores.
    #[inline(always)]
    pub(crate) fn stored_rows(&mut self, rows: &[Row; 4], spaces: &Spaces) -> bool {
        self.record_rows(rows, spaces, |shadow, row, access| shadow.store_row(row, access))
    }

    #[inline(always)]
    fn record_rows(
        &mut self,
        rows: &[Row; 4],
        spaces: &Spaces,
        record: impl Fn(&mut Shadow, Row, &Access<'_>) -> bool,
    ) -> bool {
        self.has_begun = self.is_special(spaces) || !self.record_each(rows, record);
        !self.has_begun
    }

    /// Whether an access concerns more than the shadow of shared memory.
    #[inline(always)]
    fn is_special(&self, spaces: &Spaces) -> bool {
        let order = self.visit.order;
        (order.special != SpecialOrder::None)
            | order.strong
            | self.counts
            | (spaces.window.blocks > 1)
            | !self.prerequisite_writes.is_empty()
            | self.undefined.store.is_some()
            | self.accesses.is_some()
            | self.watch.is_some()
            | !self.checks.races
    }

    #[inline(always)]
    fn record_each(
        &mut self,
        rows: &[Row; 4],
        record: impl Fn(&mut Shadow, Row, &Access<'_>) -> bool,
    ) -> bool {
        let (statement, warp) = (self.visit.statement, self.visit.warp);
        let epoch = self.sync.epoch(warp);
        let of_warp = Access {
            sync: &self.sync,
            stamp: Stamp::new(epoch, statement, 0, Strength::Weak),
            thread: Thread { warp, lane: 0 },
            races: true,
            needs_initialized: true,
        };
        let shadow = &mut self.cluster.shared;
        // A plain loop, which is inlined whatever it holds.
        for (number, &row) in rows.iter().enumerate() {
            if !record(shadow, row, &of_warp.of_lane(8 * number as u32)) {
                return false;
            }
        }
        true
    }
}
