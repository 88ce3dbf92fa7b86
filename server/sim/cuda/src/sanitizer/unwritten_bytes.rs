//! A set of bytes of a region of memory.

/// A set of bytes of a region, by their offsets.
#[derive(Clone, Debug, Default)]
pub(super) struct UnwrittenBytes {
    words: Vec<u64>,
}

impl UnwrittenBytes {
    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub(super) fn add(&mut self, start: u64, len: u64) {
        let words = (start + len).div_ceil(64) as usize;
        self.words.resize(self.words.len().max(words), 0);
        self.update(start, len, |word, mask| *word |= mask);
    }

    pub(super) fn remove(&mut self, start: u64, len: u64) {
        self.update(start, len, |word, mask| *word &= !mask);
    }

    fn update(&mut self, start: u64, len: u64, action: impl Fn(&mut u64, u64)) {
        for (word, mask) in masks(start, len) {
            if let Some(word) = self.words.get_mut(word) {
                action(word, mask);
            }
        }
    }

    /// Whether any byte of a range is in the set.
    pub(super) fn any(&self, start: u64, len: u64) -> bool {
        masks(start, len).any(|(word, mask)| self.words.get(word).is_some_and(|word| word & mask != 0))
    }
}

/// The words with the bits of a range, each with the mask of these bits.
fn masks(start: u64, len: u64) -> impl Iterator<Item = (usize, u64)> {
    let end = start + len;
    (start / 64..end.div_ceil(64)).map(move |word| {
        let from = start.max(64 * word) - 64 * word;
        let to = end.min(64 * word + 64) - 64 * word;
        (word as usize, u64::MAX >> (64 - (to - from)) << from)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_across_words() {
        let mut bytes = UnwrittenBytes::default();
        assert!(bytes.is_empty() && !bytes.any(0, 100));
        bytes.add(60, 70);
        assert!(!bytes.any(0, 60) && bytes.any(59, 2) && bytes.any(64, 64) && bytes.any(129, 1));
        assert!(!bytes.any(130, 1000));
        bytes.remove(61, 68);
        assert!(bytes.any(60, 1) && !bytes.any(61, 68) && bytes.any(129, 1));
        bytes.remove(0, 1 << 20);
        assert!(!bytes.any(0, 1 << 20));
    }
}
