//! Single and double precision.
//!
//! Rounding to nearest uses the host's floats, other roundings use `soft_float`. Approximations return the
//! correctly rounded value, which makes the instruction sequences for quotients and roots exact.

use pulp::{Scalar, Simd};
use warplens_sim_cuda::registers::{PerLane, each, lanes, lanes_where};
use warplens_sim_cuda::semantics::compare::ordered;
use warplens_sim_cuda::semantics::float::{
    NAN_32, canonical_32, done_64, extremum_32, finish_32, flush_32, fma_32,
};
use warplens_sim_warp::soft_float::{self, F32, F64, Rounding};

use super::lanewise::{map_lanes, map1, map3};
use super::predicate::{set_compared, set_to};
use crate::program::{Angle, Arithmetic, FloatCompare, FloatMode, Mufu, Op, Operation};
use crate::registers::{Part, Registers, Source};

/// Makes a NaN result canonical and applies `.SAT` and `.FTZ`.
#[inline(always)]
fn finish(mode: FloatMode, value: f32) -> u32 {
    finish_32(mode.flush, mode.saturate, value)
}

/// Frequent operations.
#[inline(always)]
pub(super) fn execute<S: Simd>(simd: S, op: Op, o: &Operation, r: &mut Registers, mask: u32) {
    match op {
        Op::Float(op, mode) if mode.is_nearest() => match op {
            Arithmetic::Add => map(mode, o, r, mask, |a, b, _| a + b),
            Arithmetic::Mul => map(mode, o, r, mask, |a, b, _| a * b),
            Arithmetic::Fma => map(mode, o, r, mask, |a, b, c| fma_32(simd, a, b, c)),
        },
        Op::Float(op, mode) => directed(op, mode, o, r, mask),
        Op::FloatMinMax(compare) => {
            let smaller = r.holds(o.p[0]);
            let [a, b, _] = r.sources(&o.s).map(|row| *row);
            let signs = raw_signs(o, r);
            let value =
                |lane: usize| extremum(compare, smaller >> lane & 1 == 1, [a[lane], b[lane]], signs[lane]);
            r.set(o.d, mask, &each(value));
        }
        Op::FloatSetp(compare, combine) => {
            let holds = compared(simd, compare, o, r);
            set_compared(combine, holds, o, r, mask);
        }
        _ => {}
    }
}

/// Computes an operation in any mode.
#[inline(always)]
fn map(mode: FloatMode, o: &Operation, r: &mut Registers, mask: u32, f: impl Fn(f32, f32, f32) -> f32) {
    let flushed = |bits: u32| if mode.flush { flush_32(bits) } else { bits };
    let values = results(Signs::Some, o, r, flushed, |a, b, c| finish(mode, f(a, b, c)));
    r.set(o.d, mask, &values);
}

/// Whether a source is negated or absolute.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Signs {
    None,
    Some,
}

/// Computes an operation in a plain mode, which changes nothing but the signs of the sources.
#[inline(always)]
pub(super) fn map_plain(
    signs: Signs,
    o: &Operation,
    r: &mut Registers,
    mask: u32,
    f: impl Fn(f32, f32, f32) -> f32,
) {
    let values = results(signs, o, r, |bits| bits, |a, b, c| canonical_32(f(a, b, c)));
    r.set(o.d, mask, &values);
}

/// The results of all lanes, with sources as `prepared` returns them.
#[inline(always)]
fn results(
    signs: Signs,
    o: &Operation,
    r: &Registers,
    prepared: impl Fn(u32) -> u32,
    f: impl Fn(f32, f32, f32) -> u32,
) -> PerLane<u32> {
    let [a, b, c] = r.sources(&o.s);
    let masks = o.s.map(Source::float_masks);
    let value = |source: usize, bits: u32| {
        let bits = if signs == Signs::Some { bits & masks[source].0 ^ masks[source].1 } else { bits };
        f32::from_bits(prepared(bits))
    };
    each(|lane| f(value(0, a[lane]), value(1, b[lane]), value(2, c[lane])))
}

fn directed(op: Arithmetic, mode: FloatMode, o: &Operation, r: &mut Registers, mask: u32) {
    let [a, b, c] = r.sources(&o.s).map(|row| *row);
    let mut values = *r.row(o.d);
    for lane in lanes(mask) {
        values[lane] = one(op, mode, a[lane], b[lane], c[lane]);
    }
    r.set(o.d, mask, &values);
}

/// Computes one lane of an operation in any mode.
fn one(op: Arithmetic, mode: FloatMode, a: u32, b: u32, c: u32) -> u32 {
    let wide = |bits: u32| u64::from(if mode.flush { flush_32(bits) } else { bits });
    let (a, b, c) = (wide(a), wide(b), wide(c));
    let scaled = |bits: u64| match (mode.scale, F32.unpack(bits)) {
        (0, number) => number,
        (scale, soft_float::Number::Finite(exact)) => soft_float::Number::Finite(soft_float::Exact {
            exponent: exact.exponent + i32::from(scale),
            ..exact
        }),
        (_, number) => number,
    };
    let bits = match op {
        Arithmetic::Mul => F32.pack(scaled(a).times(F32.unpack(b)), mode.rounding),
        op => op.of(F32, mode.rounding, [a, b, c]),
    };
    finish(mode, f32::from_bits(bits as u32))
}

/// The signs of the registers, before the sign modifiers of the sources: bit 0 for `a`, bit 1 for `b`.
fn raw_signs(o: &Operation, r: &Registers) -> PerLane<u32> {
    let [a, b, _] = r.sources(&o.s);
    each(|lane| a[lane] >> 31 | (b[lane] >> 31) << 1)
}

#[inline(always)]
fn extremum(compare: FloatCompare, smaller: bool, [a, b]: [u32; 2], signs: u32) -> u32 {
    let value = |bits: u32| f32::from_bits(if compare.flush { flush_32(bits) } else { bits });
    let op = compare.extremum(smaller);
    if compare.xor_sign {
        let magnitude = canonical_32(extremum_32(op, value(a & 0x7fff_ffff), value(b & 0x7fff_ffff)));
        let sign = (signs ^ signs >> 1) & 1;
        return if magnitude == NAN_32 { NAN_32 } else { magnitude | sign << 31 };
    }
    canonical_32(extremum_32(op, value(a), value(b)))
}

/// The lanes in which a comparison of singles holds.
#[inline(always)]
pub(super) fn compared<S: Simd>(simd: S, compare: FloatCompare, o: &Operation, r: &Registers) -> u32 {
    let [a, b, _] = r.sources(&o.s);
    let value = |bits: u32| f32::from_bits(if compare.flush { flush_32(bits) } else { bits });
    compare.relation.lanes(|cmp| ordered(simd, cmp, |lane| (value(a[lane]), value(b[lane]))))
}

/// Infrequent operations on singles.
pub(super) fn uncommon(op: Op, o: &Operation, r: &mut Registers, mask: u32) -> bool {
    match op {
        Op::MoveFloat => map1(o, r, mask, |a| a),
        Op::SelectFloat { flush } => {
            let chosen = r.holds(o.p[0]);
            map_lanes(o, r, mask, |lane, [a, b, _]| {
                let bits = if chosen >> lane & 1 == 1 { a } else { b };
                if flush { flush_32(bits) } else { bits }
            });
        }
        Op::FloatPair(op, mode) => pair(op, mode, o, r, mask),
        Op::FloatMinMax3(compare) => {
            let smaller = r.holds(o.p[0]);
            map_lanes(o, r, mask, |lane, [a, b, c]| {
                let smaller = smaller >> lane & 1 == 1;
                extremum(compare, smaller, [extremum(compare, smaller, [a, b], 0), c], 0)
            });
        }
        Op::FloatSet(compare, combine, to) => {
            let holds = combine.apply(compared(Scalar::new(), compare, o, r), r.holds(o.p[0]));
            set_to(to, holds, o, r, mask);
        }
        Op::FloatSelect(compare) => {
            let value = |bits: u32| f32::from_bits(if compare.flush { flush_32(bits) } else { bits });
            map3(o, r, mask, |a, b, c| if compare.relation.holds(value(c), 0.0) { a } else { b });
        }
        Op::FloatCheck => {
            let [a, b, _] = r.sources(&o.s).map(|row| *row);
            let slow = lanes_where(Scalar::new(), |lane| needs_slow_path(a[lane], b[lane]));
            r.set_predicate(o.q[0], mask, slow);
        }
        Op::Mufu(function) => {
            let values = *r.row(o.s[0].row);
            let mut results = *r.row(o.d);
            for lane in lanes(mask) {
                results[lane] = approximate(function, values[lane]);
            }
            r.set(o.d, mask, &results);
        }
        _ => return false,
    }
    true
}

/// An operation on pairs, word by word.
fn pair(op: Arithmetic, mode: FloatMode, o: &Operation, r: &mut Registers, mask: u32) {
    for word in 0..2 {
        let value = |source: Source, buffer: &mut PerLane<u32>| {
            let word = if source.part == Part::Single { 0 } else { word };
            *r.float(Source { part: Part::Whole, ..source.word(word) }, buffer)
        };
        let mut buffer = [0; 32];
        let [a, b, c] = o.s.map(|source| value(source, &mut buffer));
        let values = each(|lane| one(op, mode, a[lane], b[lane], c[lane]));
        r.set(o.d + word, mask, &values);
    }
}

/// Whether the fast quotient of two singles may be wrong: for special operands, and exponents near the ends
/// of the range.
fn needs_slow_path(a: u32, b: u32) -> bool {
    let exponent = |bits: u32| (bits >> 23 & 0xff) as i32;
    let (a, b) = (exponent(a), exponent(b));
    let quotient = a - b;
    a == 255 || b == 0 || b >= 253 || !(-100..=126).contains(&quotient) || a < 24
}

/// Approximations return the correctly rounded value and treat subnormal sources as zero.
fn approximate(function: Mufu, bits: u32) -> u32 {
    if let Mufu::Rcp64High | Mufu::Rsq64High = function {
        return high_of_double(function, bits);
    }
    let x = f64::from(f32::from_bits(flush_32(bits)));
    let radians = |angle: Angle| match angle {
        Angle::Radians => x,
        Angle::Turns => x.fract() * std::f64::consts::TAU,
    };
    let value = match function {
        Mufu::Rcp => 1.0 / x,
        Mufu::Rsq => 1.0 / x.sqrt(),
        Mufu::Sqrt => x.sqrt(),
        Mufu::Ex2 => x.exp2(),
        Mufu::Lg2 => x.log2(),
        Mufu::Sin(angle) => radians(angle).sin(),
        Mufu::Cos(angle) => radians(angle).cos(),
        Mufu::Tanh => x.tanh(),
        Mufu::Rcp64High | Mufu::Rsq64High => 0.0,
    };
    canonical_32(value as f32)
}

/// The upper word of the reciprocal, or of the reciprocal square root, of the double with this upper word.
fn high_of_double(function: Mufu, bits: u32) -> u32 {
    let subnormal = bits & 0x7ff0_0000 == 0;
    let x = f64::from_bits(u64::from(if subnormal { bits & 1 << 31 } else { bits }) << 32);
    let value = if function == Mufu::Rcp64High { 1.0 / x } else { 1.0 / x.sqrt() };
    if value.is_nan() { 0x7fff_ffff } else { (value.to_bits() >> 32) as u32 }
}

/// Frequent operations on doubles.
#[inline(always)]
pub(super) fn double(op: Arithmetic, rounding: Rounding, o: &Operation, r: &mut Registers, mask: u32) {
    match (op, rounding) {
        (Arithmetic::Add, Rounding::Nearest) => map_double(o, r, mask, |a, b, _| a + b),
        (Arithmetic::Mul, Rounding::Nearest) => map_double(o, r, mask, |a, b, _| a * b),
        (Arithmetic::Fma, Rounding::Nearest) => map_double(o, r, mask, f64::mul_add),
        _ => soft_double(o, r, mask, |a, b, c| op.of(F64, rounding, [a, b, c])),
    }
}

/// The sources of an operation on doubles; missing ones are 0.
#[inline(always)]
fn double_sources(o: &Operation, r: &Registers) -> [PerLane<u64>; 3] {
    let third = matches!(o.op, Op::Double(Arithmetic::Fma, _));
    [r.double(o.s[0]), r.double(o.s[1]), if third { r.double(o.s[2]) } else { [0; 32] }]
}

#[inline(always)]
fn map_double(o: &Operation, r: &mut Registers, mask: u32, f: impl Fn(f64, f64, f64) -> f64) {
    let [a, b, c] = double_sources(o, r);
    let value = |lane: usize| {
        let value = f(f64::from_bits(a[lane]), f64::from_bits(b[lane]), f64::from_bits(c[lane]));
        done_64(value, a[lane], b[lane], c[lane])
    };
    let values: PerLane<u64> = each(value);
    r.set_64(o.d, mask, &values);
}

fn soft_double(o: &Operation, r: &mut Registers, mask: u32, f: impl Fn(u64, u64, u64) -> u64) {
    let [a, b, c] = double_sources(o, r);
    let mut values = [0; 32];
    for lane in lanes(mask) {
        let bits = f(a[lane], b[lane], c[lane]);
        values[lane] = done_64(f64::from_bits(bits), a[lane], b[lane], c[lane]);
    }
    r.set_64(o.d, mask, &values);
}

/// Infrequent operations on doubles.
pub(super) fn uncommon_double(op: Op, o: &Operation, r: &mut Registers, mask: u32) -> bool {
    let [a, b] = [0, 1].map(|source: usize| r.double(o.s[source]).map(f64::from_bits));
    let compared = |compare: FloatCompare| {
        compare.relation.lanes(|cmp| ordered(Scalar::new(), cmp, |lane| (a[lane], b[lane])))
    };
    match op {
        Op::DoubleMinMax => {
            let smaller = r.holds(o.p[0]);
            let value = |lane: usize| {
                let (a, b) = (a[lane], b[lane]);
                match (a.is_nan(), b.is_nan()) {
                    (true, true) => F64.nan(),
                    (false, false) if less(a, b) != (smaller >> lane & 1 == 1) => b.to_bits(),
                    (true, false) => b.to_bits(),
                    _ => a.to_bits(),
                }
            };
            r.set_64(o.d, mask, &each(value));
        }
        Op::DoubleSetp(compare, combine) => {
            set_compared(combine, compared(compare), o, r, mask);
        }
        Op::DoublePick { maximum } => {
            let takes = |lane: usize| match (a[lane].is_nan(), b[lane].is_nan()) {
                (true, _) => false,
                (false, true) => true,
                _ => less(a[lane], b[lane]) != maximum,
            };
            let other = r.holds(o.p[0]);
            let neither = lanes_where(Scalar::new(), |lane| a[lane].is_nan() && b[lane].is_nan());
            r.set_predicate(o.q[0], mask, lanes_where(Scalar::new(), takes) & other);
            r.set_predicate(o.q[1], mask, neither & other);
        }
        Op::DoubleSet(compare, combine, to) => {
            let holds = combine.apply(compared(compare), r.holds(o.p[0]));
            set_to(to, holds, o, r, mask);
        }
        _ => return false,
    }
    true
}

/// Whether `a` is less than `b`, where -0 is less than 0.
fn less(a: f64, b: f64) -> bool {
    a < b || a == b && a.is_sign_negative() && !b.is_sign_negative()
}
