//! Single and double precision arithmetic, and the approximations.
//!
//! Rounding to nearest uses the host's floats, which round alike. Everything else goes through [`soft_float`], so every
//! mode is exact. Approximations return the correctly rounded value, which every documented bound admits.

use pulp::Simd;
use warplens_sim_warp::soft_float::{self, F32, F64, Rounding};

use crate::registers::{Registers, lanes};
use crate::slot::Slots;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    /// `a * b + c`, rounded once
    Fma,
    Div,
    Reciprocal,
    Sqrt,
    /// The smaller operand; NaN only if both are
    Min,
    /// The larger operand; NaN only if both are
    Max,
    /// The smaller operand; NaN if either is
    MinNan,
    /// The larger operand; NaN if either is
    MaxNan,
    /// The smaller magnitude with the sign of the product; NaN only if both operands are
    MinXorSign,
    /// The larger magnitude with the sign of the product; NaN only if both operands are
    MaxXorSign,
    /// The smaller magnitude with the sign of the product; NaN if either operand is
    MinNanXorSign,
    /// The larger magnitude with the sign of the product; NaN if either operand is
    MaxNanXorSign,
    Abs,
    Neg,
    /// `b` with the sign of `a`
    CopySign,
}

/// How an operation rounds, and how it treats subnormals and results outside of 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FloatMode {
    pub rounding: Rounding,
    /// `.ftz`
    pub flush: bool,
    /// `.sat`
    pub saturate: bool,
}

impl FloatMode {
    /// Rounds to nearest and changes nothing else.
    pub const PLAIN: FloatMode = FloatMode { rounding: Rounding::Nearest, flush: false, saturate: false };
}

pub const NAN_32: u32 = 0x7fff_ffff;

/// Replaces a subnormal by a zero of the same sign.
#[inline(always)]
pub fn flush_32(bits: u32) -> u32 {
    if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits }
}

#[inline(always)]
pub fn canonical_32(value: f32) -> u32 {
    if value.is_nan() { NAN_32 } else { value.to_bits() }
}

/// Makes a NaN canonical and applies `.sat` and `.ftz`.
#[inline(always)]
pub fn finish_32(flush: bool, saturate: bool, value: f32) -> u32 {
    let value = match saturate {
        true if value > 0.0 => value.min(1.0),
        true => 0.0,
        false => value,
    };
    let bits = canonical_32(value);
    if flush { flush_32(bits) } else { bits }
}

/// Runs a single-precision operation in the lanes of `mask`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn execute_32<S: Simd>(simd: S, op: FloatOp, mode: FloatMode, s: &Slots, r: &mut Registers, mask: u32) {
    if mode.rounding != Rounding::Nearest {
        return directed_32(op, mode, s, r, mask);
    }
    match (mode.flush, mode.saturate) {
        (false, false) => nearest_32::<S, false, false>(simd, op, s, r, mask),
        (true, false) => nearest_32::<S, true, false>(simd, op, s, r, mask),
        (false, true) => nearest_32::<S, false, true>(simd, op, s, r, mask),
        (true, true) => nearest_32::<S, true, true>(simd, op, s, r, mask),
    }
}

#[inline(always)]
fn nearest_32<S: Simd, const FLUSH: bool, const SATURATE: bool>(
    simd: S,
    op: FloatOp,
    s: &Slots,
    r: &mut Registers,
    mask: u32,
) {
    let value = |bits: u32| f32::from_bits(if FLUSH { flush_32(bits) } else { bits });
    let done = |value: f32| finish_32(FLUSH, SATURATE, value);
    match op {
        FloatOp::Add => r.map2(s, mask, |a, b| done(value(a) + value(b))),
        FloatOp::Sub => r.map2(s, mask, |a, b| done(value(a) - value(b))),
        FloatOp::Mul => r.map2(s, mask, |a, b| done(value(a) * value(b))),
        FloatOp::Fma => r.map3(s, mask, |a, b, c| done(fma_32(simd, value(a), value(b), value(c)))),
        FloatOp::Div => r.map2(s, mask, |a, b| done(value(a) / value(b))),
        FloatOp::Reciprocal => r.map1(s, mask, |a| done(1.0 / value(a))),
        FloatOp::Sqrt => r.map1(s, mask, |a| done(value(a).sqrt())),
        FloatOp::Abs => r.map1(s, mask, |a| value(a).to_bits() & 0x7fff_ffff),
        FloatOp::Neg => r.map1(s, mask, |a| value(a).to_bits() ^ 0x8000_0000),
        FloatOp::CopySign => r.map2(s, mask, |a: u32, b: u32| a & 0x8000_0000 | b & 0x7fff_ffff),
        _ => r.map2(s, mask, |a, b| done(extremum_32(op, value(a), value(b)))),
    }
}

fn directed_32(op: FloatOp, mode: FloatMode, s: &Slots, r: &mut Registers, mask: u32) {
    let wide = |bits: u32| u64::from(if mode.flush { flush_32(bits) } else { bits });
    let (a, b, c) = (*r.get::<u32>(s.a), *r.get::<u32>(s.b), *r.get::<u32>(s.c));
    for lane in lanes(mask) {
        let (a, b, c) = (wide(a[lane]), wide(b[lane]), wide(c[lane]));
        let bits = soft(op, F32, mode.rounding, a, b, c);
        r.words[s.d as usize][lane] = finish_32(mode.flush, mode.saturate, f32::from_bits(bits as u32));
    }
}

fn soft(op: FloatOp, format: soft_float::Format, rounding: Rounding, a: u64, b: u64, c: u64) -> u64 {
    let one = soft_float::Number::Finite(soft_float::Exact::integer(false, 1));
    match op {
        FloatOp::Add => soft_float::op::add(format, rounding, a, b),
        FloatOp::Sub => soft_float::op::sub(format, rounding, a, b),
        FloatOp::Mul => soft_float::op::mul(format, rounding, a, b),
        FloatOp::Fma => soft_float::op::fma(format, rounding, a, b, c),
        FloatOp::Div => soft_float::op::div(format, rounding, a, b),
        FloatOp::Reciprocal => format.pack(one.over(format.unpack(a)), rounding),
        FloatOp::Sqrt => soft_float::op::sqrt(format, rounding, a),
        // The other operations are exact, so decoding gives them no rounding mode.
        _ => a,
    }
}

/// A fused multiply-add: a single instruction if the host has one.
#[inline(always)]
pub fn fma_32<S: Simd>(simd: S, a: f32, b: f32, c: f32) -> f32 {
    if has_fma(simd) { a.mul_add(b, c) } else { fma_by_doubles(a, b, c) }
}

/// Whether code compiled for `simd` has an instruction for [`f32::mul_add`]. Without one, that is a call per lane.
#[inline(always)]
fn has_fma<S: Simd>(simd: S) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        let simd: &dyn std::any::Any = &simd;
        if simd.is::<pulp::x86::V3>() || simd.is::<pulp::x86::V4>() {
            return true;
        }
    }
    let _ = simd;
    cfg!(target_arch = "aarch64")
}

/// A fused multiply-add through doubles. The product is exact there. If the sum is inexact, its last bit is made odd,
/// so that the second rounding can tell on which side the true value lies.
#[inline(always)]
fn fma_by_doubles(a: f32, b: f32, c: f32) -> f32 {
    sum_32(f64::from(a) * f64::from(b), f64::from(c))
}

/// The sum of two doubles, rounded once to single precision.
#[inline(always)]
pub fn sum_32(product: f64, addend: f64) -> f32 {
    let sum = product + addend;
    let back = sum - product;
    let error = (product - (sum - back)) + (addend - back);
    let bits = sum.to_bits();
    // False for infinities and NaNs, whose error is a NaN.
    let inexact = error.abs() > 0.0;
    let toward = if (error > 0.0) == (sum > 0.0) { 1 } else { u64::MAX };
    let odd = if inexact && bits & 1 == 0 { bits.wrapping_add(toward) } else { bits };
    f64::from_bits(odd) as f32
}

/// The min and max family. A NaN result is not yet the canonical NaN.
#[inline(always)]
pub fn extremum_32(op: FloatOp, a: f32, b: f32) -> f32 {
    let nan =
        matches!(op, FloatOp::MinNan | FloatOp::MaxNan | FloatOp::MinNanXorSign | FloatOp::MaxNanXorSign);
    let xor = matches!(
        op,
        FloatOp::MinXorSign | FloatOp::MaxXorSign | FloatOp::MinNanXorSign | FloatOp::MaxNanXorSign
    );
    let smaller = matches!(op, FloatOp::Min | FloatOp::MinNan | FloatOp::MinXorSign | FloatOp::MinNanXorSign);
    let sign = (a.to_bits() ^ b.to_bits()) & 0x8000_0000;
    let (x, y) = if xor { (a.abs(), b.abs()) } else { (a, b) };
    let chosen = if x.is_nan() || y.is_nan() {
        match (nan, x.is_nan()) {
            (true, _) => f32::NAN,
            (false, true) => y,
            (false, false) => x,
        }
    } else if x == y {
        // Equal except for the sign of zero; the negative zero is the smaller one.
        let (x, y) = (x.to_bits(), y.to_bits());
        f32::from_bits(if smaller { x | y } else { x & y })
    } else if (x < y) == smaller {
        x
    } else {
        y
    };
    if xor && !chosen.is_nan() { f32::from_bits(chosen.to_bits() & 0x7fff_ffff | sign) } else { chosen }
}

/// `min` or `max` of three singles, or of their magnitudes, in the lanes of `mask`.
pub fn extremum_of_three(op: FloatOp, flush: bool, abs: bool, s: &Slots, r: &mut Registers, mask: u32) {
    let magnitude = if abs { 0x7fff_ffff } else { u32::MAX };
    let value = |bits: u32| f32::from_bits(magnitude & if flush { flush_32(bits) } else { bits });
    r.map3(s, mask, |a, b, c| canonical_32(extremum_32(op, extremum_32(op, value(a), value(b)), value(c))));
}

/// Runs a single-precision operation on pairs of singles in 64-bit registers, in the lanes of `mask`.
pub fn execute_pair(op: FloatOp, mode: FloatMode, s: &Slots, r: &mut Registers, mask: u32) {
    let wide = |bits: u64| if mode.flush { flush_32(bits as u32) } else { bits as u32 }.into();
    let one = |a: u64, b: u64, c: u64| {
        let bits = soft(op, F32, mode.rounding, wide(a), wide(b), wide(c)) as u32;
        u64::from(finish_32(mode.flush, false, f32::from_bits(bits)))
    };
    r.map3(s, mask, |a: u64, b: u64, c: u64| one(a, b, c) | one(a >> 32, b >> 32, c >> 32) << 32);
}

/// Runs a double-precision operation in the lanes of `mask`.
#[inline(always)]
pub fn execute_64(op: FloatOp, rounding: Rounding, s: &Slots, r: &mut Registers, mask: u32) {
    if rounding != Rounding::Nearest {
        return directed_64(op, rounding, s, r, mask);
    }
    let f = f64::from_bits;
    match op {
        FloatOp::Add => r.map2(s, mask, |a, b| done_64(f(a) + f(b), a, b, 0)),
        FloatOp::Sub => r.map2(s, mask, |a, b| done_64(f(a) - f(b), a, b, 0)),
        FloatOp::Mul => r.map2(s, mask, |a, b| done_64(f(a) * f(b), a, b, 0)),
        FloatOp::Fma => r.map3(s, mask, |a, b, c| done_64(f(a).mul_add(f(b), f(c)), a, b, c)),
        FloatOp::Div => r.map2(s, mask, |a, b| done_64(f(a) / f(b), a, b, 0)),
        FloatOp::Reciprocal => r.map1(s, mask, |a| done_64(1.0 / f(a), a, 0, 0)),
        FloatOp::Sqrt => r.map1(s, mask, |a| done_64(f(a).sqrt(), a, 0, 0)),
        FloatOp::Abs => r.map1(s, mask, |a: u64| a & !SIGN_64),
        FloatOp::Neg => r.map1(s, mask, |a: u64| a ^ SIGN_64),
        FloatOp::CopySign => r.map2(s, mask, |a: u64, b: u64| a & SIGN_64 | b & !SIGN_64),
        FloatOp::Min | FloatOp::MinNan | FloatOp::MinXorSign | FloatOp::MinNanXorSign => {
            r.map2(s, mask, |a, b| extremum_64(true, a, b));
        }
        FloatOp::Max | FloatOp::MaxNan | FloatOp::MaxXorSign | FloatOp::MaxNanXorSign => {
            r.map2(s, mask, |a, b| extremum_64(false, a, b));
        }
    }
}

const SIGN_64: u64 = 1 << 63;

/// A NaN result has the payload of the first NaN operand, quieted.
#[inline(always)]
pub fn done_64(value: f64, a: u64, b: u64, c: u64) -> u64 {
    if !value.is_nan() {
        return value.to_bits();
    }
    let payload = [a, b, c].into_iter().find(|&bits| f64::from_bits(bits).is_nan());
    payload.map_or(F64.nan(), |bits| bits | 1 << 51)
}

#[inline(always)]
fn extremum_64(smaller: bool, a: u64, b: u64) -> u64 {
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    match (x.is_nan(), y.is_nan()) {
        (true, true) => NAN_64,
        (true, false) => b,
        (false, true) => a,
        _ if x == y => {
            if smaller {
                a | b
            } else {
                a & b
            }
        }
        _ if (x < y) == smaller => a,
        _ => b,
    }
}

/// The result of `min` and `max` for two NaNs.
const NAN_64: u64 = 0x7fff_ffff_ffff_ffff;

fn directed_64(op: FloatOp, rounding: Rounding, s: &Slots, r: &mut Registers, mask: u32) {
    let (a, b, c) = (*r.get::<u64>(s.a), *r.get::<u64>(s.b), *r.get::<u64>(s.c));
    for lane in lanes(mask) {
        let bits = soft(op, F64, rounding, a[lane], b[lane], c[lane]);
        let uses_c = if op == FloatOp::Fma { c[lane] } else { 0 };
        let uses_b = if matches!(op, FloatOp::Sqrt | FloatOp::Reciprocal) { 0 } else { b[lane] };
        r.doubles[s.d as usize][lane] = done_64(f64::from_bits(bits), a[lane], uses_b, uses_c);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Approximation {
    /// `rcp.approx.f32`
    Reciprocal,
    /// `sqrt.approx.f32`
    Sqrt,
    /// `rsqrt.approx.f32`
    ReciprocalSqrt,
    /// `sin.approx.f32`
    Sin,
    /// `cos.approx.f32`
    Cos,
    /// `lg2.approx.f32`
    Log2,
    /// `ex2.approx.f32`
    Exp2,
    /// `tanh.approx.f32`
    Tanh,
    /// `div.approx.f32`
    Div,
    /// `div.full.f32`
    DivFull,
    /// `rcp.approx.ftz.f64`
    Reciprocal64,
    /// `rsqrt.approx.f64`
    ReciprocalSqrt64,
}

pub fn approximate(op: Approximation, flush: bool, s: &Slots, r: &mut Registers, mask: u32) {
    match op {
        Approximation::Reciprocal64 => r.map1(s, mask, |a| upper_half(1.0 / flush_64(upper_input(a)))),
        Approximation::ReciprocalSqrt64 => {
            r.map1(s, mask, |a| upper_half(1.0 / flush_64(upper_input(a)).sqrt()));
        }
        _ => {
            let (a, b) = (*r.get::<u32>(s.a), *r.get::<u32>(s.b));
            let value = |bits| f32::from_bits(if flush { flush_32(bits) } else { bits });
            for lane in lanes(mask) {
                let result = approximate_32(op, value(a[lane]), value(b[lane]));
                r.words[s.d as usize][lane] = finish_32(flush, false, result);
            }
        }
    }
}

fn approximate_32(op: Approximation, a: f32, b: f32) -> f32 {
    let wide = f64::from(a);
    // Angles below the normal range count as zero.
    let angle = f64::from(f32::from_bits(flush_32(a.to_bits())));
    let result = match op {
        Approximation::Reciprocal => 1.0 / wide,
        Approximation::Sqrt => wide.sqrt(),
        Approximation::ReciprocalSqrt if a == 0.0 => f64::INFINITY.copysign(wide),
        Approximation::ReciprocalSqrt => 1.0 / wide.sqrt(),
        Approximation::Sin => angle.sin(),
        Approximation::Cos => angle.cos(),
        Approximation::Log2 => wide.log2(),
        Approximation::Exp2 => wide.exp2(),
        Approximation::Tanh => wide.tanh(),
        Approximation::Div if b.abs() > 2f32.powi(126) && b.is_finite() => {
            // The reciprocal of such a large divisor is below the normal range.
            let zero = 0f64.copysign(f64::from(b));
            wide * zero
        }
        _ => wide / f64::from(b),
    };
    result as f32
}

/// The double-precision approximations read only the upper word.
fn upper_input(bits: u64) -> f64 {
    f64::from_bits(bits & !0xffff_ffff)
}

fn flush_64(value: f64) -> f64 {
    if value.is_subnormal() { 0f64.copysign(value) } else { value }
}

/// The result has 20 fraction bits; the lower word is 0.
fn upper_half(value: f64) -> u64 {
    if value.is_nan() { 0x7fff_ffff_0000_0000 } else { flush_64(value).to_bits() & !0xffff_ffff }
}

#[cfg(test)]
mod tests {
    use pulp::Scalar;

    use super::*;
    use crate::semantics::testing::{double3, word3};
    use proptest::prelude::*;

    fn single(op: FloatOp, mode: FloatMode, a: u32, b: u32, c: u32) -> u32 {
        word3(a, b, c, |s, r, mask| execute_32(Scalar::new(), op, mode, s, r, mask))
    }

    fn approximately(op: Approximation, a: u32, b: u32) -> u32 {
        word3(a, b, 0, |s, r, mask| approximate(op, false, s, r, mask))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn fused_multiply_add_rounds_once(a: u32, b: u32, c: u32) {
            let (x, y, z) = (f32::from_bits(a), f32::from_bits(b), f32::from_bits(c));
            let (ours, host) = (fma_by_doubles(x, y, z), x.mul_add(y, z));
            prop_assert!(ours.to_bits() == host.to_bits() || ours.is_nan() && host.is_nan());
        }

        #[test]
        fn fused_multiply_add_near_cancellation(a: u32, b: u32, nudge in -3i32..4) {
            let (x, y) = (f32::from_bits(a), f32::from_bits(b));
            let z = f32::from_bits((-(x * y)).to_bits().wrapping_add_signed(nudge));
            let (ours, host) = (fma_by_doubles(x, y, z), x.mul_add(y, z));
            prop_assert!(ours.to_bits() == host.to_bits() || ours.is_nan() && host.is_nan());
        }
    }

    #[test]
    fn nan_results_are_canonical() {
        let inf = f32::INFINITY.to_bits();
        assert_eq!(single(FloatOp::Sub, FloatMode::PLAIN, inf, inf, 0), NAN_32);
        assert_eq!(single(FloatOp::Mul, FloatMode::PLAIN, 0xffc0_0001, inf, 0), NAN_32);
        let payload = double3(0x7ff0_0000_0000_0001, 0, 0, |s, r, mask| {
            execute_64(FloatOp::Add, Rounding::Nearest, s, r, mask);
        });
        assert_eq!(payload, 0x7ff8_0000_0000_0001);
    }

    #[test]
    fn flushing_and_saturation() {
        let flush = FloatMode { flush: true, ..FloatMode::PLAIN };
        let saturate = FloatMode { saturate: true, ..FloatMode::PLAIN };
        assert_eq!(single(FloatOp::Add, flush, 1, 1, 0), 0);
        assert_eq!(single(FloatOp::Add, FloatMode::PLAIN, 1, 1, 0), 2);
        assert_eq!(single(FloatOp::Mul, flush, 0x8080_0000, 0x3f00_0000, 0), 0x8000_0000);
        assert_eq!(single(FloatOp::Add, saturate, 2f32.to_bits(), 0, 0), 1f32.to_bits());
        assert_eq!(single(FloatOp::Add, saturate, NAN_32, 0, 0), 0);
        assert_eq!(single(FloatOp::Mul, saturate, 0x8000_0000, 1f32.to_bits(), 0), 0);
    }

    #[test]
    fn minimum_and_maximum() {
        let run =
            |op, a: f32, b: f32| f32::from_bits(single(op, FloatMode::PLAIN, a.to_bits(), b.to_bits(), 0));
        assert_eq!(run(FloatOp::Min, f32::NAN, 3.0), 3.0);
        assert!(run(FloatOp::MinNan, f32::NAN, 3.0).is_nan());
        assert_eq!(run(FloatOp::Min, 0.0, -0.0).to_bits(), 0x8000_0000);
        assert_eq!(run(FloatOp::Max, -0.0, 0.0).to_bits(), 0);
        assert_eq!(run(FloatOp::MaxXorSign, -3.0, 2.0), -3.0);
        assert_eq!(run(FloatOp::MinXorSign, -3.0, -2.0), 2.0);
    }

    #[test]
    fn extrema_of_three() {
        let run = |op, [a, b, c]: [f32; 3]| {
            let bits = word3(a.to_bits(), b.to_bits(), c.to_bits(), |s, r, mask| {
                extremum_of_three(op, false, false, s, r, mask);
            });
            f32::from_bits(bits)
        };
        assert_eq!(run(FloatOp::Max, [1.0, f32::NAN, 3.0]), 3.0);
        assert!(run(FloatOp::MinNan, [1.0, 2.0, f32::NAN]).is_nan());
        assert_eq!(run(FloatOp::MinXorSign, [-3.0, 2.0, -1.0]), 1.0);
    }

    #[test]
    fn directed_roundings() {
        let at = |rounding| {
            let mode = FloatMode { rounding, ..FloatMode::PLAIN };
            single(FloatOp::Div, mode, 1f32.to_bits(), 3f32.to_bits(), 0)
        };
        assert_eq!((at(Rounding::Down), at(Rounding::Up)), (0x3eaa_aaaa, 0x3eaa_aaab));
        assert_eq!((at(Rounding::Zero), at(Rounding::Nearest)), (0x3eaa_aaaa, 0x3eaa_aaab));
    }

    #[test]
    fn approximations_at_the_edges() {
        let inf = f32::INFINITY.to_bits();
        assert_eq!(approximately(Approximation::Reciprocal, 0x8000_0000, 0), 0xff80_0000);
        assert_eq!(approximately(Approximation::ReciprocalSqrt, 0x8000_0000, 0), 0xff80_0000);
        assert_eq!(approximately(Approximation::Log2, 1, 0), (-149f32).to_bits());
        assert_eq!(approximately(Approximation::Sin, 1, 0), 0);
        assert_eq!(approximately(Approximation::Cos, inf, 0), NAN_32);
        assert_eq!(approximately(Approximation::Exp2, 0xff80_0000, 0), 0);
        assert_eq!(approximately(Approximation::Div, 1f32.to_bits(), 0x7f00_0000), 0);
        assert_eq!(approximately(Approximation::Div, inf, 0x7f00_0000), NAN_32);
    }
}
