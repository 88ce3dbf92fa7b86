//! Memory that a waiting warp reads again and again.

use super::region::MemoryRegion;

/// Up to eight bytes of memory that other threads may write, as a waiting warp read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PolledValue {
    pub(crate) region: MemoryRegion,
    /// The first byte in the region.
    pub(crate) index: usize,
    pub(crate) size: u32,
    /// The bits that the wait depends on.
    pub(crate) mask: u64,
    /// Their value.
    pub(crate) value: u64,
}

impl PolledValue {
    /// The location, without the value.
    pub(crate) fn location(&self) -> (MemoryRegion, usize, u32) {
        (self.region, self.index, self.size)
    }
}

/// The memory that a waiting warp polls.
#[derive(Clone, Debug, Default)]
pub(crate) struct PolledMemory {
    /// The statement and the lanes of the first access.
    pub(crate) first: Option<(u32, u32)>,
    pub(crate) values: Vec<PolledValue>,
    /// Whether the loop reads the clock.
    pub(crate) reads_clock: bool,
}
