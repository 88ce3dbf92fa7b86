//! Integer arithmetic: `add sub mul mad div rem abs neg min max sad`, in 16, 32 and 64 bits, and the 24-bit forms.

use warplens_sim_warp::scalar_type::ScalarType;

use crate::registers::{Registers, Word};
use crate::slot::Slots;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntOp {
    Add,
    /// `a + b`, clamped to the type
    AddSaturate,
    Sub,
    /// `a - b`, clamped to the type
    SubSaturate,
    /// The low half of `a * b`
    Mul,
    /// The high half of `a * b`
    MulHigh,
    /// The low half of `a * b`, plus `c`
    Mad,
    /// The high half of `a * b`, plus `c`
    MadHigh,
    /// The high half of `a * b`, plus `c`, clamped to the type
    MadHighSaturate,
    Div,
    Rem,
    Abs,
    Neg,
    Min,
    Max,
    /// Like `Min`, but negative results become 0
    MinRelu,
    /// Like `Max`, but negative results become 0
    MaxRelu,
    /// `|a - b| + c`
    Sad,
}

impl IntOp {
    pub fn operands(self) -> usize {
        match self {
            IntOp::Abs | IntOp::Neg => 1,
            IntOp::Mad | IntOp::MadHigh | IntOp::MadHighSaturate | IntOp::Sad => 3,
            _ => 2,
        }
    }
}

pub trait Integer: Copy + Default + Ord {
    type Word: Word;
    fn of(word: Self::Word) -> Self;
    fn word(self) -> Self::Word;
    /// `self + other` modulo the width.
    fn plus(self, other: Self) -> Self;
    /// `self + other`, clamped.
    fn plus_clamped(self, other: Self) -> Self;
    /// `self - other` modulo the width.
    fn minus(self, other: Self) -> Self;
    /// `self - other`, clamped.
    fn minus_clamped(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn times_high(self, other: Self) -> Self;
    /// The quotient, rounded toward zero; all ones for a division by zero.
    fn over(self, other: Self) -> Self;
    /// The remainder with the sign of `self`; all ones for a division by zero.
    fn modulo(self, other: Self) -> Self;
    /// The magnitude modulo the width.
    fn magnitude(self) -> Self;
}

macro_rules! forward {
    ($($name:ident = $method:ident;)*) => {$(
        #[inline(always)]
        fn $name(self, other: Self) -> Self {
            self.$method(other)
        }
    )*};
}

macro_rules! integer {
    ($($int:ty, $unsigned:ty, $word:ty, $wide:ty, $magnitude:ident;)*) => {$(
        impl Integer for $int {
            type Word = $word;

            #[inline(always)]
            fn of(word: $word) -> Self {
                word as $int
            }

            #[inline(always)]
            fn word(self) -> $word {
                <$word>::from(self as $unsigned)
            }

            forward! {
                plus = wrapping_add;
                plus_clamped = saturating_add;
                minus = wrapping_sub;
                minus_clamped = saturating_sub;
                times = wrapping_mul;
            }

            #[inline(always)]
            fn times_high(self, other: Self) -> Self {
                ((self as $wide * other as $wide) >> <$int>::BITS) as $int
            }

            #[inline(always)]
            fn over(self, other: Self) -> Self {
                if other == 0 { !0 } else { self.wrapping_div(other) }
            }

            #[inline(always)]
            fn modulo(self, other: Self) -> Self {
                if other == 0 { !0 } else { self.wrapping_rem(other) }
            }

            #[inline(always)]
            fn magnitude(self) -> Self {
                integer!(@$magnitude self)
            }
        }
    )*};
    (@keep $value:expr) => { $value };
    (@absolute $value:expr) => { $value.wrapping_abs() };
}

integer! {
    u16, u16, u32, u32, keep;
    i16, u16, u32, i32, absolute;
    u32, u32, u32, u64, keep;
    i32, u32, u32, i64, absolute;
    u64, u64, u64, u128, keep;
    i64, u64, u64, i128, absolute;
}

/// Runs an integer operation in the lanes of `mask`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn execute(op: IntOp, ty: ScalarType, s: &Slots, r: &mut Registers, mask: u32) {
    match ty {
        ScalarType::U16 | ScalarType::B16 => run::<u16>(op, s, r, mask),
        ScalarType::S16 => run::<i16>(op, s, r, mask),
        ScalarType::U32 | ScalarType::B32 => run::<u32>(op, s, r, mask),
        ScalarType::S32 => run::<i32>(op, s, r, mask),
        ScalarType::U64 | ScalarType::B64 => run::<u64>(op, s, r, mask),
        ScalarType::S64 => run::<i64>(op, s, r, mask),
        // Decoding permits no other types.
        _ => {}
    }
}

#[inline(always)]
fn run<T: Integer>(op: IntOp, s: &Slots, r: &mut Registers, mask: u32) {
    let zero = T::default();
    match op {
        IntOp::Add => two(s, r, mask, T::plus),
        IntOp::AddSaturate => two(s, r, mask, T::plus_clamped),
        IntOp::Sub => two(s, r, mask, T::minus),
        IntOp::SubSaturate => two(s, r, mask, T::minus_clamped),
        IntOp::Mul => two(s, r, mask, T::times),
        IntOp::MulHigh => two(s, r, mask, T::times_high),
        IntOp::Mad => three(s, r, mask, |a: T, b, c| a.times(b).plus(c)),
        IntOp::MadHigh => three(s, r, mask, |a: T, b, c| a.times_high(b).plus(c)),
        IntOp::MadHighSaturate => three(s, r, mask, |a: T, b, c| a.times_high(b).plus_clamped(c)),
        IntOp::Div => two(s, r, mask, T::over),
        IntOp::Rem => two(s, r, mask, T::modulo),
        IntOp::Abs => one(s, r, mask, T::magnitude),
        IntOp::Neg => one(s, r, mask, |a: T| zero.minus(a)),
        IntOp::Min => two(s, r, mask, T::min),
        IntOp::Max => two(s, r, mask, T::max),
        IntOp::MinRelu => two(s, r, mask, |a: T, b| a.min(b).max(zero)),
        IntOp::MaxRelu => two(s, r, mask, |a: T, b| a.max(b).max(zero)),
        IntOp::Sad => three(s, r, mask, |a: T, b, c| a.max(b).minus(a.min(b)).plus(c)),
    }
}

#[inline(always)]
fn one<T: Integer>(s: &Slots, r: &mut Registers, mask: u32, f: impl Fn(T) -> T) {
    r.map1(s, mask, |a| f(T::of(a)).word());
}

#[inline(always)]
fn two<T: Integer>(s: &Slots, r: &mut Registers, mask: u32, f: impl Fn(T, T) -> T) {
    r.map2(s, mask, |a, b| f(T::of(a), T::of(b)).word());
}

#[inline(always)]
fn three<T: Integer>(s: &Slots, r: &mut Registers, mask: u32, f: impl Fn(T, T, T) -> T) {
    r.map3(s, mask, |a, b, c| f(T::of(a), T::of(b), T::of(c)).word());
}

/// `mul.wide`; `ty` is the type of the factors, which have 16 or 32 bits.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn multiply_wide(ty: ScalarType, s: &Slots, r: &mut Registers, mask: u32) {
    match ty {
        ScalarType::U16 => r.map2(s, mask, wide_u16),
        ScalarType::S16 => r.map2(s, mask, wide_s16),
        ScalarType::U32 => r.map2(s, mask, wide_u32),
        ScalarType::S32 => r.map2(s, mask, wide_s32),
        _ => {}
    }
}

/// `mad.wide`; the sum is twice as wide as the factors.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn multiply_add_wide(ty: ScalarType, s: &Slots, r: &mut Registers, mask: u32) {
    match ty {
        ScalarType::U16 => r.map3(s, mask, |a, b, c: u32| wide_u16(a, b).wrapping_add(c)),
        ScalarType::S16 => r.map3(s, mask, |a, b, c: u32| wide_s16(a, b).wrapping_add(c)),
        ScalarType::U32 => r.map3(s, mask, |a, b, c: u64| wide_u32(a, b).wrapping_add(c)),
        ScalarType::S32 => r.map3(s, mask, |a, b, c: u64| wide_s32(a, b).wrapping_add(c)),
        _ => {}
    }
}

#[inline(always)]
fn wide_u16(a: u32, b: u32) -> u32 {
    (a & 0xffff) * (b & 0xffff)
}

#[inline(always)]
fn wide_s16(a: u32, b: u32) -> u32 {
    (i32::from(a as i16) * i32::from(b as i16)) as u32
}

#[inline(always)]
fn wide_u32(a: u32, b: u32) -> u64 {
    u64::from(a) * u64::from(b)
}

#[inline(always)]
fn wide_s32(a: u32, b: u32) -> u64 {
    (i64::from(a as i32) * i64::from(b as i32)) as u64
}

/// `mul24` and `mad24`: which half of the 48-bit product, whether `c` is added, and whether the result is clamped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mul24 {
    /// `mul24.lo`
    Low,
    /// `mul24.hi`
    High,
    /// `mad24.lo`
    AddLow,
    /// `mad24.hi`
    AddHigh,
    /// `mad24.hi.sat`
    AddHighSaturate,
}

/// A 24-bit multiplication of `.s32` (`signed`) or `.u32` operands.
#[inline(always)]
pub fn multiply_24(op: Mul24, signed: bool, s: &Slots, r: &mut Registers, mask: u32) {
    let product = move |a: u32, b: u32| {
        let cut = |word: u32| match signed {
            true => i64::from((word << 8) as i32 >> 8),
            false => i64::from(word & 0xff_ffff),
        };
        cut(a) * cut(b)
    };
    let low = move |a: u32, b: u32| product(a, b) as u32;
    let high = move |a: u32, b: u32| (product(a, b) >> 16) as u32;
    match op {
        Mul24::Low => r.map2(s, mask, low),
        Mul24::High => r.map2(s, mask, high),
        Mul24::AddLow => r.map3(s, mask, |a, b, c: u32| low(a, b).wrapping_add(c)),
        Mul24::AddHigh => r.map3(s, mask, |a, b, c: u32| high(a, b).wrapping_add(c)),
        Mul24::AddHighSaturate => {
            r.map3(s, mask, |a, b, c: u32| (high(a, b) as i32).saturating_add(c as i32) as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semantics::testing::{double3, word3};

    fn int(op: IntOp, ty: ScalarType, a: u64, b: u64, c: u64) -> u64 {
        match ty {
            ScalarType::U64 | ScalarType::S64 => double3(a, b, c, |s, r, mask| execute(op, ty, s, r, mask)),
            _ => word3(a as u32, b as u32, c as u32, |s, r, mask| execute(op, ty, s, r, mask)).into(),
        }
    }

    #[test]
    fn narrow_results_have_no_bits_above_their_width() {
        assert_eq!(int(IntOp::Add, ScalarType::U16, 0xffff, 2, 0), 1);
        assert_eq!(int(IntOp::Neg, ScalarType::S16, 1, 0, 0), 0xffff);
        assert_eq!(int(IntOp::MulHigh, ScalarType::S16, 0xffff, 0xffff, 0), 0);
        assert_eq!(int(IntOp::Abs, ScalarType::S16, 0x8000, 0, 0), 0x8000);
    }

    #[test]
    fn division_by_zero_gives_all_ones() {
        for op in [IntOp::Div, IntOp::Rem] {
            assert_eq!(int(op, ScalarType::S32, 7, 0, 0), 0xffff_ffff);
            assert_eq!(int(op, ScalarType::U64, 7, 0, 0), u64::MAX);
            assert_eq!(int(op, ScalarType::U16, 7, 0, 0), 0xffff);
        }
    }

    #[test]
    fn division_rounds_toward_zero_and_wraps() {
        assert_eq!(int(IntOp::Div, ScalarType::S32, -7i32 as u32 as u64, 2, 0), -3i32 as u32 as u64);
        assert_eq!(int(IntOp::Rem, ScalarType::S32, -7i32 as u32 as u64, 2, 0), -1i32 as u32 as u64);
        assert_eq!(int(IntOp::Div, ScalarType::S64, i64::MIN as u64, u64::MAX, 0), i64::MIN as u64);
    }

    #[test]
    fn saturation_clamps_to_the_type() {
        assert_eq!(int(IntOp::AddSaturate, ScalarType::S32, 0x7fff_ffff, 1, 0), 0x7fff_ffff);
        assert_eq!(int(IntOp::SubSaturate, ScalarType::S32, 0x8000_0000, 1, 0), 0x8000_0000);
        let top = int(IntOp::MadHighSaturate, ScalarType::S32, 0x7fff_ffff, 0x7fff_ffff, 0x7fff_ffff);
        assert_eq!(top, 0x7fff_ffff);
    }

    #[test]
    fn sum_of_absolute_differences() {
        assert_eq!(int(IntOp::Sad, ScalarType::S32, -3i32 as u32 as u64, 4, 10), 17);
        assert_eq!(int(IntOp::Sad, ScalarType::U64, 3, u64::MAX, 1), u64::MAX - 2);
    }

    #[test]
    fn twenty_four_bits() {
        let run = |op, signed, a, b, c| word3(a, b, c, |s, r, mask| multiply_24(op, signed, s, r, mask));
        assert_eq!(run(Mul24::Low, false, 0xff00_0003, 5, 0), 15);
        assert_eq!(run(Mul24::Low, true, 0x00ff_ffff, 5, 0), -5i32 as u32);
        assert_eq!(run(Mul24::High, false, 0x00ff_ffff, 0x00ff_ffff, 0), 0xffff_fe00);
        assert_eq!(run(Mul24::AddHighSaturate, true, 0x7f_ffff, 0x7f_ffff, 0x7fff_ffff), 0x7fff_ffff);
    }
}
