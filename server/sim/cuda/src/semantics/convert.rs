//! `cvt` between integers and floats of 8 to 64 bits.

use warplens_sim_warp::scalar_type::ScalarType;
use warplens_sim_warp::soft_float::{Exact, F32, F64, Format, Number, Rounding};

use crate::registers::{Registers, Word, lanes};
use crate::slot::Slots;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Convert {
    pub from: ScalarType,
    pub to: ScalarType,
    pub rounding: Rounding,
    /// Whether the result is rounded to an integer (`.rni` …) although its type is a float.
    pub integral: bool,
    /// `.ftz`
    pub flush: bool,
    pub clamp: Clamp,
    /// `.pzo`: zeros become positive.
    pub positive_zero: bool,
    /// Width of the destination register, to which a narrower integer is extended.
    pub register_bits: u32,
    /// Width of the source register, whose low bits are converted.
    pub source_bits: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Clamp {
    /// No clamping, except of floats to the range of an integer type.
    None,
    /// `.sat`
    Saturate,
    /// `.satfinite`
    Finite,
    /// `.relu`
    Relu,
    /// `.satfinite.relu`
    FiniteRelu,
}

/// Extends the low `bits` of a word to 64.
#[inline(always)]
fn extend(word: u64, bits: u32, signed: bool) -> u64 {
    let shift = 64 - bits;
    if signed { ((word << shift) as i64 >> shift) as u64 } else { word << shift >> shift }
}

/// The low `bits` of a word.
#[inline(always)]
fn cut(word: u64, bits: u32) -> u64 {
    extend(word, bits, false)
}

impl Convert {
    /// Whether the conversion only truncates or extends an integer.
    #[inline(always)]
    pub fn only_extends(&self) -> bool {
        self.from.format().is_none() && self.to.format().is_none() && self.clamp == Clamp::None
    }

    /// How many numbers the conversion computes with integers, for what it [costs](crate::work::NUMBER).
    pub fn numbers(&self) -> u64 {
        let is_between_floats = self.from.format().is_some() && self.to.format().is_some();
        1 + u64::from(is_between_floats)
    }

    /// The truncated or extended integer.
    #[inline(always)]
    pub fn extended(&self, value: u64) -> u64 {
        let Convert { from, to, register_bits, .. } = *self;
        let (source, narrow) = (from.bits(), from.bits().min(to.bits()));
        let signed = if from.bits() < to.bits() { from.is_signed() } else { to.is_signed() };
        let value = extend(cut(value, source), narrow, signed);
        // A signed byte is extended only to the width of an unsigned 32-bit type; the rest of the register is zero.
        cut(extend(value, to.bits(), to.is_signed()), register_bits)
    }
}

#[inline(always)]
pub fn execute(convert: &Convert, s: &Slots, r: &mut Registers, mask: u32) {
    match (convert.source_bits > 32, convert.register_bits > 32) {
        (false, false) => run::<u32, u32>(convert, s, r, mask),
        (false, true) => run::<u32, u64>(convert, s, r, mask),
        (true, false) => run::<u64, u32>(convert, s, r, mask),
        (true, true) => run::<u64, u64>(convert, s, r, mask),
    }
}

#[inline(always)]
fn run<A: Word, D: Word>(convert: &Convert, s: &Slots, r: &mut Registers, mask: u32) {
    let Convert { from, to, register_bits, .. } = *convert;
    let plain = convert.rounding == Rounding::Nearest && convert.clamp == Clamp::None && !convert.flush;
    match (from, to) {
        (ScalarType::S32, ScalarType::F32) if plain => {
            r.map1(s, mask, |a: A| D::narrow((a.widen() as i32 as f32).to_bits().into()));
        }
        (ScalarType::U32, ScalarType::F32) if plain => {
            r.map1(s, mask, |a: A| D::narrow((a.widen() as u32 as f32).to_bits().into()));
        }
        (ScalarType::F32, ScalarType::S32) if convert.rounding == Rounding::Zero && !convert.flush => {
            r.map1(s, mask, |a: A| D::narrow(f32::from_bits(a.widen() as u32) as i32 as u32 as u64));
        }
        _ if convert.only_extends() => r.map1(s, mask, |a: A| D::narrow(convert.extended(a.widen()))),
        _ => {
            let a = *r.get::<A>(s.a);
            for lane in lanes(mask) {
                let value = value(convert, cut(a[lane].widen(), from.bits()));
                D::file_mut(r)[s.d as usize][lane] = D::narrow(cut(value, register_bits));
            }
        }
    }
}

/// Converts one value; an integer result is extended to 64 bits.
pub fn value(convert: &Convert, bits: u64) -> u64 {
    let bits = if convert.flush && convert.from == ScalarType::F32 { F32.flush(bits) } else { bits };
    match (convert.from.format(), convert.to.format()) {
        (None, None) => integer_to_integer(convert, bits),
        (None, Some(format)) => {
            let float = format.pack(integer(convert.from, bits), convert.rounding);
            clamp_float(format, convert.clamp, float)
        }
        (Some(format), None) => float_to_integer(convert, format, bits),
        (Some(from), Some(to)) => {
            let float = float_to_float(convert, from, to, bits);
            let float = if convert.flush && convert.to == ScalarType::F32 { F32.flush(float) } else { float };
            let float = clamp_float(to, convert.clamp, float);
            let float = if convert.positive_zero && float == to.sign_bit() { 0 } else { float };
            if convert.to == ScalarType::Tf32 { float << 13 } else { float }
        }
    }
}

fn integer(ty: ScalarType, bits: u64) -> Number {
    let value = extend(bits, ty.bits(), ty.is_signed());
    let negative = ty.is_signed() && (value as i64) < 0;
    let magnitude = if negative { value.wrapping_neg() } else { value };
    Number::Finite(Exact::integer(negative, magnitude.into()))
}

fn range(ty: ScalarType) -> (i128, i128) {
    let bits = ty.bits();
    if ty.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

fn integer_to_integer(convert: &Convert, bits: u64) -> u64 {
    let Convert { from, to, .. } = *convert;
    let value = extend(bits, from.bits(), from.is_signed());
    if convert.clamp == Clamp::None {
        return extend(value, to.bits(), to.is_signed());
    }
    let wide = if from.is_signed() { i128::from(value as i64) } else { i128::from(value) };
    let (least, greatest) = range(to);
    wide.clamp(least, greatest) as u64
}

fn float_to_integer(convert: &Convert, format: Format, bits: u64) -> u64 {
    let to = convert.to;
    let (least, greatest) = range(to);
    let value = match format.unpack(bits) {
        // A NaN becomes the top bit if the source or the destination is wide, otherwise 0.
        Number::Nan if to.bits() == 64 || format == F64 => return 1 << (to.bits() - 1),
        Number::Nan => return 0,
        Number::Infinite { negative: true } => least,
        Number::Infinite { negative: false } => greatest,
        Number::Finite(exact) => {
            let magnitude = exact.round_to(0, convert.rounding).min(1 << 100) as i128;
            if exact.negative { -magnitude } else { magnitude }
        }
    };
    value.clamp(least, greatest) as u64
}

fn float_to_float(convert: &Convert, from: Format, to: Format, bits: u64) -> u64 {
    let number = from.unpack(bits);
    match number {
        Number::Nan if convert.integral && to != F64 => to.nan(),
        Number::Nan => nan_to_nan(from, to, bits),
        Number::Finite(exact) if convert.integral => {
            let whole = exact.round_to(0, convert.rounding);
            let beyond = exact.exponent >= 0;
            let whole = Exact { significand: whole, exponent: 0, inexact: false, ..exact };
            to.pack(Number::Finite(if beyond { exact } else { whole }), convert.rounding)
        }
        _ => to.pack(number, convert.rounding),
    }
}

fn nan_to_nan(from: Format, to: Format, bits: u64) -> u64 {
    if from == to {
        return bits;
    }
    match (from, to) {
        (F32, F64) => (bits & F32.sign_bit()) << 32 | 0x7ff8 << 48 | (bits & 0x7f_ffff) << 29,
        (F64, F32) => bits >> 32 & F32.sign_bit() | 0x7fc0_0000 | bits >> 29 & 0x7f_ffff,
        // A conversion of halves through a single loses the NaN payload.
        (_, F64) => nan_to_nan(F32, F64, F32.nan()),
        _ => to.nan(),
    }
}

pub fn clamp_float(format: Format, clamp: Clamp, bits: u64) -> u64 {
    let magnitude = bits & (format.sign_bit() - 1);
    let negative = bits & format.sign_bit() != 0;
    let infinity = format.infinity(false);
    let one = (infinity >> 1) & !((1 << format.fraction_bits) - 1);
    let finite = |bits: u64| if magnitude == infinity { bits - 1 } else { bits };
    match clamp {
        Clamp::None => bits,
        Clamp::Saturate if negative || magnitude > infinity => 0,
        Clamp::Saturate => magnitude.min(one),
        Clamp::Finite if magnitude > infinity => format.nan(),
        Clamp::Finite => finite(bits),
        Clamp::Relu | Clamp::FiniteRelu if magnitude > infinity => format.nan(),
        Clamp::Relu | Clamp::FiniteRelu if negative => 0,
        Clamp::Relu => bits,
        Clamp::FiniteRelu => finite(bits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(from: ScalarType, to: ScalarType, rounding: Rounding) -> Convert {
        Convert {
            from,
            to,
            rounding,
            integral: false,
            flush: false,
            clamp: Clamp::None,
            positive_zero: false,
            register_bits: to.bits(),
            source_bits: from.bits(),
        }
    }

    #[test]
    fn integers_extend_by_the_source_and_stay_in_their_type() {
        let wide = plain(ScalarType::S32, ScalarType::U64, Rounding::Nearest);
        assert_eq!(value(&wide, 0xffff_fffe), 0xffff_ffff_ffff_fffe);
        let byte = plain(ScalarType::S32, ScalarType::S8, Rounding::Nearest);
        assert_eq!(value(&byte, 0x80), 0xffff_ffff_ffff_ff80);
        let clamped =
            Convert { clamp: Clamp::Saturate, ..plain(ScalarType::S32, ScalarType::U8, Rounding::Nearest) };
        assert_eq!((value(&clamped, 300), value(&clamped, -3i32 as u32 as u64)), (255, 0));
    }

    #[test]
    fn floats_clamp_to_integers() {
        let to = |ty, x: f32| value(&plain(ScalarType::F32, ty, Rounding::Zero), x.to_bits().into());
        assert_eq!(to(ScalarType::S32, 3e9), 0x7fff_ffff);
        assert_eq!(to(ScalarType::U32, -1.0), 0);
        assert_eq!(to(ScalarType::S32, f32::NAN), 0);
        assert_eq!(to(ScalarType::S64, f32::NAN), 1 << 63);
        assert_eq!(to(ScalarType::U8, 1000.0), 255);
    }

    #[test]
    fn roundings_of_halves() {
        let at = |rounding, x: f32| {
            value(&plain(ScalarType::F32, ScalarType::S32, rounding), x.to_bits().into()) as i32
        };
        assert_eq!((at(Rounding::Nearest, 2.5), at(Rounding::Nearest, 3.5)), (2, 4));
        assert_eq!((at(Rounding::Down, -2.5), at(Rounding::Up, -2.5)), (-3, -2));
    }

    #[test]
    fn whole_floats_keep_the_sign_of_zero() {
        let integral =
            Convert { integral: true, ..plain(ScalarType::F32, ScalarType::F32, Rounding::Nearest) };
        assert_eq!(value(&integral, (-0.5f32).to_bits().into()), 0x8000_0000);
        assert_eq!(value(&integral, 1e30f32.to_bits().into()), u64::from(1e30f32.to_bits()));
    }

    #[test]
    fn nan_payloads() {
        assert_eq!(
            value(&plain(ScalarType::F64, ScalarType::F32, Rounding::Nearest), 0x7ff8_0000_0000_0001),
            0x7fc0_0000
        );
        assert_eq!(value(&plain(ScalarType::F16, ScalarType::F32, Rounding::Nearest), 0x7e01), 0x7fff_ffff);
        assert_eq!(
            value(&plain(ScalarType::F16, ScalarType::F64, Rounding::Nearest), 0x7e01),
            0x7fff_ffff_e000_0000
        );
        assert_eq!(value(&plain(ScalarType::F32, ScalarType::F16, Rounding::Nearest), 0x7fc0_0001), 0x7fff);
    }
}
