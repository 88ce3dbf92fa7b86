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
    pub(crate) fn location(&self) -> MemoryRange {
        MemoryRange { region: self.region, index: self.index, size: self.size }
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
    /// The memory that each iteration changes, if the warp repeats its iteration until the polled memory changes; `None` if it
    /// may stop by itself, or if that is not known.
    pub(crate) writes: Option<Vec<MemoryRange>>,
    /// If the iteration has barriers: how often memory had changed when it was observed. Until it changes again, the warp repeats
    /// the iteration, in which it waits at the barriers for the others.
    pub(crate) at_barriers: Option<u64>,
}

/// Bytes of memory that other threads may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MemoryRange {
    pub(crate) region: MemoryRegion,
    /// The first byte in the region.
    pub(crate) index: usize,
    pub(crate) size: u32,
}

impl MemoryRange {
    /// The words that it touches.
    pub(crate) fn words(self) -> impl Iterator<Item = (MemoryRegion, usize)> {
        let words = self.index / 4..(self.index + self.size as usize).div_ceil(4);
        words.map(move |word| (self.region, word))
    }
}
