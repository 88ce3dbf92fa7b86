//! Conversions.

use warplens_sim_cuda::registers::{each, lanes};
use warplens_sim_cuda::semantics::convert::{Clamp, Convert, value};
use warplens_sim_cuda::semantics::narrow::PackedConvert;
use warplens_sim_warp::soft_float::{BF16, F16, F32, Rounding};

use super::lanewise::map1;
use crate::program::{Op, Operation};
use crate::registers::{ABSOLUTE, INVERT, NEGATE, Part, Registers, Source};

pub(super) fn execute(op: Op, o: &Operation, r: &mut Registers, mask: u32) -> bool {
    match op {
        Op::Convert(convert) => {
            let sources = source_bits(&convert, o.s[0], r);
            let mut results = [0; 32];
            for lane in lanes(mask) {
                results[lane] = value(&convert, sources[lane]);
            }
            match convert.to.bits() == 64 {
                true => r.set_64(o.d, mask, &results),
                false => r.set(o.d, mask, &results.map(|bits| bits as u32)),
            }
        }
        Op::PackHalves { brain, rounding, relu } => {
            let (mut x, mut y) = ([0; 32], [0; 32]);
            let (a, b) = (*r.float(o.s[0], &mut x), *r.float(o.s[1], &mut y));
            let half = |bits: u32| half_of(bits, brain, rounding, relu);
            r.set(o.d, mask, &each(|lane| half(a[lane]) << 16 | half(b[lane])));
        }
        Op::Clamp { from_signed, to_signed, bits } => {
            let (low, high) = match to_signed {
                true => (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1),
                false => (0, (1i64 << bits) - 1),
            };
            map1(o, r, mask, |a| {
                let value = if from_signed { i64::from(a as i32) } else { i64::from(a) };
                value.clamp(low, high) as u32
            });
        }
        Op::PackBytes { signed } => {
            let (mut x, mut y) = ([0; 32], [0; 32]);
            let (a, b) = (*r.int(o.s[0], &mut x), *r.int(o.s[1], &mut y));
            let c = *r.row(o.s[2].row);
            let byte = |value: u32| {
                let (low, high) = if signed { (-128, 127) } else { (0, 255) };
                (value as i32).clamp(low, high) as u32 & 0xff
            };
            r.set(o.d, mask, &each(|lane| c[lane] << 16 | byte(a[lane]) << 8 | byte(b[lane])));
        }
        _ => return false,
    }
    true
}

/// Packs two numbers into one register, the first one in the upper part.
pub(super) fn pair(convert: &PackedConvert, packed: bool, o: &Operation, r: &mut Registers, mask: u32) {
    let (mut x, mut y) = ([0; 32], [0; 32]);
    let (a, b) = (*r.float(o.s[0], &mut x), *r.float(o.s[1], &mut y));
    let stride = convert.from.stride();
    let values = each(|lane| match packed {
        true => convert.apply(&[a[lane] >> stride, a[lane]], None, None),
        false => convert.apply(&[a[lane], b[lane]], None, None),
    });
    r.set(o.d, mask, &values);
}

/// Rounds a single to a half.
fn half_of(bits: u32, brain: bool, rounding: Rounding, relu: bool) -> u32 {
    let format = if brain { BF16 } else { F16 };
    let clamp = if relu { Clamp::Relu } else { Clamp::None };
    let half = format.pack(F32.unpack(bits.into()), rounding);
    warplens_sim_cuda::semantics::convert::clamp_float(format, clamp, half) as u32
}

/// The bits of the source after selecting its part and applying its signs.
fn source_bits(convert: &Convert, source: Source, r: &Registers) -> [u64; 32] {
    let wide = convert.from.bits() == 64;
    if let Some(format) = convert.from.format() {
        let bits = match wide {
            true => r.bits_64(source.row),
            false => {
                let row = r.row(source.row);
                let half =
                    if source.part == Part::Half(1) || source.part == Part::HighTwice { 16 } else { 0 };
                each(|lane| u64::from(row[lane] >> half) & format_mask(convert.from.bits()))
            }
        };
        let sign = format.sign_bit();
        let absolute = if source.sign & ABSOLUTE != 0 { !sign } else { u64::MAX };
        let flip = if source.sign & NEGATE != 0 { sign } else { 0 };
        return bits.map(|bits| bits & absolute ^ flip);
    }
    let bits = match wide {
        true => r.bits_64(source.row),
        false => {
            let mut buffer = [0; 32];
            r.int(Source { sign: 0, ..source }, &mut buffer).map(u64::from)
        }
    };
    let (size, signed) = (convert.from.bits(), convert.from.is_signed());
    let extend = |bits: u64| match signed {
        true => ((bits << (64 - size)) as i64 >> (64 - size)) as u64,
        false => bits & format_mask(size),
    };
    bits.map(|bits| {
        let mut value = extend(bits);
        if source.sign & ABSOLUTE != 0 {
            value = (value as i64).unsigned_abs();
        }
        if source.sign & NEGATE != 0 {
            value = value.wrapping_neg();
        }
        if source.sign & INVERT != 0 {
            value = !value;
        }
        value & format_mask(size)
    })
}

fn format_mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}
