//! Comparisons and selection: `setp`, `set`, `selp`, `slct`, `testp`.

use pulp::{Scalar, Simd};
use warplens_sim_warp::scalar_type::ScalarType;
use warplens_sim_warp::soft_float::{BF16, F16};

use super::float::flush_32;
use super::integer::Integer;
use crate::registers::{FULL, Registers, WIDTH, lanes_where};
use crate::slot::Slots;

/// A comparison. The unordered ones also hold if an operand is a NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `eq`
    Equal,
    /// `ne`
    NotEqual,
    /// `lt`, `lo`
    Less,
    /// `le`, `ls`
    LessEqual,
    /// `gt`, `hi`
    Greater,
    /// `ge`, `hs`
    GreaterEqual,
    /// `equ`
    EqualUnordered,
    /// `neu`
    NotEqualUnordered,
    /// `ltu`
    LessUnordered,
    /// `leu`
    LessEqualUnordered,
    /// `gtu`
    GreaterUnordered,
    /// `geu`
    GreaterEqualUnordered,
    /// `num`: neither operand is a NaN
    Numbers,
    /// `nan`: at least one operand is a NaN
    AnyNan,
}

impl Comparison {
    /// Whether the comparison holds; the values may be unordered.
    pub fn holds<T: PartialOrd>(self, a: &T, b: &T) -> bool {
        let unordered = a.partial_cmp(b).is_none();
        match self {
            Comparison::Equal => a == b,
            Comparison::NotEqual => a != b && !unordered,
            Comparison::Less => a < b,
            Comparison::LessEqual => a <= b,
            Comparison::Greater => a > b,
            Comparison::GreaterEqual => a >= b,
            Comparison::EqualUnordered => a == b || unordered,
            Comparison::NotEqualUnordered => a != b,
            Comparison::LessUnordered => a < b || unordered,
            Comparison::LessEqualUnordered => a <= b || unordered,
            Comparison::GreaterUnordered => a > b || unordered,
            Comparison::GreaterEqualUnordered => a >= b || unordered,
            Comparison::Numbers => !unordered,
            Comparison::AnyNan => unordered,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Compare {
    pub op: Comparison,
    /// An integer, bits or a float of 16 to 64 bits.
    pub ty: ScalarType,
    /// `.ftz`: subnormals count as zero.
    pub flush: bool,
}

/// The lanes in which the comparison of `a` and `b` holds; the bits of inactive lanes are arbitrary.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn compare<S: Simd>(simd: S, compare: Compare, s: &Slots, r: &Registers) -> u32 {
    let Compare { op, ty, flush } = compare;
    match ty {
        ScalarType::U16 | ScalarType::B16 => integers::<S, u16>(simd, op, s, r),
        ScalarType::S16 => integers::<S, i16>(simd, op, s, r),
        ScalarType::U32 | ScalarType::B32 => integers::<S, u32>(simd, op, s, r),
        ScalarType::S32 => integers::<S, i32>(simd, op, s, r),
        ScalarType::U64 | ScalarType::B64 => integers::<S, u64>(simd, op, s, r),
        ScalarType::S64 => integers::<S, i64>(simd, op, s, r),
        ScalarType::F32 if flush => floats(simd, op, s, r, |bits| f32::from_bits(flush_32(bits))),
        ScalarType::F32 => floats(simd, op, s, r, f32::from_bits),
        ScalarType::F64 => floats(simd, op, s, r, f64::from_bits),
        _ => floats(simd, op, s, r, |bits: u32| half(ty, flush, bits)),
    }
}

/// Like [`compare`], for the lower (0) or upper (1) halves of words.
pub fn compare_halves(compare: Compare, part: usize, s: &Slots, r: &Registers) -> u32 {
    let Compare { op, ty, flush } = compare;
    floats(Scalar::new(), op, s, r, |bits: u32| half(ty, flush, bits >> (16 * part)))
}

/// The value of the half-precision number in the low 16 bits.
fn half(ty: ScalarType, flush: bool, bits: u32) -> f32 {
    let format = if ty == ScalarType::Bf16 { BF16 } else { F16 };
    let bits = u64::from(bits & 0xffff);
    format.to_f32(if flush { format.flush(bits) } else { bits })
}

#[inline(always)]
fn integers<S: Simd, T: Integer>(simd: S, cmp: Comparison, s: &Slots, r: &Registers) -> u32 {
    match cmp {
        Comparison::Equal | Comparison::EqualUnordered => r.test2(simd, s, |a, b| T::of(a) == T::of(b)),
        Comparison::NotEqual | Comparison::NotEqualUnordered => r.test2(simd, s, |a, b| T::of(a) != T::of(b)),
        Comparison::Less | Comparison::LessUnordered => r.test2(simd, s, |a, b| T::of(a) < T::of(b)),
        Comparison::LessEqual | Comparison::LessEqualUnordered => {
            r.test2(simd, s, |a, b| T::of(a) <= T::of(b))
        }
        Comparison::Greater | Comparison::GreaterUnordered => r.test2(simd, s, |a, b| T::of(a) > T::of(b)),
        Comparison::GreaterEqual | Comparison::GreaterEqualUnordered => {
            r.test2(simd, s, |a, b| T::of(a) >= T::of(b))
        }
        Comparison::Numbers => FULL,
        Comparison::AnyNan => 0,
    }
}

#[inline(always)]
fn floats<S: Simd, B: crate::registers::Word, F: PartialOrd + Copy>(
    simd: S,
    cmp: Comparison,
    s: &Slots,
    r: &Registers,
    value: impl Fn(B) -> F,
) -> u32 {
    let (a, b) = (r.get::<B>(s.a), r.get::<B>(s.b));
    ordered(simd, cmp, |lane| (value(a[lane]), value(b[lane])))
}

/// The lanes in which the comparison of two floats holds; `of` gives those of a lane.
#[inline(always)]
pub fn ordered<S: Simd, T: PartialOrd>(simd: S, cmp: Comparison, of: impl Fn(usize) -> (T, T)) -> u32 {
    // A macro, so that each comparison is compiled together with its loop.
    macro_rules! test {
        ($operator:tt) => {
            lanes_where(simd, |lane| {
                let (a, b) = of(lane);
                a $operator b
            })
        };
    }
    match cmp {
        Comparison::Equal => test!(==),
        Comparison::NotEqual => test!(<) | test!(>),
        Comparison::Less => test!(<),
        Comparison::LessEqual => test!(<=),
        Comparison::Greater => test!(>),
        Comparison::GreaterEqual => test!(>=),
        // An unordered comparison holds where the opposite ordered one does not.
        Comparison::EqualUnordered => !(test!(<) | test!(>)),
        Comparison::NotEqualUnordered => test!(!=),
        Comparison::LessUnordered => !test!(>=),
        Comparison::LessEqualUnordered => !test!(>),
        Comparison::GreaterUnordered => !test!(<=),
        Comparison::GreaterEqualUnordered => !test!(<),
        Comparison::Numbers | Comparison::AnyNan => lanes_where(simd, |lane| {
            let (a, b) = of(lane);
            cmp.holds(&a, &b)
        }),
    }
}

/// A class of numbers that `testp` tests for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatClass {
    Finite,
    Infinite,
    Number,
    NotANumber,
    /// Neither subnormal, infinite nor NaN; includes zeros
    Normal,
    Subnormal,
}

pub fn test_class(class: FloatClass, double: bool, s: &Slots, r: &Registers) -> u32 {
    let mut mask = 0;
    for lane in 0..WIDTH {
        let holds = if double {
            of_class(class, f64::from_bits(r.get::<u64>(s.a)[lane]).classify())
        } else {
            of_class(class, f32::from_bits(r.get::<u32>(s.a)[lane]).classify())
        };
        mask |= u32::from(holds) << lane;
    }
    mask
}

fn of_class(class: FloatClass, category: std::num::FpCategory) -> bool {
    use std::num::FpCategory::{Infinite, Nan, Normal, Subnormal, Zero};
    match class {
        FloatClass::Finite => matches!(category, Normal | Subnormal | Zero),
        FloatClass::Infinite => category == Infinite,
        FloatClass::Number => category != Nan,
        FloatClass::NotANumber => category == Nan,
        FloatClass::Normal => matches!(category, Normal | Zero),
        FloatClass::Subnormal => category == Subnormal,
    }
}

/// How `setp` and `set` combine a comparison with a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Combine {
    And,
    Or,
    Xor,
}

impl Combine {
    /// `a` combined with `b`.
    #[inline(always)]
    pub fn apply(self, a: u32, b: u32) -> u32 {
        match self {
            Combine::And => a & b,
            Combine::Or => a | b,
            Combine::Xor => a ^ b,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::Row;

    fn words(a: u32, b: u32) -> (Slots, Registers) {
        let registers = Registers { words: vec![Row::all(a), Row::all(b)], ..Registers::default() };
        (Slots { a: 0, b: 1, ..Slots::default() }, registers)
    }

    fn holds(op: Comparison, ty: ScalarType, a: u32, b: u32) -> bool {
        is_true(Compare { op, ty, flush: false }, a, b)
    }

    fn is_true(cmp: Compare, a: u32, b: u32) -> bool {
        let (s, r) = words(a, b);
        let mask = compare(Scalar::new(), cmp, &s, &r);
        assert!(mask == 0 || mask == FULL);
        mask == FULL
    }

    #[test]
    fn signs_matter() {
        assert!(holds(Comparison::Less, ScalarType::S32, u32::MAX, 0));
        assert!(!holds(Comparison::Less, ScalarType::U32, u32::MAX, 0));
        assert!(holds(Comparison::Less, ScalarType::S16, 0xffff, 0));
    }

    #[test]
    fn nan_is_unordered() {
        let (nan, one) = (f32::NAN.to_bits(), 1f32.to_bits());
        let ordered = [
            Comparison::Equal,
            Comparison::NotEqual,
            Comparison::Less,
            Comparison::LessEqual,
            Comparison::Greater,
            Comparison::GreaterEqual,
            Comparison::Numbers,
        ];
        let unordered = [
            Comparison::EqualUnordered,
            Comparison::NotEqualUnordered,
            Comparison::LessUnordered,
            Comparison::LessEqualUnordered,
            Comparison::GreaterUnordered,
            Comparison::GreaterEqualUnordered,
            Comparison::AnyNan,
        ];
        assert!(ordered.iter().all(|&cmp| !holds(cmp, ScalarType::F32, nan, one)));
        assert!(unordered.iter().all(|&cmp| holds(cmp, ScalarType::F32, nan, one)));
    }

    #[test]
    fn zeros_are_equal_and_subnormals_can_be_flushed() {
        assert!(holds(Comparison::Equal, ScalarType::F32, 0, 0x8000_0000));
        assert!(!holds(Comparison::Equal, ScalarType::F32, 0, 1));
        assert!(is_true(Compare { op: Comparison::Equal, ty: ScalarType::F32, flush: true }, 0, 1));
        assert!(holds(Comparison::Less, ScalarType::F16, 0xbc00, 0x3c00));
    }

    #[test]
    fn zero_counts_as_normal() {
        let class = |class, bits| {
            let (s, r) = words(bits, 0);
            test_class(class, false, &s, &r) == FULL
        };
        assert!(class(FloatClass::Normal, 0x8000_0000));
        assert!(class(FloatClass::Subnormal, 1) && !class(FloatClass::Normal, 1));
        assert!(class(FloatClass::Infinite, 0x7f80_0000) && !class(FloatClass::Finite, 0x7f80_0000));
    }
}
