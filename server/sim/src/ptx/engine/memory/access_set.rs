//! What blocks touch of the memory that all blocks see: whether they could run side by side, and what each has written.
//!
//! Kept in granules of four bytes, a bit each, and by way of a list of the words that are not zero, so that looking through
//! it takes as long as what was touched is large, not as the memory is.

use super::spaces::{MemoryRegion, Extent, Spaces, AccessMode};
use crate::ptx::registers::{Lanes, lanes};

/// Bytes of a granule.
const GRANULE: usize = 4;
/// Bytes that a word of bits stands for.
const WORD_BYTES: usize = 64 * GRANULE;

/// A set of granules.
#[derive(Clone, Debug)]
struct Granules {
    words: Vec<u64>,
    /// The words that are not zero.
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

    /// Adds the granules of `len` bytes, at least one.
    #[inline]
    fn add_bytes(&mut self, at: usize, len: usize) {
        let (mut first, last) = (at / GRANULE, (at + len - 1) / GRANULE);
        while first <= last {
            let count = (last - first + 1).min(64 - first % 64);
            self.add(first / 64, (u64::MAX >> (64 - count)) << (first % 64));
            first += count;
        }
    }

    /// Whether the sets have nothing in common.
    fn apart(&self, others: &Granules) -> bool {
        let (few, many) = if self.dirty.len() < others.dirty.len() { (self, others) } else { (others, self) };
        few.dirty.iter().all(|&word| few.words[word as usize] & many.words[word as usize] == 0)
    }

    /// Takes all words that are not zero.
    fn drain(&mut self) -> impl Iterator<Item = (usize, u64)> {
        let words = &mut self.words;
        self.dirty.drain(..).map(|word| (word as usize, std::mem::take(&mut words[word as usize])))
    }
}

/// What was touched in one region.
#[derive(Clone, Debug)]
struct RegionAccesses {
    region: MemoryRegion,
    read: Granules,
    written: Granules,
}

/// What blocks touched.
#[derive(Clone, Debug)]
pub(crate) struct AccessSet {
    regions: [RegionAccesses; 2],
}

impl AccessSet {
    /// Nothing yet, of this memory.
    pub(crate) fn new(spaces: &Spaces) -> AccessSet {
        let of = |region| {
            let bytes = spaces.bytes(region).len();
            RegionAccesses { region, read: Granules::new(bytes), written: Granules::new(bytes) }
        };
        AccessSet { regions: [of(MemoryRegion::Launch), of(MemoryRegion::Globals)] }
    }

    /// Notes an access of `span` bytes a lane.
    pub(crate) fn note(&mut self, extent: Extent, addresses: &Lanes<u64>, span: u64, mode: AccessMode, mask: u32) {
        let Some(of) = self.regions.iter_mut().find(|of| of.region == extent.region) else { return };
        let granules = match mode {
            AccessMode::Load => &mut of.read,
            AccessMode::Store => &mut of.written,
        };
        // Lanes mostly lie side by side: what they touch together is added at once.
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

    /// Whether neither side wrote what the other touched.
    fn apart(&self, others: &AccessSet) -> bool {
        self.regions.iter().zip(&others.regions).all(|(ours, theirs)| {
            ours.written.apart(&theirs.read)
                && ours.written.apart(&theirs.written)
                && ours.read.apart(&theirs.written)
        })
    }

    /// Takes over what other blocks touched in memory of their own, and copies what they wrote. `false` if one side wrote
    /// what the other touched.
    pub(crate) fn absorb(&mut self, others: &mut AccessSet, from: &Spaces, to: &mut Spaces) -> bool {
        if !self.apart(others) {
            return false;
        }
        for (ours, theirs) in self.regions.iter_mut().zip(&mut others.regions) {
            let (source, target) = (from.bytes(ours.region), to.bytes_mut(ours.region));
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
    fn sets_are_apart_or_not() {
        assert!(set(&[(0, 256), (600, 4)]).apart(&set(&[(256, 100), (604, 4)])));
        assert!(!set(&[(0, 256), (600, 4)]).apart(&set(&[(602, 1)])));
    }
}
