//! Weak writes behind a later strong one.
//!
//! A cell keeps its last write. If that is strong, as of an atomic, other strong accesses need not be ordered after it; but they must be
//! ordered after the weak write that it replaced, such as the initialization of a counter.

use rustc_hash::FxHashMap;

use crate::sanitizer::stamp::Stamp;

/// Beyond this number further ones are not kept.
const MOST: usize = 1 << 16;

/// By the first byte of the cell. Few cells have one: after a barrier the weak write needs no attention.
#[derive(Clone, Default)]
pub(super) struct HiddenWrites(FxHashMap<u64, Stamp>);

impl HiddenWrites {
    /// The weak write behind the last one, for a strong access to the cell.
    #[inline(always)]
    pub(super) fn of(&self, at: u64, access: Stamp) -> Option<Stamp> {
        if self.0.is_empty() || access.is_weak() { None } else { self.0.get(&at).copied() }
    }

    /// A store has replaced the last write of a cell. `settled` tells whether all threads know the accesses of an epoch.
    #[inline(always)]
    pub(super) fn replaced(&mut self, at: u64, write: Stamp, by: Stamp, settled: impl Fn(u32) -> bool) {
        if by.is_weak() {
            if !self.0.is_empty() {
                self.0.remove(&at);
            }
        } else if write.is_there() && write.is_weak() && !settled(write.epoch) {
            self.insert(at, write, settled);
        }
    }

    #[cold]
    fn insert(&mut self, at: u64, write: Stamp, settled: impl Fn(u32) -> bool) {
        if self.0.len() == MOST {
            self.0.retain(|_, write| !settled(write.epoch));
        }
        if self.0.len() < MOST {
            self.0.insert(at, write);
        }
    }

    pub(super) fn clear(&mut self, start: u64, len: u64) {
        self.0.retain(|at, _| !(start..start + len).contains(at));
    }
}
