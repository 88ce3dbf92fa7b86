//! Operations on halves, which registers hold in pairs.

use pulp::Scalar;
use warplens_sim_cuda::registers::{PerLane, each, lanes};
use warplens_sim_cuda::semantics::compare::ordered;
use warplens_sim_cuda::semantics::convert::{Clamp, clamp_float};
use warplens_sim_cuda::semantics::float::extremum_32;
use warplens_sim_warp::soft_float::{BF16, F16, F32, Format, Rounding};

use crate::program::{Arithmetic, FloatCompare, HalfMode, Op, Operation, SetTo};
use crate::registers::{ABSOLUTE, NEGATE, Part, Registers, Source};

fn format(mode: HalfMode) -> Format {
    if mode.brain { BF16 } else { F16 }
}

/// The two halves of a source in each lane, the lower one first.
fn halves(source: Source, mode: HalfMode, r: &Registers) -> PerLane<[u64; 2]> {
    r.row(source.row).map(|word| halves_of(source, mode, word))
}

/// The two halves of a source whose row contains `word`.
fn halves_of(source: Source, mode: HalfMode, word: u32) -> [u64; 2] {
    let format = format(mode);
    let sign = format.sign_bit();
    let (low, high) = (u64::from(word & 0xffff), u64::from(word >> 16));
    let picked = match source.part {
        Part::LowTwice | Part::Half(0) => [low, low],
        Part::HighTwice | Part::Half(_) => [high, high],
        Part::HighNegated => [low, high ^ sign],
        Part::Single => [cut(word, format); 2],
        _ => [low, high],
    };
    picked.map(|bits| {
        let bits = if source.sign & ABSOLUTE != 0 { bits & !sign } else { bits };
        let bits = if source.sign & NEGATE != 0 { bits ^ sign } else { bits };
        if mode.flush { format.flush(bits) } else { bits }
    })
}

/// Truncates a single to a half.
fn cut(bits: u32, format: Format) -> u64 {
    format.pack(F32.unpack(bits.into()), Rounding::Zero)
}

/// Applies `.SAT`, `.RELU` and `.FTZ` to a result.
fn finish(bits: u64, mode: HalfMode, format: Format) -> u64 {
    let bits = if mode.flush { format.flush(bits) } else { bits };
    let bits = if mode.saturate { clamp_float(format, Clamp::Saturate, bits) } else { bits };
    if mode.relu { clamp_float(format, Clamp::Relu, bits) } else { bits }
}

pub(super) fn execute(op: Op, o: &Operation, r: &mut Registers, mask: u32) -> bool {
    match op {
        Op::Half(arithmetic, mode) => compute(arithmetic, mode, o, r, mask),
        Op::HalfMinMax(compare, mode) => {
            let smaller = r.holds(o.p[0]);
            let (a, b) = (halves(o.s[0], mode, r), halves(o.s[1], mode, r));
            let raw = [0, 1].map(|index: usize| halves(Source { sign: 0, ..o.s[index] }, mode, r));
            set_halves(o, r, mask, |lane, half| {
                let signs = raw.map(|source| source[lane][half] >> 15 & 1);
                extremum(compare, mode, smaller >> lane & 1 == 1, [a[lane][half], b[lane][half]], signs)
            });
        }
        Op::HalfMinMax3(compare, mode) => {
            let smaller = r.holds(o.p[0]);
            let sources = o.s.map(|source| halves(source, mode, r));
            set_halves(o, r, mask, |lane, half| {
                let smaller = smaller >> lane & 1 == 1;
                let [a, b, c] = sources.map(|source| source[lane][half]);
                let first = extremum(compare, mode, smaller, [a, b], [0; 2]);
                extremum(compare, mode, smaller, [first, c], [0; 2])
            });
        }
        Op::HalfSetp { compare, combine, mode, both } => {
            let [low, high] = compared(compare, mode, o, r);
            let other = r.holds(o.p[0]);
            let (first, second) = match both {
                true => (low & high, !(low & high)),
                false => (low, high),
            };
            r.set_predicate(o.q[0], mask, combine.apply(first, other));
            r.set_predicate(o.q[1], mask, combine.apply(second, other));
        }
        Op::HalfSet(compare, combine, mode, to) => {
            let other = r.holds(o.p[0]);
            let [low, high] = compared(compare, mode, o, r).map(|holds| combine.apply(holds, other));
            let value = match (to, mode.brain) {
                (SetTo::Ones, _) => 0xffff,
                (SetTo::One, false) => 0x3c00,
                (SetTo::One, true) => 0x3f80,
            };
            let of = |holds: u32, lane: usize| if holds >> lane & 1 == 1 { value } else { 0 };
            r.set(o.d, mask, &each(|lane| of(low, lane) | of(high, lane) << 16));
        }
        _ => return false,
    }
    true
}

fn set_halves(o: &Operation, r: &mut Registers, mask: u32, of: impl Fn(usize, usize) -> u64) {
    let mut values = *r.row(o.d);
    for lane in lanes(mask) {
        values[lane] = of(lane, 0) as u32 | (of(lane, 1) as u32) << 16;
    }
    r.set(o.d, mask, &values);
}

fn compute(arithmetic: Arithmetic, mode: HalfMode, o: &Operation, r: &mut Registers, mask: u32) {
    let [a, b, c] = r.sources(&o.s).map(|row| *row);
    let mut values = *r.row(o.d);
    for lane in lanes(mask) {
        values[lane] = half_result(arithmetic, mode, o.s, [a[lane], b[lane], c[lane]]);
    }
    r.set(o.d, mask, &values);
}

/// The result for sources with these words.
pub(crate) fn half_result(
    arithmetic: Arithmetic,
    mode: HalfMode,
    sources: [Source; 3],
    words: [u32; 3],
) -> u32 {
    let format = format(mode);
    let [a, b, c] = [0, 1, 2].map(|index: usize| halves_of(sources[index], mode, words[index]));
    if mode.single {
        return single(arithmetic, format, [a[0], b[0], c[0]]);
    }
    let of = |half: usize| {
        let bits = arithmetic.of(format, Rounding::Nearest, [a[half], b[half], c[half]]);
        finish(bits, mode, format) as u32
    };
    of(0) | of(1) << 16
}

/// The result of the lower halves as a single.
fn single(arithmetic: Arithmetic, format: Format, [a, b, c]: [u64; 3]) -> u32 {
    let [a, b, c] = [a, b, c].map(|bits| u64::from(format.to_f32(bits).to_bits()));
    arithmetic.of(F32, Rounding::Nearest, [a, b, c]) as u32
}

fn extremum(compare: FloatCompare, mode: HalfMode, smaller: bool, [a, b]: [u64; 2], signs: [u64; 2]) -> u64 {
    let format = format(mode);
    let magnitude = format.sign_bit() - 1;
    let op = compare.extremum(smaller);
    let (a, b) = if compare.xor_sign { (a & magnitude, b & magnitude) } else { (a, b) };
    let value = extremum_32(op, format.to_f32(a), format.to_f32(b));
    if value.is_nan() {
        return format.nan();
    }
    let bits = finish(format.of_f32(value), mode, format);
    if compare.xor_sign { bits | ((signs[0] ^ signs[1]) * format.sign_bit()) } else { bits }
}

/// The lanes in which the comparison holds, for the lower and for the upper halves.
fn compared(compare: FloatCompare, mode: HalfMode, o: &Operation, r: &Registers) -> [u32; 2] {
    let format = format(mode);
    let values = |source| halves(source, mode, r).map(|halves| halves.map(|bits| format.to_f32(bits)));
    let (a, b) = (values(o.s[0]), values(o.s[1]));
    [0, 1].map(|half: usize| {
        compare.relation.lanes(|cmp| ordered(Scalar::new(), cmp, |lane| (a[lane][half], b[lane][half])))
    })
}
