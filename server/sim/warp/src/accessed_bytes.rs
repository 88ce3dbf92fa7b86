//! The bytes of device memory that a run read and wrote.

use std::ops::Range;

/// The bytes of memory that share a bit. An access to one of several narrower elements counts for all of them.
pub const GRANULE: u64 = 4;
const WORD: u64 = 64;

/// Which bytes of device memory a run read and wrote, by granules of [`GRANULE`] bytes from `base` on.
#[derive(Clone, Debug, Default)]
pub struct AccessedBytes {
    base: u64,
    read: Vec<u64>,
    written: Vec<u64>,
}

impl AccessedBytes {
    #[must_use]
    pub fn new(base: u64, read: Vec<u64>, written: Vec<u64>) -> AccessedBytes {
        AccessedBytes { base, read, written }
    }

    /// How many of the `len` bytes at an address were read.
    #[must_use]
    pub fn read(&self, address: u64, len: u64) -> u64 {
        self.count(&self.read, address, len)
    }

    /// How many of the `len` bytes at an address were written.
    #[must_use]
    pub fn written(&self, address: u64, len: u64) -> u64 {
        self.count(&self.written, address, len)
    }

    /// How many bytes this takes.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        size_of_val(&*self.read) + size_of_val(&*self.written)
    }

    fn count(&self, bits: &[u64], address: u64, len: u64) -> u64 {
        let start = address.saturating_sub(self.base) / GRANULE;
        let granules = start..start + len.div_ceil(GRANULE);
        (ones(bits, granules) * GRANULE).min(len)
    }
}

/// The number of bits that are set in a range.
fn ones(bits: &[u64], range: Range<u64>) -> u64 {
    let words = range.start / WORD..range.end.div_ceil(WORD);
    let of_word = |word: u64| {
        let bits = bits.get(word as usize).copied().unwrap_or_default();
        let first = range.start.saturating_sub(word * WORD);
        let beyond = ((word + 1) * WORD).saturating_sub(range.end);
        u64::from((bits >> first << first << beyond).count_ones())
    };
    words.map(of_word).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_counted_by_granules() {
        let accessed = AccessedBytes::new(0x100, vec![u64::MAX, 0b1], vec![0b110, u64::MAX]);
        assert_eq!(accessed.read(0x100, 1024), 260);
        assert_eq!(accessed.written(0x100, 8), 4);
        assert_eq!(accessed.written(0x104, 8), 8);
        assert_eq!(accessed.written(0x104, 7), 7);
        assert_eq!(accessed.written(0x1fc, 12), 8);
        assert_eq!(accessed.written(0x300, 400), 0);
    }
}
