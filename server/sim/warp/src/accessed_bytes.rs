//! The bytes of device memory that a run read and wrote.

use std::ops::Range;

const WORD: u64 = 64;

/// Which bytes of device memory a run read and wrote, a bit for each from `base` on.
#[derive(Clone, Debug, Default)]
pub struct AccessedBytes {
    base: u64,
    read: Vec<u64>,
    written: Vec<u64>,
    writes_variables: bool,
}

impl AccessedBytes {
    /// `writes_variables`: whether the run also wrote variables of the program.
    pub fn new(base: u64, read: Vec<u64>, written: Vec<u64>, writes_variables: bool) -> AccessedBytes {
        AccessedBytes { base, read, written, writes_variables }
    }

    /// How many of the `len` bytes at an address were read.
    pub fn read(&self, address: u64, len: u64) -> u64 {
        self.count(&self.read, address, len)
    }

    /// How many of the `len` bytes at an address were written.
    pub fn written(&self, address: u64, len: u64) -> u64 {
        self.count(&self.written, address, len)
    }

    /// How many elements of `size` bytes, a power of two, at an address were not wholly written, and the first of them.
    pub fn unwritten_elements(&self, address: u64, len: u64, size: u64) -> (u64, u64) {
        debug_assert!(size.is_power_of_two() && size <= WORD);
        let start = address.saturating_sub(self.base);
        let firsts = if size < WORD { u64::MAX / ((1 << size) - 1) } else { 1 };
        let (mut count, mut first) = (0, None);
        for from in (0..len).step_by(WORD as usize) {
            let mut missing = !self.written_from(start + from);
            if len - from < WORD {
                missing &= (1 << (len - from)) - 1;
            }
            // The first bit of each element collects the others.
            for distance in (0..size.trailing_zeros()).map(|step| 1 << step) {
                missing |= missing >> distance;
            }
            missing &= firsts;
            count += u64::from(missing.count_ones());
            if missing != 0 {
                first.get_or_insert((from + u64::from(missing.trailing_zeros())) / size);
            }
        }
        (count, first.unwrap_or_default())
    }

    /// Whether each of the 64 bytes at an offset was written.
    fn written_from(&self, offset: u64) -> u64 {
        let word = |index: u64| self.written.get(index as usize).copied().unwrap_or_default();
        let (index, shift) = (offset / WORD, offset % WORD);
        match shift {
            0 => word(index),
            _ => word(index) >> shift | word(index + 1) << (WORD - shift),
        }
    }

    /// Whether the run wrote any memory that outlives it.
    pub fn writes(&self) -> bool {
        self.writes_variables || self.written.iter().any(|bits| *bits != 0)
    }

    /// How many bytes this takes.
    pub fn held_bytes(&self) -> usize {
        size_of_val(&*self.read) + size_of_val(&*self.written)
    }

    fn count(&self, bits: &[u64], address: u64, len: u64) -> u64 {
        let start = address.saturating_sub(self.base);
        ones(bits, start..start + len)
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
    fn bytes_are_counted() {
        let accessed = AccessedBytes::new(0x100, vec![u64::MAX, 0b1], vec![0b110, u64::MAX], false);
        assert_eq!(accessed.read(0x100, 256), 65);
        assert_eq!(accessed.written(0x100, 2), 1);
        assert_eq!(accessed.written(0x101, 8), 2);
        assert_eq!(accessed.written(0x13f, 3), 2);
        assert_eq!(accessed.written(0x300, 400), 0);
        assert_eq!(accessed.unwritten_elements(0x100, 8, 2), (4, 0));
        assert_eq!(accessed.unwritten_elements(0x101, 6, 2), (2, 1));
        assert_eq!(accessed.unwritten_elements(0x300, 7, 4), (2, 0));
        assert_eq!(accessed.unwritten_elements(0x130, 96, 8), (4, 0));
        assert_eq!(accessed.unwritten_elements(0x13f, 65, 1), (1, 0));
        assert_eq!(accessed.unwritten_elements(0x140, 0x1000, 64), (63, 1));
        assert!(accessed.writes());
    }
}
