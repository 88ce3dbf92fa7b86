//! The set of bytes that a range of blocks accesses in memory that all blocks share. It shows whether ranges of blocks
//! are independent, and which bytes each range has written.
//!
//! Each granule is one bit. A list of the nonzero words makes iteration proportional to the accesses instead of the
//! memory.

use warplens_sim_warp::accessed_bytes::{self, AccessedBytes};

use super::region::{AccessMode, Extent, MemoryRegion};
use crate::registers::{PerLane, lanes};

const GRANULE: usize = accessed_bytes::GRANULE as usize;
/// Bytes of memory that one word of bits covers.
const WORD_BYTES: usize = 64 * GRANULE;

#[derive(Clone, Debug)]
struct Granules {
    words: Vec<u64>,
    dirty: Vec<u32>,
}

impl Granules {
    fn new(bytes: usize) -> Granules {
        Granules { words: vec![0; bytes.div_ceil(WORD_BYTES)], dirty: Vec::new() }
    }

    fn add(&mut self, word: usize, bits: u64) {
        let have = &mut self.words[word];
        if *have == 0 {
            self.dirty.push(word as u32);
        }
        *have |= bits;
    }

    /// Adds the granules of `len` bytes; `len` is at least one.
    #[inline]
    fn add_bytes(&mut self, at: usize, len: usize) {
        let (mut first, last) = (at / GRANULE, (at + len - 1) / GRANULE);
        while first <= last {
            let count = (last - first + 1).min(64 - first % 64);
            self.add(first / 64, (u64::MAX >> (64 - count)) << (first % 64));
            first += count;
        }
    }

    fn is_disjoint(&self, others: &Granules) -> bool {
        let (few, many) = if self.dirty.len() < others.dirty.len() { (self, others) } else { (others, self) };
        few.dirty.iter().all(|&word| few.words[word as usize] & many.words[word as usize] == 0)
    }

    fn drain(&mut self) -> impl Iterator<Item = (usize, u64)> {
        let words = &mut self.words;
        self.dirty.drain(..).map(|word| (word as usize, std::mem::take(&mut words[word as usize])))
    }
}

#[derive(Clone, Debug)]
struct RegionAccesses {
    region: MemoryRegion,
    read: Granules,
    written: Granules,
}

#[derive(Clone, Debug)]
pub struct AccessSet {
    regions: [RegionAccesses; 2],
}

impl AccessSet {
    /// An empty set for regions of `launch` and `globals` bytes.
    pub(crate) fn new(launch: usize, globals: usize) -> AccessSet {
        let of = |region, bytes| RegionAccesses {
            region,
            read: Granules::new(bytes),
            written: Granules::new(bytes),
        };
        AccessSet { regions: [of(MemoryRegion::Launch, launch), of(MemoryRegion::Globals, globals)] }
    }

    /// Adds an access of `span` bytes per lane.
    #[inline]
    pub(crate) fn note(
        &mut self,
        extent: Extent,
        addresses: &PerLane<u64>,
        span: u64,
        mode: AccessMode,
        mask: u32,
    ) {
        let Some(of) = self.regions.iter_mut().find(|of| of.region == extent.region) else { return };
        let granules = match mode {
            AccessMode::Load => &mut of.read,
            AccessMode::Store => &mut of.written,
        };
        // Lanes usually access contiguous bytes, so their common range is added at once.
        let mut range = 0..0;
        for lane in lanes(mask) {
            let at = extent.index(addresses[lane]);
            if at == range.end {
                range.end += span as usize;
                continue;
            }
            if !range.is_empty() {
                granules.add_bytes(range.start, range.len());
            }
            range = at..at + span as usize;
        }
        if !range.is_empty() {
            granules.add_bytes(range.start, range.len());
        }
    }

    /// The accesses to the memory of the launch, which begins at the address `base`.
    pub fn into_launch(self, base: u64) -> AccessedBytes {
        let [launch, _] = self.regions;
        AccessedBytes::new(base, launch.read.words, launch.written.words)
    }

    /// Whether neither range of blocks wrote bytes that the other accessed.
    fn is_disjoint(&self, others: &AccessSet) -> bool {
        self.regions.iter().zip(&others.regions).all(|(ours, theirs)| {
            ours.written.is_disjoint(&theirs.read)
                && ours.written.is_disjoint(&theirs.written)
                && ours.read.is_disjoint(&theirs.written)
        })
    }

    /// Adds the accesses of other blocks, which ran on a copy of the memory, and copies the bytes that they wrote from
    /// `from` to `to`, the bytes of the regions. Returns `false` if one side wrote bytes that the other accessed.
    pub fn absorb(&mut self, others: &mut AccessSet, from: [&[u8]; 2], to: [&mut [u8]; 2]) -> bool {
        if !self.is_disjoint(others) {
            return false;
        }
        let regions = self.regions.iter_mut().zip(&mut others.regions);
        for ((ours, theirs), (source, target)) in regions.zip(from.into_iter().zip(to)) {
            theirs.read.drain().for_each(|(word, bits)| ours.read.add(word, bits));
            for (word, bits) in theirs.written.drain() {
                ours.written.add(word, bits);
                for granule in (0..64).filter(|granule| bits >> granule & 1 == 1) {
                    let at = word * WORD_BYTES + granule * GRANULE;
                    target[at..at + GRANULE].copy_from_slice(&source[at..at + GRANULE]);
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(spans: &[(usize, usize)]) -> Granules {
        let mut granules = Granules::new(4096);
        spans.iter().for_each(|&(at, len)| granules.add_bytes(at, len));
        granules
    }

    #[test]
    fn bytes_become_granules() {
        let mut granules = set(&[(5, 1), (248, 16), (1024, 512)]);
        let mut words: Vec<_> = granules.drain().collect();
        words.sort_unstable();
        assert_eq!(words, [(0, 3 << 62 | 2), (1, 3), (4, u64::MAX), (5, u64::MAX)]);
        assert_eq!(granules.drain().count(), 0);
    }

    #[test]
    fn disjoint_and_overlapping_sets() {
        assert!(set(&[(0, 256), (600, 4)]).is_disjoint(&set(&[(256, 100), (604, 4)])));
        assert!(!set(&[(0, 256), (600, 4)]).is_disjoint(&set(&[(602, 1)])));
    }
}
