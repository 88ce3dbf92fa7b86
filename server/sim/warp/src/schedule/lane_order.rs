//! The order in which the lanes of one statement access memory, which is not specified.

use crate::ids::Mask;

/// An order of lanes: ascending from some lane on, or descending from the one below it. By default lane 0 comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneOrder {
    first: u32,
    descends: bool,
}

impl LaneOrder {
    pub const REVERSED: LaneOrder = LaneOrder { first: 0, descends: true };

    pub fn new(first: u32, descends: bool) -> LaneOrder {
        LaneOrder { first, descends }
    }

    /// The lanes of a mask in this order.
    #[inline]
    pub fn lanes(self, mask: Mask) -> impl Iterator<Item = usize> {
        let below = mask & !(Mask::MAX << self.first);
        let above = mask ^ below;
        let (mut rest, mut others) = if self.descends { (below, above) } else { (above, below) };
        std::iter::from_fn(move || {
            if rest == 0 {
                rest = std::mem::take(&mut others);
            }
            if rest == 0 {
                return None;
            }
            let bit =
                if self.descends { Mask::BITS - 1 - rest.leading_zeros() } else { rest.trailing_zeros() };
            rest ^= 1 << bit;
            Some(bit as usize)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lane_once() {
        let lanes = |order: LaneOrder, mask| order.lanes(mask).collect::<Vec<_>>();
        assert_eq!(lanes(LaneOrder::default(), 0b1011), [0, 1, 3]);
        assert_eq!(lanes(LaneOrder::REVERSED, 0b1011), [3, 1, 0]);
        assert_eq!(lanes(LaneOrder::new(2, false), 0b1011), [3, 0, 1]);
        assert_eq!(lanes(LaneOrder::new(2, true), 0b1011), [1, 0, 3]);
        assert_eq!(lanes(LaneOrder::new(63, true), Mask::MAX).len(), 64);
    }
}
