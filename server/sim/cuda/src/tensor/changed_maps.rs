//! Tensor maps that the device has changed, and whether copies see the changes.
//!
//! Copies read maps through the tensormap proxy. After a change, a release and an acquire of that proxy must precede
//! the use.

use rustc_hash::FxHashMap;

use crate::memory::region::MemoryRegion;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Written,
    /// A thread has released it, but none has acquired it yet.
    Released,
}

/// Changed maps in global memory that no thread has acquired since, by region and offset, each with the statement of
/// the change.
#[derive(Clone, Debug, Default)]
pub struct ChangedMaps(FxHashMap<(MemoryRegion, usize), (Change, u32)>);

impl ChangedMaps {
    /// For a map that copies may not see yet: the statement that changed it, and whether only the acquire is missing.
    pub fn pending(&self, region: MemoryRegion, index: usize) -> Option<(u32, bool)> {
        self.0.get(&(region, index)).map(|(change, statement)| (*statement, *change == Change::Released))
    }

    pub fn note(&mut self, region: MemoryRegion, index: usize, change: Change, statement: u32) {
        if region.is_device() {
            self.0.insert((region, index), (change, statement));
        }
    }

    /// `fence.proxy.tensormap` with `.release`
    pub fn release(&mut self) {
        self.0.values_mut().for_each(|(change, _)| *change = Change::Released);
    }

    /// `fence.proxy.tensormap` with `.acquire`
    pub fn acquire(&mut self, region: MemoryRegion, index: usize) {
        if matches!(self.0.get(&(region, index)), Some((Change::Released, _))) {
            self.0.remove(&(region, index));
        }
    }
}
