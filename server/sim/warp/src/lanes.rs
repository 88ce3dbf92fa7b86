//! Sets of lanes in words, for messages; JSON has masks in hexadecimal.

use std::fmt;

use crate::trace::Mask;

/// Maximum number of ranges in a text, unless all are requested.
const MOST_RANGES: usize = 4;

/// Lanes as a sentence names them: `lane 3`, `lanes 0-7,9`, `even lanes`, `every 4th lane`. Shows at most four ranges;
/// `{:#}` shows all. The sentence around it must read well with one lane and with many.
#[derive(Debug, Clone, Copy)]
pub struct LaneSet(pub Mask);

impl LaneSet {
    /// The verb of a sentence about the lanes: `lane 3 waits`, `every 4th lane waits`, `even lanes wait`.
    pub fn verb<'v>(self, singular: &'v str, plural: &'v str) -> &'v str {
        if self.is_singular() { singular } else { plural }
    }

    fn is_singular(self) -> bool {
        let LaneSet(mask) = self;
        mask.count_ones() == 1 || self.pattern().is_some_and(|pattern| pattern.step > 2)
    }

    fn pattern(self) -> Option<Pattern> {
        let LaneSet(mask) = self;
        let warp = if mask >> 32 == 0 { u32::MAX.into() } else { Mask::MAX };
        Pattern::of(mask, warp)
    }
}

impl fmt::Display for LaneSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LaneSet(mask) = *self;
        if let Some(Pattern { step, first }) = self.pattern() {
            return match (step, first) {
                (2, 0) => f.write_str("even lanes"),
                (2, _) => f.write_str("odd lanes"),
                (_, 0) => write!(f, "every {} lane", Ordinal(step)),
                _ => write!(f, "every {} lane from {first}", Ordinal(step)),
            };
        }
        let ranges = ranges(mask);
        let most = if f.alternate() { ranges.len() } else { MOST_RANGES };
        let word = if mask.count_ones() == 1 { "lane" } else { "lanes" };
        let more = if ranges.len() > most { ".." } else { "" };
        write!(f, "{word} {}{more}", ranges[..ranges.len().min(most)].join(","))
    }
}

/// The contiguous ranges of lanes: `0-15`, `20`, `24-27`.
pub fn ranges(lanes: Mask) -> Vec<String> {
    let mut ranges = Vec::new();
    let mut left = lanes;
    while left != 0 {
        let first = left.trailing_zeros();
        let run = (left >> first).trailing_ones();
        let last = first + run - 1;
        ranges.push(if run == 1 { first.to_string() } else { format!("{first}-{last}") });
        left &= Mask::MAX.checked_shl(last + 1).unwrap_or(0);
    }
    ranges
}

/// Lanes at regular distances: `even`, `odd`, `every 4th`, `every 4th from 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pattern {
    step: u32,
    first: u32,
}

impl Pattern {
    /// The pattern of at least four lanes for which ranges would read badly. `lanes` must be all lanes of `among` that
    /// the pattern includes.
    pub fn of(lanes: Mask, among: Mask) -> Option<Pattern> {
        if lanes.count_ones() < 4 {
            return None;
        }
        let first = lanes.trailing_zeros();
        let step = (lanes & (lanes - 1)).trailing_zeros() - first;
        let regular =
            (first..Mask::BITS).step_by(step as usize).fold(0, |mask, lane| mask | 1 << lane) & among;
        (step >= 2 && regular == lanes && first < step).then_some(Pattern { step, first })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.step, self.first) {
            (2, 0) => f.write_str("even"),
            (2, _) => f.write_str("odd"),
            (step, 0) => write!(f, "every {}", Ordinal(step)),
            (step, first) => write!(f, "every {} from {first}", Ordinal(step)),
        }
    }
}

struct Ordinal(u32);

impl fmt::Display for Ordinal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.0;
        let ending = match (number % 10, number % 100) {
            (1, teen) if teen != 11 => "st",
            (2, teen) if teen != 12 => "nd",
            (3, teen) if teen != 13 => "rd",
            _ => "th",
        };
        write!(f, "{number}{ending}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_read_as_people_say_them() {
        let words = |mask: Mask| LaneSet(mask).to_string();
        assert_eq!(words(0b1000), "lane 3");
        assert_eq!(words(0xff), "lanes 0-7");
        assert_eq!(words(0x2ff), "lanes 0-7,9");
        assert_eq!(words(0x5555_5555), "even lanes");
        let waits = |mask: Mask| format!("{} {}", LaneSet(mask), LaneSet(mask).verb("waits", "wait"));
        assert_eq!(waits(0x5555_5555), "even lanes wait");
        assert_eq!(waits(0x2222_2222), "every 4th lane from 1 waits");
        assert_eq!([waits(8), waits(9)], ["lane 3 waits", "lanes 0,3 wait"]);
        assert_eq!(words(0xaaaa_aaaa_aaaa_aaaa), "odd lanes");
        assert_eq!(words(0x1111_1111), "every 4th lane");
        assert_eq!(words(0x4444_4444), "every 4th lane from 2");
        assert_eq!(words(0x2492_4924), "every 3rd lane from 2");
        assert_eq!(words(0x0005_a5a5), "lanes 0,2,5,7-8..");
        assert_eq!(format!("{:#}", LaneSet(0x0005_a5a5)), "lanes 0,2,5,7-8,10,13,15-16,18");
    }
}
