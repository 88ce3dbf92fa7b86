//! Livelocks: all warps poll memory that none of them changes, although their loops change other memory, such as a counter
//! of iterations.

use rustc_hash::FxHashSet;

use crate::memory::polled::{MemoryRange, PolledMemory};
use crate::memory::region::MemoryRegion;

/// A word of memory; shared memory belongs to a cluster, whose number comes first.
type Word = (Option<u32>, MemoryRegion, usize);

/// The memory that waiting warps read and write.
#[derive(Debug, Default)]
pub(super) struct Livelock {
    /// The number of the cluster whose warps are added next; the caller counts.
    pub(super) cluster: u32,
    /// Whether warps of this cluster iterate over barriers, so that they release others that wait there.
    pub(super) opens_barriers: bool,
    polled: FxHashSet<Word>,
    written: FxHashSet<Word>,
}

impl Livelock {
    /// Adds a warp that repeats its iteration until the memory that it polls changes; the iteration writes these bytes.
    /// Returns `true`.
    pub(super) fn add(&mut self, polled: &PolledMemory, writes: &[MemoryRange]) -> bool {
        let cluster = self.cluster;
        let word = |(region, index)| ((region == MemoryRegion::Shared).then_some(cluster), region, index);
        self.polled.extend(polled.values.iter().flat_map(|value| value.location().words()).map(word));
        self.written.extend(writes.iter().flat_map(|range| range.words()).map(word));
        true
    }

    /// Whether no warp changes the memory that another one polls.
    pub(super) fn is_certain(&self) -> bool {
        self.polled.is_disjoint(&self.written)
    }
}
