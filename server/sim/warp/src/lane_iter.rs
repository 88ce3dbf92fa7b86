//! Iteration over the lanes of a mask.

use crate::ids::Mask;

/// The lanes of a mask, lowest first.
#[inline(always)]
pub fn lanes(mask: impl Into<Mask>) -> LaneIter {
    LaneIter(mask.into())
}

/// The iterator that [`lanes`] returns.
#[derive(Clone, Debug)]
pub struct LaneIter(Mask);

impl Iterator for LaneIter {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let lane = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(lane as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_of_a_mask() {
        assert_eq!(lanes(0x8000_0009_u32).collect::<Vec<_>>(), [0, 3, 31]);
        assert_eq!(lanes(0_u32).count(), 0);
        assert_eq!(lanes(0_u64).count(), 0);
        assert_eq!(lanes(1_u64 << 63 | 0b101).collect::<Vec<_>>(), [0, 2, 63]);
    }
}
