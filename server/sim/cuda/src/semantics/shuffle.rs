//! Shuffles: the lane that each lane reads. `shfl` of PTX and `SHFL` of SASS are the same instruction.

/// How the operand of a shuffle names the source lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShuffleMode {
    Up,
    Down,
    Butterfly,
    Index,
}

impl ShuffleMode {
    /// The source of `lane`, and whether it is within the lane's segment; otherwise the source is the lane itself. `by` is
    /// the distance or the index. `limits` has the clamp in bits 0 to 4, and in bits 8 to 12 the bits of a lane that are
    /// the same in all lanes of its segment.
    #[inline]
    pub fn source(self, lane: usize, by: u32, limits: u32) -> (usize, bool) {
        let (own, by, clamp, segment) = (lane as u32, by & 31, limits & 31, limits >> 8 & 31);
        let (first, bound) = (own & segment, own & segment | clamp & !segment);
        let (source, is_inside) = match self {
            ShuffleMode::Up => (own.wrapping_sub(by), own >= bound + by),
            ShuffleMode::Down => (own + by, own + by <= bound),
            ShuffleMode::Butterfly => (own ^ by, own ^ by <= bound),
            ShuffleMode::Index => (first | by & !segment, first | by & !segment <= bound),
        };
        if is_inside { (source as usize, true) } else { (lane, false) }
    }
}

#[cfg(test)]
mod tests {
    use super::ShuffleMode::{Butterfly, Down, Index, Up};

    /// All lanes are one segment.
    const WHOLE: u32 = 31;
    /// Segments of eight lanes.
    const EIGHTS: u32 = 0x181f;

    #[test]
    fn lanes_without_a_source_in_the_warp_read_themselves() {
        let sources = |lanes: [usize; 3], by| lanes.map(|lane| Down.source(lane, by, WHOLE));
        assert_eq!(sources([0, 30, 31], 1), [(1, true), (31, true), (31, false)]);
        assert_eq!(sources([0, 30, 31], 0), [(0, true), (30, true), (31, true)]);
        assert_eq!([3, 4, 31].map(|lane| Up.source(lane, 4, 0)), [(3, false), (0, true), (27, true)]);
        assert_eq!([0, 31].map(|lane| Butterfly.source(lane, 16, WHOLE)), [(16, true), (15, true)]);
        assert_eq!([0, 31].map(|lane| Index.source(lane, 7, WHOLE)), [(7, true), (7, true)]);
    }

    #[test]
    fn segments() {
        assert_eq!([7, 8].map(|lane| Down.source(lane, 1, EIGHTS)), [(7, false), (9, true)]);
        assert_eq!([8, 9].map(|lane| Up.source(lane, 1, 0x1800)), [(8, false), (8, true)]);
        assert_eq!([5, 13].map(|lane| Index.source(lane, 2, EIGHTS)), [(2, true), (10, true)]);
        // A lane may read from a lower segment, but not from a higher one.
        assert_eq!([0, 8].map(|lane| Butterfly.source(lane, 8, EIGHTS)), [(0, false), (0, true)]);
    }

    #[test]
    fn the_clamp_limits_the_source() {
        assert_eq!([3, 4].map(|lane| Down.source(lane, 1, 4)), [(4, true), (4, false)]);
        assert_eq!([3, 4].map(|lane| Up.source(lane, 1, 3)), [(3, false), (3, true)]);
        assert_eq!([0, 9].map(|lane| Index.source(lane, 6, 5)), [(0, false), (9, false)]);
        assert_eq!(Butterfly.source(0, 6, 5), (0, false));
    }

    #[test]
    fn only_five_bits_count() {
        assert_eq!(Down.source(0, 33, WHOLE), (1, true));
        assert_eq!(Index.source(0, 0xffff_ffe5, 0xffff_e0ff), (5, true));
    }
}
