//! Lanes of one store that write the same bytes to the same address.
//!
//! Such a store is no problem in itself: compilers replicate values this way. For races with other accesses, the first and the last
//! of these lanes stand for all, because no thread that made another access is both of them.

use super::conflicts::Conflicts;
use super::event::{AccessEvent, AccessKind};
use super::stamp::Stamp;
use crate::registers::filter_lanes;

impl AccessEvent<'_> {
    /// The lanes of a store that repeat what the first and the last lane write. It is enough to check those two. Once the race between
    /// the lanes is known, lanes that write other bytes count, too.
    pub(super) fn repeated(&self, is_known: impl FnOnce() -> bool) -> u32 {
        if self.kind != AccessKind::Store || self.mask.count_ones() < 3 {
            return 0;
        }
        let (first, last) = (self.mask.trailing_zeros() as usize, self.mask.ilog2() as usize);
        if self.addresses[first] != self.addresses[last] {
            return 0;
        }
        let is_known = is_known();
        let whole = u128::MAX >> (128 - 8 * self.size);
        let is_same = |lane: usize| {
            let is_equal = |n: usize| ((self.value)(lane, n) ^ (self.value)(last, n)) & whole == 0;
            self.addresses[lane] == self.addresses[last] && (is_known || (0..self.count).all(is_equal))
        };
        match is_same(first) {
            true => filter_lanes(self.mask & !(1 << first | 1 << last), is_same),
            false => 0,
        }
    }
}

impl Conflicts {
    /// Adds the repeated lanes to the conflict of the last lane with the first one, which has the stamp `first`: each of them conflicts
    /// with the lane before it.
    pub(super) fn add_repeated(&mut self, repeated: u32, first: Stamp) {
        for (_, mask, lane_conflicts) in self.found.iter_mut().filter(|_| repeated != 0) {
            if lane_conflicts.iter().any(|found| found.conflict.before.is_of_same_access(first)) {
                *mask |= repeated;
            }
        }
    }
}
