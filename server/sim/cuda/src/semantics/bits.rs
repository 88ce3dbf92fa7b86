//! Bits: logic, counting, fields, permutations and shifts.

use std::ops::{BitAnd, BitOr, BitXor};

use warplens_sim_warp::scalar_type::ScalarType;

use crate::registers::{Registers, Word};
use crate::slot::Slots;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Logic {
    And,
    Or,
    Xor,
    Not,
    /// `a == 0`
    CNot,
    Copy,
}

/// Runs a bitwise operation on predicates or on 16, 32 or 64 bits in the lanes of `mask`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn logic(op: Logic, width: ScalarType, s: &Slots, r: &mut Registers, mask: u32) {
    match width {
        ScalarType::Predicate => {
            let (a, b) = (r.predicates[s.a as usize], r.predicates[s.b as usize]);
            let value = match op {
                Logic::And => a & b,
                Logic::Or => a | b,
                Logic::Xor => a ^ b,
                Logic::Not | Logic::CNot => !a,
                Logic::Copy => a,
            };
            r.set_predicate(s.d, mask, value);
        }
        ScalarType::B64 => logic_words::<u64>(op, u64::MAX, s, r, mask),
        ScalarType::B16 => logic_words::<u32>(op, 0xffff, s, r, mask),
        _ => logic_words::<u32>(op, u32::MAX, s, r, mask),
    }
}

/// `ones` has all bits of the type set.
#[inline(always)]
fn logic_words<T>(op: Logic, ones: T, s: &Slots, r: &mut Registers, mask: u32)
where
    T: Word + PartialEq + From<bool> + BitAnd<Output = T> + BitOr<Output = T> + BitXor<Output = T>,
{
    match op {
        Logic::And => r.map2(s, mask, |a: T, b: T| a & b),
        Logic::Or => r.map2(s, mask, |a: T, b: T| a | b),
        Logic::Xor => r.map2(s, mask, |a: T, b: T| a ^ b),
        Logic::Not => r.map1(s, mask, |a: T| a ^ ones),
        Logic::CNot => r.map1(s, mask, |a: T| T::from(a == T::default())),
        Logic::Copy => r.map1(s, mask, |a: T| a),
    }
}

/// `lop3`: bit `a << 2 | b << 1 | c` of the table, for every bit position.
#[inline(always)]
pub fn lop3(table: u8, a: u32, b: u32, c: u32) -> u32 {
    let all = |index: u8| u32::from(table >> index & 1).wrapping_neg();
    let select = |by: u32, one: u32, zero: u32| zero ^ by & (zero ^ one);
    let by_c = |index: u8| select(c, all(index | 1), all(index));
    let by_b = |index: u8| select(b, by_c(index | 2), by_c(index));
    select(a, by_b(4), by_b(0))
}

/// The results of `lop3` for all values of undefined bits, combined by `or` and by `and`: the result is undefined in the bits in which
/// they differ. Of the eight ways to set the undefined bits, whose bit 0 sets those of the first operand, only the `possible` ones count.
pub fn lop3_outcomes(
    table: u8,
    values: [u32; 3],
    undefined: [u32; 3],
    possible: impl Fn(u32) -> bool,
) -> [u32; 2] {
    let result = |assignment: u32| {
        let word = |index: usize| {
            let set = if assignment >> index & 1 == 1 { undefined[index] } else { 0 };
            values[index] & !undefined[index] | set
        };
        lop3(table, word(0), word(1), word(2))
    };
    let results = (0..8).filter(|assignment| possible(*assignment)).map(result);
    results.fold([0, u32::MAX], |[any, all], result| [any | result, all & result])
}

/// An operation that counts or locates bits of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Count {
    Population,
    LeadingZeros,
    /// The position of the highest set bit
    FindUnsigned,
    /// The position of the highest bit that differs from the sign
    FindSigned,
    /// Like `FindUnsigned`, but as a distance from the top
    FindUnsignedShift,
    /// Like `FindSigned`, but as a distance from the top
    FindSignedShift,
}

/// Runs a counting operation on words of `bits` bits; the result has 32 bits.
pub fn count<T: Word>(op: Count, bits: u32, s: &Slots, r: &mut Registers, mask: u32) {
    let found = |bits: u64| bits.checked_ilog2().unwrap_or(u32::MAX);
    // If no bit is found, the distance is all ones as well.
    let from_top = |bit: u32| if bit == u32::MAX { bit } else { bits - 1 - bit };
    let magnitude = |a: T| {
        let a = a.widen();
        if a >> (bits - 1) & 1 == 1 { !a & u64::MAX >> (64 - bits) } else { a }
    };
    match op {
        Count::Population => r.map1(s, mask, |a: T| a.widen().count_ones()),
        Count::LeadingZeros => r.map1(s, mask, |a: T| a.widen().leading_zeros() + bits - 64),
        Count::FindUnsigned => r.map1(s, mask, |a: T| found(a.widen())),
        Count::FindSigned => r.map1(s, mask, |a: T| found(magnitude(a))),
        Count::FindUnsignedShift => r.map1(s, mask, |a: T| from_top(found(a.widen()))),
        Count::FindSignedShift => r.map1(s, mask, |a: T| from_top(found(magnitude(a)))),
    }
}

/// `bfe`: `length` bits of `a` starting at `position`, extended with zeros or the sign.
pub fn extract_field<T: Word>(bits: u32, signed: bool, a: T, position: u32, length: u32) -> T {
    let (position, length) = (position & 0xff, length & 0xff);
    let a = a.widen();
    if length == 0 {
        return T::default();
    }
    let sign = signed && a >> (position + length - 1).min(bits - 1) & 1 == 1;
    let inside = bits.saturating_sub(position).min(length);
    let field = if inside == 0 { 0 } else { a >> position & (u64::MAX >> (64 - inside)) };
    let above = if inside >= 64 { 0 } else { u64::MAX << inside };
    T::narrow(if sign { field | above } else { field })
}

/// `bfi`: replaces `length` bits of `b`, starting at `position`, by the low bits of `a`.
pub fn insert_field<T: Word>(bits: u32, a: T, b: T, position: u32, length: u32) -> T {
    let (position, length) = (position & 0xff, length & 0xff);
    if length == 0 || position >= bits {
        return b;
    }
    let mask = (u64::MAX >> 64u32.saturating_sub(length).min(63)) << position;
    T::narrow(b.widen() & !mask | a.widen() << position & mask)
}

/// `fns`: the position of the `offset`th set bit of `bits`, counting upward from `base`, or downward if `offset` is
/// negative.
pub fn find_nth_set(bits: u32, base: u32, offset: i32) -> u32 {
    let base = base & 31;
    let set = |position: &u32| bits >> position & 1 == 1;
    let nth = |offset: i32| offset.unsigned_abs() as usize - 1;
    let found = match offset {
        0 => Some(base).filter(set),
        1.. => (base..32).filter(set).nth(nth(offset)),
        _ => (0..=base).rev().filter(set).nth(nth(offset)),
    };
    found.unwrap_or(u32::MAX)
}

/// `bmsk`: `b` ones, starting at bit `a`.
pub fn bit_mask(wrap: bool, a: u32, b: u32) -> u32 {
    let (a, b) = if wrap { (a & 31, b & 31) } else { (a, b.min(32)) };
    if a >= 32 || b == 0 { 0 } else { (u32::MAX >> (32 - b)) << a }
}

/// `szext`: the low `b` bits of `a`, zero- or sign-extended.
pub fn extend(wrap: bool, signed: bool, a: u32, b: u32) -> u32 {
    let count = if wrap { b & 31 } else { b.min(32) };
    match count {
        0 => 0,
        _ if signed => ((a << (32 - count)) as i32 >> (32 - count)) as u32,
        _ => a << (32 - count) >> (32 - count),
    }
}

/// The modes of `prmt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Permute {
    /// Four selectors of four bits
    Selectors,
    /// Four bytes from `n` upward
    Forward4,
    /// Four bytes from `n` downward
    Backward4,
    /// Byte `n` four times
    Replicate8,
    /// Clamped to `n` from below
    EdgeLeft,
    /// Clamped to `n` from above
    EdgeRight,
    /// Half `n` twice
    Replicate16,
}

/// `prmt`
pub fn permute(mode: Permute, a: u32, b: u32, c: u32) -> u32 {
    let bytes = u64::from(b) << 32 | u64::from(a);
    let n = c & 3;
    let mut result = 0;
    for i in 0..4u32 {
        let selector = match mode {
            Permute::Selectors => c >> (4 * i) & 0xf,
            Permute::Forward4 => n + i,
            Permute::Backward4 => n.wrapping_sub(i) & 7,
            Permute::Replicate8 => n,
            Permute::EdgeLeft => n.max(i),
            Permute::EdgeRight => n.min(i),
            Permute::Replicate16 => (n & 1) * 2 + (i & 1),
        };
        let byte = (bytes >> (8 * (selector & 7))) as u8;
        let replicated = if byte & 0x80 != 0 { 0xff } else { 0 };
        result |= u32::from(if selector & 8 != 0 { replicated } else { byte }) << (8 * i);
    }
    result
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shift {
    /// `shl`
    Left,
    /// `shr.u`, `shr.b`
    Right,
    /// `shr.s`
    ArithmeticRight,
}

/// Shifts; counts beyond the width shift everything out. The operation is dispatched once, not per lane.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn shift(op: Shift, width: ScalarType, s: &Slots, r: &mut Registers, mask: u32) {
    match (op, width) {
        (Shift::Left, ScalarType::B64) => r.map2(s, mask, |a: u64, b: u32| a.checked_shl(b).unwrap_or(0)),
        (Shift::Right, ScalarType::B64) => r.map2(s, mask, |a: u64, b: u32| a.checked_shr(b).unwrap_or(0)),
        (Shift::ArithmeticRight, ScalarType::B64) => {
            r.map2(s, mask, |a: u64, b: u32| (a as i64 >> b.min(63)) as u64);
        }
        (Shift::ArithmeticRight, ScalarType::B16) => {
            r.map2(s, mask, |a: u32, b: u32| u32::from((i32::from(a as i16) >> b.min(31)) as u16));
        }
        (Shift::Left, ScalarType::B16) => {
            r.map2(s, mask, |a: u32, b: u32| a.checked_shl(b).unwrap_or(0) & 0xffff);
        }
        (Shift::Left, _) => r.map2(s, mask, |a: u32, b: u32| a.checked_shl(b).unwrap_or(0)),
        (Shift::Right, _) => r.map2(s, mask, |a: u32, b: u32| a.checked_shr(b).unwrap_or(0)),
        (Shift::ArithmeticRight, _) => r.map2(s, mask, |a: u32, b: u32| (a as i32 >> b.min(31)) as u32),
    }
}

/// `shf`: shifts the pair `b:a` and keeps one half.
#[inline(always)]
pub fn funnel(left: bool, wrap: bool, a: u32, b: u32, c: u32) -> u32 {
    let count = if wrap { c & 31 } else { c.min(32) };
    let pair = u64::from(b) << 32 | u64::from(a);
    if left { (pair << count >> 32) as u32 } else { (pair >> count) as u32 }
}

/// The operand bytes of `dp4a` and `dp2a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DotProduct {
    /// Four bytes of `a` and four of `b`
    Bytes,
    /// Two halves of `a`, the low bytes of `b`
    Low,
    /// Two halves of `a`, the high bytes of `b`
    High,
}

impl DotProduct {
    /// How many products, the bits of a part of `a`, and the first byte of `b`.
    fn shape(self) -> (u32, u32, u32) {
        match self {
            DotProduct::Bytes => (4, 8, 0),
            DotProduct::Low => (2, 16, 0),
            DotProduct::High => (2, 16, 2),
        }
    }

    /// The bits of `a` and of `b` that each product has.
    pub fn parts(self) -> impl Iterator<Item = [u32; 2]> {
        let (count, a_bits, first) = self.shape();
        (0..count).map(move |i| [u32::MAX >> (32 - a_bits) << (a_bits * i), 0xff << (8 * (first + i))])
    }
}

/// `dp4a` and `dp2a`
pub fn dot_product(op: DotProduct, a_signed: bool, b_signed: bool, a: u32, b: u32, c: u32) -> u32 {
    let part = |word: u32, bits: u32, index: u32, signed: bool| {
        let shift = 32 - bits;
        let up = word >> (bits * index) << shift;
        if signed { (up as i32 >> shift) as u32 } else { up >> shift }
    };
    let (count, a_bits, first) = op.shape();
    (0..count).fold(c, |sum, i| {
        let product = part(a, a_bits, i, a_signed).wrapping_mul(part(b, 8, first + i, b_signed));
        sum.wrapping_add(product)
    })
}

/// `clmad`: the low or high half of the carry-less product (over GF(2)), with `c` added.
pub fn carryless_mad(high: bool, a: u64, b: u64, c: u64) -> u64 {
    let terms = (0..64).filter(|bit| b >> bit & 1 == 1).map(|bit| u128::from(a) << bit);
    let product = terms.fold(0, |product, term| product ^ term);
    c ^ if high { (product >> 64) as u64 } else { product as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::{FULL, Row};

    #[test]
    fn products_without_carries() {
        assert_eq!(carryless_mad(false, 0b101, 0b11, 0), 0b1111);
        assert_eq!(carryless_mad(false, 3, 3, 1), 4);
        assert_eq!(carryless_mad(true, 1 << 63, 6, 0), 3);
    }

    #[test]
    fn three_input_logic() {
        let (a, b, c) = (0xf0f0_1234, 0x0ff0_5678, 0x3c3c_9abc);
        assert_eq!(lop3(0xc0, a, b, c), a & b);
        assert_eq!(lop3(0xfe, a, b, c), a | b | c);
        assert_eq!(lop3(0x96, a, b, c), a ^ b ^ c);
        assert_eq!(lop3(0xca, a, b, c), a & b | !a & c);
        assert_eq!((lop3(0, a, b, c), lop3(0xff, a, b, c)), (0, !0));
    }

    #[test]
    fn fields() {
        assert_eq!(extract_field(32, false, 0x1234_5678u32, 8, 8), 0x56);
        assert_eq!(extract_field(32, true, 0x0000_8000u32, 8, 8), 0xffff_ff80);
        assert_eq!(extract_field(32, true, 0x8000_0000u32, 28, 32), 0xffff_fff8);
        assert_eq!(extract_field(32, true, 0x8000_0000u32, 40, 8), 0xffff_ffff);
        assert_eq!(extract_field(64, false, u64::MAX, 0, 64), u64::MAX);
        assert_eq!(insert_field(32, 0xabu32, 0x1234_5678, 8, 8), 0x1234_ab78);
        assert_eq!(insert_field(32, u32::MAX, 0, 28, 200), 0xf000_0000);
        assert_eq!(insert_field(64, u64::MAX, 0, 0, 64), u64::MAX);
        assert_eq!(insert_field(32, 1u32, 5, 32, 4), 5);
    }

    #[test]
    fn nth_set_bit() {
        assert_eq!(find_nth_set(0b1011_0100, 0, 2), 4);
        assert_eq!(find_nth_set(0b1011_0100, 4, 1), 4);
        assert_eq!(find_nth_set(0b1011_0100, 5, -2), 4);
        assert_eq!(find_nth_set(0b1011_0100, 3, 0), u32::MAX);
        assert_eq!(find_nth_set(0b1011_0100, 2, 0), 2);
        assert_eq!(find_nth_set(0, 0, i32::MIN), u32::MAX);
    }

    #[test]
    fn masks_and_extensions() {
        assert_eq!(
            (bit_mask(false, 4, 8), bit_mask(false, 28, 40), bit_mask(false, 32, 1)),
            (0xff0, 0xf000_0000, 0)
        );
        assert_eq!((bit_mask(true, 36, 8), bit_mask(true, 0, 32)), (0xff0, 0));
        assert_eq!((extend(false, true, 0x80, 8), extend(false, false, 0xfff, 8)), (0xffff_ff80, 0xff));
        assert_eq!((extend(false, true, 7, 40), extend(true, true, 7, 32)), (7, 0));
    }

    #[test]
    fn permutations() {
        let (a, b) = (0x3322_1100, 0x7766_5584);
        assert_eq!(permute(Permute::Selectors, a, b, 0x7610), 0x7766_1100);
        assert_eq!(permute(Permute::Selectors, a, b, 0x000c), 0x0000_00ff);
        assert_eq!(permute(Permute::Forward4, a, b, 2), 0x5584_3322);
        assert_eq!(permute(Permute::Backward4, a, b, 1), 0x6677_0011);
        assert_eq!(permute(Permute::EdgeLeft, a, b, 2), 0x3322_2222);
        assert_eq!(permute(Permute::EdgeRight, a, b, 1), 0x1111_1100);
        assert_eq!(permute(Permute::Replicate16, a, b, 3), 0x3322_3322);
    }

    #[test]
    fn counts_beyond_the_width() {
        let word = |op, width, a, b| {
            let words = vec![Row::all(0), Row::all(a), Row::all(b)];
            let mut r = Registers { words, ..Registers::default() };
            shift(op, width, &Slots { d: 0, a: 1, b: 2, ..Slots::default() }, &mut r, FULL);
            r.words[0][7]
        };
        let w32 = |op, a, b| word(op, ScalarType::B32, a, b);
        assert_eq!((w32(Shift::Left, 1, 32), w32(Shift::Right, 8, 3)), (0, 1));
        assert_eq!(w32(Shift::ArithmeticRight, !0 << 31, 99), !0);
        let w16 = |op, a, b| word(op, ScalarType::B16, a, b);
        assert_eq!((w16(Shift::Left, 0xffff, 8), w16(Shift::ArithmeticRight, 0x8000, 40)), (0xff00, 0xffff));
        let double = |op, a, b: u32| {
            let mut r = Registers {
                words: vec![Row::all(b)],
                doubles: vec![Row::all(0), Row::all(a)],
                predicates: vec![],
            };
            shift(op, ScalarType::B64, &Slots { d: 0, a: 1, b: 0, ..Slots::default() }, &mut r, FULL);
            r.doubles[0][7]
        };
        assert_eq!((double(Shift::Right, 1 << 40, 40), double(Shift::Left, 1, 64)), (1, 0));
        assert_eq!(double(Shift::ArithmeticRight, 1 << 63, 64), u64::MAX);
    }

    #[test]
    fn funnel_shifts() {
        let (a, b) = (0x89ab_cdef, 0x0123_4567);
        assert_eq!(funnel(true, true, a, b, 8), 0x2345_6789);
        assert_eq!(funnel(false, true, a, b, 8), 0x6789_abcd);
        assert_eq!((funnel(true, false, a, b, 99), funnel(false, false, a, b, 99)), (a, b));
        assert_eq!((funnel(true, true, a, b, 32), funnel(false, true, a, b, 32)), (b, a));
    }

    #[test]
    fn dot_products() {
        assert_eq!(
            dot_product(DotProduct::Bytes, true, true, 0x0102_03ff, 0x0101_0102, 10),
            10 + 1 + 2 + 3 - 2
        );
        assert_eq!(
            dot_product(DotProduct::Low, false, false, 0x0002_ffff, 0x0504_0302, 0),
            0xffff * 2 + 2 * 3
        );
        assert_eq!(dot_product(DotProduct::High, true, false, 0x0002_ffff, 0x0504_0302, 0), 10 - 4);
    }
}
