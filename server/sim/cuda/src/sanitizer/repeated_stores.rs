//! Lanes of one store that write the same bytes to the same address.
//!
//! Such a store is no problem in itself: compilers replicate values this way. For races with other accesses, the first and the last
//! of these lanes stand for all, because no thread that made another access is both of them.

use super::conflicts::Conflicts;
use super::event::{AccessEvent, AccessKind};
use super::stamp::Stamp;
use crate::registers::filter_lanes;

impl AccessEvent<'_> {
    /// The lanes of a store that repeat what the first and the last lane write. It is enough to check those two.
    pub(super) fn repeated(&self) -> u32 {
        if self.kind != AccessKind::Store || self.mask.count_ones() < 3 {
            return 0;
        }
        let (first, last) = (self.mask.trailing_zeros() as usize, self.mask.ilog2() as usize);
        match self.stores_same(first, last) {
            true => filter_lanes(self.mask & !(1 << first | 1 << last), |lane| self.stores_same(lane, last)),
            false => 0,
        }
    }

    /// Whether two lanes write the same bytes to the same address.
    pub(super) fn stores_same(&self, lane: usize, other: usize) -> bool {
        let whole = u128::MAX >> (128 - 8 * self.size);
        let is_equal =
            |element: usize| ((self.value)(lane, element) ^ (self.value)(other, element)) & whole == 0;
        self.addresses[lane] == self.addresses[other] && (0..self.count).all(is_equal)
    }
}

impl Conflicts {
    /// Adds the repeated lanes to the conflict between the last and the first lane, whose stamp is `first`. If all were checked, each
    /// would conflict with the lane before it.
    pub(super) fn add_repeated(&mut self, repeated: u32, first: Stamp) {
        for (_, mask, lane_conflicts) in self.found.iter_mut().filter(|_| repeated != 0) {
            if lane_conflicts.iter().any(|found| found.conflict.before.is_of_same_access(first)) {
                *mask |= repeated;
            }
        }
    }
}
