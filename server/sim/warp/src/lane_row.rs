//! The memory of a register: one value a lane.

use std::ops::{Deref, DerefMut};

/// One value a lane, at the start of a cache line. A vector that spans two lines takes twice as long to load and to store, and one that
/// was stored so is not available at once to the next operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C, align(64))]
pub struct LaneRow<T, const N: usize>([T; N]);

impl<T: Copy, const N: usize> LaneRow<T, N> {
    /// One value in all lanes.
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
