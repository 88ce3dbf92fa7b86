//! A memory access as the sanitizer sees it.

use crate::memory::region::{CheckedAddresses, Extent, MemoryRegion};
use crate::registers::{PerLane, lanes};

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
    pub(super) fn is_shared(&self) -> bool {
        let first = lanes(self.mask).next().and_then(|lane| self.extent(lane));
        first.is_some_and(|extent| extent.region == MemoryRegion::Shared)
    }

    #[inline]
    pub(super) fn span(&self) -> u64 {
        u64::from(self.size) * self.count as u64
    }

    #[inline]
    pub(super) fn extent(&self, lane: usize) -> Option<Extent> {
        self.checked.of(lane)
    }
}
