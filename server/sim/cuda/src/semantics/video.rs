//! The video instructions: arithmetic on bytes and halves selected from words, one pair at a time or several in
//! parallel.

use super::compare::Comparison;
use crate::registers::Registers;
use crate::slot::Slots;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Video {
    pub op: VideoOp,
    pub a_signed: bool,
    pub b_signed: bool,
    pub d_signed: bool,
    /// `.sat`
    pub saturate: bool,
    /// The selected parts of the operands, and what happens to the results.
    pub shape: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VideoOp {
    Add,
    Sub,
    AbsoluteDifference,
    Min,
    Max,
    /// Whether the shift count wraps (`.wrap`)
    ShiftLeft(bool),
    /// Whether the shift count wraps (`.wrap`)
    ShiftRight(bool),
    Average,
    Set(Comparison),
}

/// The selected parts of the operands, and what happens to the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// One part of `a` and one part of `b`.
    Single { a: VideoPart, b: VideoPart, then: Then },
    /// All parts of this many bits, pairwise.
    Parallel {
        bits: u32,
        /// Selects the first operands among the parts of `b:a`, one hexadecimal digit each.
        a: u16,
        /// Selects the second operands in the same way.
        b: u16,
        /// The parts of `d` to write; the other parts come from `c`.
        mask: u8,
        /// Whether the results are added to `c` instead.
        add: bool,
    },
}

impl Shape {
    /// How many numbers an operation computes with integers, for what it [costs](crate::work::NUMBER).
    pub fn numbers(self) -> u64 {
        match self {
            Shape::Single { .. } => 1,
            Shape::Parallel { bits, .. } => u64::from(32 / bits),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VideoPart {
    pub shift: u32,
    pub bits: u32,
}

impl VideoPart {
    pub const WORD: VideoPart = VideoPart { shift: 0, bits: 32 };

    fn of(self, word: u32, signed: bool) -> i64 {
        let up = word << (32 - self.bits - self.shift);
        if signed { i64::from(up as i32 >> (32 - self.bits)) } else { i64::from(up >> (32 - self.bits)) }
    }

    /// The bits of the part in a word.
    pub fn mask(self) -> u32 {
        (u32::MAX >> (32 - self.bits)) << self.shift
    }

    fn replace(self, word: u32, value: u32) -> u32 {
        word & !self.mask() | value << self.shift & self.mask()
    }
}

/// What happens to the result of a single operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Then {
    Keep,
    /// It is added to `c`.
    Add,
    Min,
    Max,
    /// It replaces a part of `c`.
    Merge(VideoPart),
}

/// `vmad`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VideoMad {
    /// The part of `a`, and whether it is signed.
    pub a: (VideoPart, bool),
    /// The part of `b`, and whether it is signed.
    pub b: (VideoPart, bool),
    pub negate_product: bool,
    pub negate_c: bool,
    /// `.po`: adds one.
    pub plus_one: bool,
    /// `.shr7`, `.shr15`
    pub shift: u32,
    /// `.sat`
    pub saturate: bool,
}

pub fn multiply_add(mad: &VideoMad, s: &Slots, r: &mut Registers, mask: u32) {
    r.map3(s, mask, |a, b, c| compute_mad(mad, a, b, c));
}

fn compute_mad(mad: &VideoMad, a: u32, b: u32, c: u32) -> u32 {
    let signed = mad.a.1 || mad.b.1 || mad.negate_product || mad.negate_c;
    let product = i128::from(mad.a.0.of(a, mad.a.1)) * i128::from(mad.b.0.of(b, mad.b.1));
    let addend = if signed { i128::from(c as i32) } else { i128::from(c) };
    let with_sign = |negate: bool, value: i128| if negate { -value } else { value };
    let sum = with_sign(mad.negate_product, product) + with_sign(mad.negate_c, addend);
    let result = (sum + i128::from(mad.plus_one)) >> mad.shift;
    match (mad.saturate, signed) {
        (false, _) => result as u32,
        (true, true) => result.clamp(i32::MIN.into(), i32::MAX.into()) as u32,
        (true, false) => result.clamp(0, u32::MAX.into()) as u32,
    }
}

/// Runs a video instruction in the lanes of `mask`.
pub fn execute(video: &Video, s: &Slots, r: &mut Registers, mask: u32) {
    r.map3(s, mask, |a, b, c| compute(video, a, b, c));
}

fn compute(video: &Video, a: u32, b: u32, c: u32) -> u32 {
    match video.shape {
        Shape::Single { a: from_a, b: from_b, then } => {
            let result = operate(video.op, from_a.of(a, video.a_signed), from_b.of(b, video.b_signed));
            let bits = if let Then::Merge(part) = then { part.bits } else { 32 };
            let result = clamp(video, bits, result) as u32;
            match then {
                Then::Keep => result,
                Then::Add => result.wrapping_add(c),
                Then::Min if video.d_signed => (result as i32).min(c as i32) as u32,
                Then::Max if video.d_signed => (result as i32).max(c as i32) as u32,
                Then::Min => result.min(c),
                Then::Max => result.max(c),
                Then::Merge(part) => part.replace(c, result),
            }
        }
        Shape::Parallel { bits, a: from_a, b: from_b, mask, add } => {
            let pick = |selector: u16, index: u32, signed: bool| {
                let wanted = u32::from(selector) >> (4 * index) & 0xf;
                let parts = 32 / bits;
                let word = if wanted < parts { a } else { b };
                VideoPart { shift: wanted % parts * bits, bits }.of(word, signed)
            };
            let mut d = c;
            for index in (0..32 / bits).filter(|index| mask >> index & 1 == 1) {
                let part = VideoPart { shift: index * bits, bits };
                let (x, y) = (pick(from_a, index, video.a_signed), pick(from_b, index, video.b_signed));
                let result = operate(video.op, x, y);
                let result = clamp(video, bits, result) as u32;
                d = if add { d.wrapping_add(result) } else { part.replace(d, result) };
            }
            d
        }
    }
}

fn operate(op: VideoOp, a: i64, b: i64) -> i64 {
    let count = |wrap: bool| if wrap { b & 31 } else { b.clamp(0, 32) };
    match op {
        VideoOp::Add => a + b,
        VideoOp::Sub => a - b,
        VideoOp::AbsoluteDifference => (a - b).abs(),
        VideoOp::Min => a.min(b),
        VideoOp::Max => a.max(b),
        VideoOp::ShiftLeft(wrap) => a << count(wrap),
        VideoOp::ShiftRight(wrap) => a >> count(wrap),
        VideoOp::Average => (a + b + i64::from(a + b >= 0)) >> 1,
        VideoOp::Set(cmp) => cmp.holds(&a, &b).into(),
    }
}

fn clamp(video: &Video, bits: u32, value: i64) -> i64 {
    match (video.saturate, video.d_signed) {
        (false, _) => value,
        (true, true) => value.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        (true, false) => value.clamp(0, (1 << bits) - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unsigned(op: VideoOp, shape: Shape) -> Video {
        Video { op, a_signed: false, b_signed: false, d_signed: false, saturate: false, shape }
    }

    fn bytes(mask: u8, add: bool) -> Shape {
        Shape::Parallel { bits: 8, a: 0x3210, b: 0x7654, mask, add }
    }

    #[test]
    fn parts_come_from_either_word() {
        let shape = Shape::Parallel { bits: 16, a: 0x21, b: 0x33, mask: 0b11, add: false };
        let sum = Video { a_signed: true, b_signed: true, ..unsigned(VideoOp::Add, shape) };
        assert_eq!(compute(&sum, 0x0001_0002, 0x0100_0200, 0), 0x0300_0101);
    }

    #[test]
    fn multiplied_and_added() {
        let whole = (VideoPart::WORD, true);
        let mad = VideoMad {
            a: whole,
            b: whole,
            negate_product: false,
            negate_c: false,
            plus_one: false,
            shift: 0,
            saturate: false,
        };
        assert_eq!(compute_mad(&mad, 3, -4i32 as u32, 20), 8);
        let half = VideoMad { a: (VideoPart { shift: 16, bits: 16 }, true), ..mad };
        assert_eq!(compute_mad(&half, 0xffff_1234, 5, 1), -4i32 as u32);
        let scaled = VideoMad { plus_one: true, shift: 7, ..mad };
        assert_eq!(compute_mad(&scaled, 127, 1, 0), 1);
        let clamped = VideoMad { negate_product: true, saturate: true, ..mad };
        assert_eq!(compute_mad(&clamped, 0x4000_0000, 2, 0), 0x8000_0000);
    }

    #[test]
    fn bytes_side_by_side() {
        let sum = unsigned(VideoOp::AbsoluteDifference, bytes(0xf, true));
        assert_eq!(compute(&sum, 0x01ff_0510, 0x0300_0a20, 100), 100 + 2 + 255 + 5 + 16);
        let average = unsigned(VideoOp::Average, bytes(0b101, false));
        assert_eq!(compute(&average, 0x01ff_0510, 0x0300_0a20, 0), 0x0080_0018);
    }

    #[test]
    fn a_part_of_a_word() {
        let byte = VideoPart { shift: 8, bits: 8 };
        let shape = |then| Shape::Single { a: byte, b: VideoPart::WORD, then };
        let signed = Video { a_signed: true, d_signed: true, ..unsigned(VideoOp::Add, shape(Then::Keep)) };
        assert_eq!(compute(&signed, 0xff00, 5, 0), 4);
        let merged = unsigned(VideoOp::Add, shape(Then::Merge(byte)));
        assert_eq!(compute(&merged, 0x0200, 3, 0x1111_1111), 0x1111_0511);
    }

    #[test]
    fn saturation_is_to_the_destination() {
        let shape = Shape::Single { a: VideoPart::WORD, b: VideoPart::WORD, then: Then::Keep };
        let sub = Video { saturate: true, ..unsigned(VideoOp::Sub, shape) };
        assert_eq!(compute(&sub, 3, 5, 0), 0);
        let shift = Video { saturate: true, ..unsigned(VideoOp::ShiftLeft(false), shape) };
        assert_eq!(compute(&shift, 3, 31, 0), u32::MAX);
    }
}
