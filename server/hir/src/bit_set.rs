//! Sets of small numbers.

/// A set of numbers below `64 * N`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BitSet<const N: usize>(pub(crate) [u64; N]);

impl<const N: usize> BitSet<N> {
    pub(crate) const EMPTY: Self = BitSet([0; N]);
    pub(crate) const FULL: Self = BitSet([u64::MAX; N]);

    pub(crate) fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    pub(crate) fn remove(&mut self, number: usize) {
        self.0[number / 64] &= !(1 << (number % 64));
    }

    pub(crate) fn contains(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 == 1
    }

    /// Adds all numbers of another set and returns whether any was new.
    pub(crate) fn add(&mut self, other: &Self) -> bool {
        let before = *self;
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word |= other);
        *self != before
    }

    /// Copies the membership of the numbers in `some` from another set.
    pub(crate) fn take(&mut self, some: &Self, other: &Self) {
        for ((word, some), other) in self.0.iter_mut().zip(some.0).zip(other.0) {
            *word = *word & !some | other & some;
        }
    }
}

impl<const N: usize> Default for BitSet<N> {
    fn default() -> Self {
        Self::EMPTY
    }
}
