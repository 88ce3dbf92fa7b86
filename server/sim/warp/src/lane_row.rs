//! A value for each lane.

use std::ops::{Deref, DerefMut};

/// One value per lane, aligned to a cache line. A vector that spans two lines takes twice as long to load and store,
/// and a stored one is not available to the next operation at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C, align(64))]
pub struct LaneRow<T, const N: usize>([T; N]);

impl<T: Copy + Default, const N: usize> Default for LaneRow<T, N> {
    fn default() -> Self {
        LaneRow([T::default(); N])
    }
}

impl<T: Copy, const N: usize> LaneRow<T, N> {
    #[inline]
    pub const fn all(value: T) -> LaneRow<T, N> {
        LaneRow([value; N])
    }
}

impl<T, const N: usize> From<[T; N]> for LaneRow<T, N> {
    fn from(values: [T; N]) -> LaneRow<T, N> {
        LaneRow(values)
    }
}

impl<T, const N: usize> Deref for LaneRow<T, N> {
    type Target = [T; N];

    #[inline(always)]
    fn deref(&self) -> &[T; N] {
        &self.0
    }
}

impl<T, const N: usize> DerefMut for LaneRow<T, N> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T; N] {
        &mut self.0
    }
}
