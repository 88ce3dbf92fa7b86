//! The set of bytes that a range of blocks accesses in memory that all blocks share. It shows whether ranges of blocks
//! are independent, and which bytes each range has written.
//!
//! Each byte is one bit. A list of the nonzero words makes iteration proportional to the accesses instead of the
//! memory.

use std::ops::Range;

use warplens_sim_warp::accessed_bytes::AccessedBytes;

use super::region::{AccessMode, Extent, MemoryRegion};
use crate::grown::grown;
use crate::registers::{PerLane, lanes};

/// Bytes of memory that one word of bits covers.
const WORD: usize = 64;

#[derive(Clone, Debug)]
struct ByteSet {
    words: Vec<u64>,
    dirty: Vec<u32>,
}

impl ByteSet {
    fn new(bytes: usize) -> ByteSet {
        ByteSet { words: vec![0; bytes.div_ceil(WORD)], dirty: Vec::new() }
    }

    fn add(&mut self, word: usize, bits: u64) {
        // The heap of the device grows while a kernel runs.
        let have = grown(&mut self.words, word as u32);
        if *have == 0 {
            self.dirty.push(word as u32);
        }
        *have |= bits;
    }

    /// Adds `len` bytes.
    #[inline]
    fn add_bytes(&mut self, at: usize, len: usize) {
        let (mut first, end) = (at, at + len);
        while first < end {
            let count = (end - first).min(WORD - first % WORD);
            self.add(first / WORD, (u64::MAX >> (WORD - count)) << (first % WORD));
            first += count;
        }
    }

    fn is_disjoint(&self, others: &ByteSet) -> bool {
        let (few, many) = if self.dirty.len() < others.dirty.len() { (self, others) } else { (others, self) };
        let of_many = |word: u32| many.words.get(word as usize).copied().unwrap_or_default();
        few.dirty.iter().all(|&word| few.words[word as usize] & of_many(word) == 0)
    }

    fn drain(&mut self) -> impl Iterator<Item = (usize, u64)> {
        let words = &mut self.words;
        self.dirty.drain(..).map(|word| (word as usize, std::mem::take(&mut words[word as usize])))
    }
}

#[derive(Clone, Debug)]
struct RegionAccesses {
    region: MemoryRegion,
    read: ByteSet,
    written: ByteSet,
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
            read: ByteSet::new(bytes),
            written: ByteSet::new(bytes),
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
        let bytes = match mode {
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
                bytes.add_bytes(range.start, range.len());
            }
            range = at..at + span as usize;
        }
        if !range.is_empty() {
            bytes.add_bytes(range.start, range.len());
        }
    }

    /// The accesses to the memory of the launch, which begins at the address `base`.
    pub fn into_launch(self, base: u64) -> AccessedBytes {
        let [launch, variables] = self.regions;
        let writes_variables = !variables.written.dirty.is_empty();
        AccessedBytes::new(base, launch.read.words, launch.written.words, writes_variables)
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
                for run in runs(bits) {
                    let bytes = word * WORD + run.start..word * WORD + run.end;
                    target[bytes.clone()].copy_from_slice(&source[bytes]);
                }
            }
        }
        true
    }
}

/// The ranges of bits that are set.
fn runs(bits: u64) -> impl Iterator<Item = Range<usize>> {
    let mut end = 0;
    std::iter::from_fn(move || {
        let rest = bits.checked_shr(end).filter(|rest| *rest != 0)?;
        let start = end + rest.trailing_zeros();
        end = start + (bits >> start).trailing_ones();
        Some(start as usize..end as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(spans: &[(usize, usize)]) -> ByteSet {
        let mut bytes = ByteSet::new(1024);
        spans.iter().for_each(|&(at, len)| bytes.add_bytes(at, len));
        bytes
    }

    #[test]
    fn bytes_become_bits() {
        let mut bytes = set(&[(1, 1), (62, 4), (256, 128)]);
        let mut words: Vec<_> = bytes.drain().collect();
        words.sort_unstable();
        assert_eq!(words, [(0, 3 << 62 | 2), (1, 3), (4, u64::MAX), (5, u64::MAX)]);
        assert_eq!(bytes.drain().count(), 0);
        // The memory has grown.
        bytes.add_bytes(2000, 1);
        assert_eq!(bytes.drain().collect::<Vec<_>>(), [(31, 1 << 16)]);
    }

    #[test]
    fn disjoint_and_overlapping_sets() {
        assert!(set(&[(0, 64), (150, 1)]).is_disjoint(&set(&[(64, 25), (151, 1)])));
        assert!(!set(&[(0, 64), (150, 4)]).is_disjoint(&set(&[(153, 1)])));
        assert!(set(&[(2000, 1)]).is_disjoint(&set(&[(0, 1), (2, 1)])));
    }

    #[test]
    fn runs_of_bits() {
        let of = |bits| runs(bits).map(|run| (run.start, run.end)).collect::<Vec<_>>();
        assert_eq!(of(0), []);
        assert_eq!(of(u64::MAX), [(0, 64)]);
        assert_eq!(of(1 << 63 | 0b1101), [(0, 1), (2, 4), (63, 64)]);
    }
}
