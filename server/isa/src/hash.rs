//! The hash of the name tables. The generator includes this file, so tables are laid out with the function that searches them.

/// The hash of a name. It is computed once for each search; a seed then turns it into a slot.
#[derive(Clone, Copy)]
pub(crate) struct Hash(u64);

impl Hash {
    /// Hashes `key`, eight bytes at a time.
    pub(crate) fn of(key: &str) -> Hash {
        let (words, rest) = key.as_bytes().as_chunks::<8>();
        let start = key.len() as u64;
        let hash = words.iter().fold(start, |hash, word| mix(hash, u64::from_le_bytes(*word)));
        let rest = rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        Hash(mix(hash, rest))
    }

    /// Maps the hash to a number below `count`.
    pub(crate) fn slot(self, seed: u32, count: usize) -> usize {
        // Mixed twice: after one multiplication, two names would be equally far apart under every seed.
        let high = mix(mix(self.0, u64::from(seed)), 0) >> 32;
        ((high * count as u64) >> 32) as usize
    }
}

fn mix(hash: u64, word: u64) -> u64 {
    let mixed = (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}
