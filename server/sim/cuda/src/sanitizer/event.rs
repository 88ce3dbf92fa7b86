//! A memory access as the sanitizer sees it.

use crate::memory::region::{CheckedAddresses, Extent, MemoryRegion};
use crate::registers::{FULL, PerLane};
use crate::work::{LANE_ACCESS, LANE_LOAD};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// A load that writes each element to a separate register.
    Load,
    Read,
    /// A copy reads bytes of global memory, and passes on those without a value.
    Source,
    Store,
    Atomic,
    /// An atomic that stores a value which does not depend on the old one.
    Exchange,
    /// A copy completes at an mbarrier: an atomic that publishes all earlier accesses.
    Completion,
}

impl AccessKind {
    #[inline(always)]
    pub fn reads(self) -> bool {
        matches!(self, AccessKind::Load | AccessKind::Read | AccessKind::Source)
    }

    #[inline(always)]
    pub(super) fn is_strong(self) -> bool {
        matches!(self, AccessKind::Atomic | AccessKind::Exchange | AccessKind::Completion)
    }
}

pub struct AccessEvent<'t> {
    pub kind: AccessKind,
    pub checked: &'t CheckedAddresses,
    pub addresses: &'t PerLane<u64>,
    /// The size of an element, and the number of contiguous elements.
    pub size: u32,
    pub count: usize,
    pub mask: u32,
    /// The byte that a lane stores at this offset from its address.
    pub value: &'t dyn Fn(usize, u64) -> u8,
}

impl AccessEvent<'_> {
    #[inline]
    pub(super) fn span(&self) -> u64 {
        u64::from(self.size) * self.count as u64
    }

    /// What its checks cost, as the [meter](crate::meter) counts it. Words of shared memory that lanes access in rows are checked
    /// together.
    #[inline]
    pub(super) fn work(&self) -> u64 {
        let each = if self.kind.reads() { LANE_LOAD } else { LANE_ACCESS };
        if self.is_of_rows() { 0 } else { u64::from(self.mask.count_ones()) * each }
    }

    fn is_of_rows(&self) -> bool {
        let CheckedAddresses::One(Extent { region: MemoryRegion::Shared, .. }) = self.checked else {
            return false;
        };
        let (eights, _) = self.addresses.as_chunks::<8>();
        let is_row = |eight: &[u64; 8]| {
            let first = eight[0];
            (0..).zip(eight).all(|(lane, &address)| address == first + 4 * lane)
                || eight.iter().all(|&address| address == first)
        };
        self.span() == 4 && self.mask == FULL && eights.iter().all(is_row)
    }

    #[inline]
    pub(super) fn extent(&self, lane: usize) -> Option<Extent> {
        self.checked.of(lane)
    }
}
