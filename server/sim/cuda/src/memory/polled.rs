//! Memory that a waiting warp reads repeatedly.

use super::region::MemoryRegion;

/// Up to eight bytes of memory that other threads may write, as a waiting warp read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolledValue {
    pub region: MemoryRegion,
    pub index: usize,
    pub size: u32,
    /// The bits on which the wait depends.
    pub mask: u64,
    /// The value of these bits.
    pub value: u64,
}

impl PolledValue {
    #[inline]
    pub fn location(&self) -> MemoryRange {
        MemoryRange { region: self.region, index: self.index, size: self.size }
    }
}

#[derive(Clone, Debug, Default)]
pub struct PolledMemory {
    /// The statement and the lanes of the first access.
    pub first: Option<(u32, u32)>,
    pub values: Vec<PolledValue>,
    pub reads_clock: bool,
    /// The memory that each iteration changes, if the warp repeats the iteration until the polled memory changes.
    /// `None` if the warp may stop by itself, or if this is unknown.
    pub writes: Option<Vec<MemoryRange>>,
    /// If the iteration has barriers: the number of memory changes when it was observed. Until memory changes again,
    /// the warp repeats the iteration, in which it waits for the others at the barriers.
    pub at_barriers: Option<u64>,
}

/// Bytes of memory that other threads may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryRange {
    pub region: MemoryRegion,
    pub index: usize,
    pub size: u32,
}

impl MemoryRange {
    pub fn words(self) -> impl Iterator<Item = (MemoryRegion, usize)> {
        let words = self.index / 4..(self.index + self.size as usize).div_ceil(4);
        words.map(move |word| (self.region, word))
    }
}
