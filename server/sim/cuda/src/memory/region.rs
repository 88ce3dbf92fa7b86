//! Memory regions, address ranges in them, and the result of an address check.

use crate::address::Space;
use crate::registers::PerLane;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryRegion {
    Launch,
    Globals,
    Constants,
    Params,
    Shared,
    Local,
}

impl MemoryRegion {
    /// Whether it is memory of the device, which all blocks share and may write.
    #[inline]
    pub fn is_device(self) -> bool {
        matches!(self, MemoryRegion::Launch | MemoryRegion::Globals)
    }

    /// Whether threads share the region and may write it.
    #[inline]
    pub fn is_common(self) -> bool {
        matches!(self, MemoryRegion::Launch | MemoryRegion::Globals | MemoryRegion::Shared)
    }
}

/// A contiguous range of accessible addresses. Byte 0 of its region has the address `origin`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    pub region: MemoryRegion,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) origin: u64,
    pub(super) read_only: bool,
}

impl Extent {
    #[inline(always)]
    pub fn holds(self, address: u64, span: u64) -> bool {
        address >= self.start && address <= self.end && self.end - address >= span
    }

    /// Bytes from `address` to the end of the extent.
    #[inline]
    pub fn end_of(self, address: u64) -> u64 {
        self.end.saturating_sub(address)
    }

    /// The offset of `address` in the region.
    #[inline(always)]
    pub fn index(self, address: u64) -> usize {
        address.wrapping_sub(self.origin) as usize
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessMode {
    Load,
    Store,
}

impl AccessMode {
    pub(crate) fn name(self) -> &'static str {
        match self {
            AccessMode::Load => "load",
            AccessMode::Store => "store",
        }
    }
}

/// An invalid access of `span` bytes, in elements of `unit` bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct InvalidAccess {
    pub(super) space: Space,
    pub(super) address: u64,
    pub(super) span: u64,
    pub(super) unit: u64,
    pub(super) mode: AccessMode,
}

pub enum CheckedAddresses {
    One(Extent),
    Each(Box<PerLane<Option<Extent>>>),
}

impl CheckedAddresses {
    /// Whether other threads may read what is stored there.
    #[inline(always)]
    pub fn is_common(&self) -> bool {
        match self {
            CheckedAddresses::One(extent) => extent.region.is_common(),
            CheckedAddresses::Each(extents) => {
                extents.iter().flatten().any(|extent| extent.region.is_common())
            }
        }
    }

    #[inline(always)]
    pub fn of(&self, lane: usize) -> Option<Extent> {
        match self {
            CheckedAddresses::One(extent) => Some(*extent),
            CheckedAddresses::Each(extents) => extents[lane],
        }
    }
}
