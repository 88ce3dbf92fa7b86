//! Pseudo-random numbers for data and schedules.

/// SplitMix64 (Steele et al., "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014). Every implementation gives the same
/// numbers for the same seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitMix64(
    /// The state, initially the seed.
    pub u64,
);

impl SplitMix64 {
    #[allow(clippy::should_implement_trait, reason = "it never ends, so it is not an iterator")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `bound`, or 0 if that is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published test vector with seed 1234567.
    #[test]
    fn random_is_split_mix_64() {
        let mut random = SplitMix64(1234567);
        assert_eq!(random.next(), 6457827717110365317);
        assert_eq!(random.next(), 3203168211198807973);
        assert_eq!(random.next(), 9817491932198370423);
    }
}
