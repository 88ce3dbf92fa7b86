//! Memory that a waiting warp reads again and again.

use super::region::MemoryRegion;

/// Up to eight bytes of memory that other threads may write, as a waiting warp read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolledValue {
    pub region: MemoryRegion,
    /// The first byte in the region.
    pub index: usize,
    pub size: u32,
    /// The bits that the wait depends on.
    pub mask: u64,
    /// Their value.
    pub value: u64,
}

impl PolledValue {
    /// The location, without the value.
    #[inline]
    pub fn location(&self) -> MemoryRange {
        MemoryRange { region: self.region, index: self.index, size: self.size }
    }
}

/// The memory that a waiting warp polls.
#[derive(Clone, Debug, Default)]
pub struct PolledMemory {
    /// The statement and the lanes of the first access.
    pub first: Option<(u32, u32)>,
    pub values: Vec<PolledValue>,
    /// Whether the loop reads the clock.
    pub reads_clock: bool,
    /// The memory that each iteration changes, if the warp repeats its iteration until the polled memory changes; `None` if it
    /// may stop by itself, or if that is not known.
    pub writes: Option<Vec<MemoryRange>>,
    /// If the iteration has barriers: how often memory had changed when it was observed. Until it changes again, the warp repeats
    /// the iteration, in which it waits at the barriers for the others.
    pub at_barriers: Option<u64>,
}

/// Bytes of memory that other threads may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryRange {
    pub region: MemoryRegion,
    /// The first byte in the region.
    pub index: usize,
    pub size: u32,
}

impl MemoryRange {
    /// The words that it touches.
    pub fn words(self) -> impl Iterator<Item = (MemoryRegion, usize)> {
        let words = self.index / 4..(self.index + self.size as usize).div_ceil(4);
        words.map(move |word| (self.region, word))
    }
}
