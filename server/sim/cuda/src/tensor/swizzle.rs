//! Swizzles: permutations of 16-byte chunks of shared memory, applied to the final byte address.

/// A swizzle of a tensor map or of a matrix descriptor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Swizzle {
    #[default]
    None,
    Bytes32,
    Bytes64,
    Bytes128,
    Bytes128Atom32,
    Bytes128Atom32Flip8,
    Bytes128Atom64,
}

/// For each mode: its name in launches, its span, the unit that it moves, and the XORed address bits: the shift, then
/// the mask.
const TABLE: [(Swizzle, &str, u32, usize, u32, u64); 7] = [
    (Swizzle::None, "none", 0, 16, 0, 0),
    (Swizzle::Bytes32, "32b", 32, 16, 3, 0x10),
    (Swizzle::Bytes64, "64b", 64, 16, 3, 0x30),
    (Swizzle::Bytes128, "128b", 128, 16, 3, 0x70),
    (Swizzle::Bytes128Atom32, "128b_atom32", 128, 16, 2, 0x60),
    (Swizzle::Bytes128Atom32Flip8, "128b_atom32_flip8", 128, 8, 2, 0x60),
    (Swizzle::Bytes128Atom64, "128b_atom64", 128, 16, 1, 0x40),
];

impl Swizzle {
    pub fn names() -> impl Iterator<Item = &'static str> {
        TABLE.iter().map(|row| row.1)
    }

    pub fn from_name(name: &str) -> Option<Swizzle> {
        TABLE.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    fn row(self) -> &'static (Swizzle, &'static str, u32, usize, u32, u64) {
        TABLE.iter().find(|row| row.0 == self).unwrap_or(&TABLE[0])
    }

    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Bytes per row; 0 without a swizzle.
    pub fn span(self) -> u32 {
        self.row().2
    }

    /// Bytes that stay together.
    pub fn unit(self) -> usize {
        self.row().3
    }

    /// The number of bits by which the address is shifted, and the mask of the bits that are XORed.
    pub fn pattern(self) -> (u32, u64) {
        let row = self.row();
        (row.4, row.5)
    }

    /// The swizzled position of the byte at an address.
    pub fn apply(self, address: u64) -> u64 {
        let &(mode, _, _, _, shift, mask) = self.row();
        let swizzled = address ^ (address >> shift & mask);
        match mode {
            Swizzle::Bytes128Atom32Flip8 => swizzled ^ (address >> 4 & 8),
            _ => swizzled,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_examples() {
        assert_eq!(Swizzle::Bytes128.apply(0x46CA), 0x469A);
        assert_eq!(Swizzle::Bytes64.apply(0x2352), 0x2372);
        assert_eq!(Swizzle::Bytes32.apply(0x21B2), 0x21A2);
    }

    #[test]
    fn every_mode_is_a_permutation() {
        for name in Swizzle::names() {
            let swizzle = Swizzle::from_name(name).expect("a mode");
            let mut seen: Vec<u64> = (0..2048).map(|address| swizzle.apply(address)).collect();
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..2048), "{name}");
        }
    }
}
