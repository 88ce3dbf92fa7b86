//! Conversions of several values at once: pairs of halves, and 8-, 6- and 4-bit floats.

use warplens_sim_warp::soft_float::{BF16, Exact, F16, F32, Format, Number, Rounding};

use super::convert::{Clamp, clamp_float};
use super::packed;

/// A float format of at most eight bits, with at most one infinity and one NaN per sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Narrow {
    pub exponent_bits: u32,
    pub fraction_bits: u32,
    pub largest: u8,
    pub nan: Option<u8>,
    pub infinity: Option<u8>,
    pub signed: bool,
}

/// 1/4/3 bits (sign, exponent, fraction), one NaN.
pub const E4M3: Narrow = Narrow { nan: Some(0x7f), ..Narrow::finite(4, 3, 0x7e) };
/// 1/5/2 bits, with infinities and NaNs as in IEEE formats.
pub const E5M2: Narrow = Narrow { nan: Some(0x7f), infinity: Some(0x7c), ..Narrow::finite(5, 2, 0x7b) };
/// 1/2/3 bits.
pub const E2M3: Narrow = Narrow::finite(2, 3, 0x1f);
/// 1/3/2 bits.
pub const E3M2: Narrow = Narrow::finite(3, 2, 0x1f);
/// 1/2/1 bits.
pub const E2M1: Narrow = Narrow::finite(2, 1, 0x7);
/// Unsigned, 5/3 bits, one NaN.
pub const UE5M3: Narrow = Narrow { nan: Some(0xff), signed: false, ..Narrow::finite(5, 3, 0xfe) };
/// Unsigned, 4/3 bits, one NaN.
pub const UE4M3: Narrow = Narrow { signed: false, ..E4M3 };

impl Narrow {
    const fn finite(exponent_bits: u32, fraction_bits: u32, largest: u8) -> Narrow {
        Narrow { exponent_bits, fraction_bits, largest, nan: None, infinity: None, signed: true }
    }

    fn sign(self) -> u8 {
        if self.signed { 1 << (self.exponent_bits + self.fraction_bits) } else { 0 }
    }

    fn magnitude(self) -> u8 {
        u8::MAX >> (8 - self.exponent_bits - self.fraction_bits)
    }

    fn lowest(self) -> i32 {
        2 - (1 << (self.exponent_bits - 1)) - self.fraction_bits as i32
    }

    /// Rounds to the format; overflow gives the largest number.
    pub fn pack(self, number: Number, rounding: Rounding) -> u8 {
        self.bounded(number, rounding, self.largest)
    }

    /// Rounds to the format; overflow gives infinity, or NaN if the format has no infinities.
    pub fn pack_unbounded(self, number: Number, rounding: Rounding) -> u8 {
        self.bounded(number, rounding, self.infinity.or(self.nan).unwrap_or(self.largest))
    }

    fn bounded(self, number: Number, rounding: Rounding, beyond: u8) -> u8 {
        let signed =
            |negative: bool, magnitude: u8| if negative { magnitude | self.sign() } else { magnitude };
        match number {
            // A format without NaNs does not keep the sign of one either.
            Number::Nan => self.nan.unwrap_or(self.largest),
            Number::Infinite { negative } => signed(negative, beyond),
            Number::Finite(exact) => {
                let magnitude = exact.magnitude(self.fraction_bits, self.lowest(), rounding);
                let fits = magnitude <= self.largest.into();
                signed(exact.negative, if fits { magnitude as u8 } else { beyond })
            }
        }
    }

    pub fn unpack(self, bits: u8) -> Number {
        let negative = bits & self.sign() != 0;
        let magnitude = bits & self.magnitude();
        if self.infinity == Some(magnitude) {
            return Number::Infinite { negative };
        }
        if self.nan.is_some_and(|nan| magnitude >= nan)
            || self.infinity.is_some_and(|infinity| magnitude > infinity)
        {
            return Number::Nan;
        }
        Number::Finite(Exact::of_magnitude(negative, magnitude.into(), self.fraction_bits, self.lowest()))
    }
}

/// An element of a packed conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// A single, one per register.
    Single,
    Half(Format),
    /// A float of at most eight bits; four-bit elements share a byte.
    Narrow(Narrow),
    /// `ue8m0`: a power of two, stored as its biased exponent.
    Power,
    /// `s2f6`: a signed multiple of 1/64.
    Fixed,
}

impl Element {
    pub fn unpack(self, bits: u32) -> Number {
        match self {
            Element::Single => F32.unpack(bits.into()),
            Element::Half(format) => format.unpack((bits & 0xffff).into()),
            Element::Narrow(narrow) => narrow.unpack(bits as u8),
            Element::Power if bits & 0xff == 0xff => Number::Nan,
            Element::Power => {
                let exponent = (bits & 0xff) as i32 - 127;
                Number::Finite(Exact { negative: false, significand: 1, exponent, inexact: false })
            }
            Element::Fixed => {
                let value = bits as i8;
                let significand = value.unsigned_abs().into();
                Number::Finite(Exact { negative: value < 0, significand, exponent: -6, inexact: false })
            }
        }
    }

    pub fn pack(self, number: Number, rounding: Rounding, clamp: Clamp) -> u32 {
        let relu = matches!(clamp, Clamp::Relu | Clamp::FiniteRelu);
        match self {
            Element::Single => F32.pack(number, rounding) as u32,
            Element::Half(format) => clamp_float(format, clamp, format.pack(number, rounding)) as u32,
            Element::Narrow(narrow) => match narrow.pack(number, rounding) {
                bits if relu && bits & narrow.sign() != 0 => 0,
                bits => bits.into(),
            },
            Element::Power => power(number, rounding, clamp == Clamp::Finite),
            Element::Fixed => fixed(number, rounding, relu),
        }
    }

    /// Bits that an element occupies in a packed register.
    pub fn stride(self) -> u32 {
        match self {
            Element::Single => 32,
            Element::Half(_) => 16,
            Element::Narrow(E2M1) => 4,
            Element::Narrow(_) | Element::Power | Element::Fixed => 8,
        }
    }

    /// The bits of negative zero, if the format has one.
    fn negative_zero(self) -> Option<u32> {
        match self {
            Element::Single => Some(1 << 31),
            Element::Half(format) => Some(format.sign_bit() as u32),
            Element::Narrow(narrow) => Some(narrow.sign().into()).filter(|sign| *sign != 0),
            Element::Power | Element::Fixed => None,
        }
    }

    /// The fraction bits, and the weight of the least significant bit as an exponent of two.
    fn places(self) -> Option<(u32, i32)> {
        match self {
            Element::Half(format) => Some((format.fraction_bits, format.lowest())),
            Element::Narrow(narrow) => Some((narrow.fraction_bits, narrow.lowest())),
            _ => None,
        }
    }
}

/// The biased exponent of a magnitude, rounded down (or up, for `.rp`) to a power of two.
fn power(number: Number, rounding: Rounding, finite: bool) -> u32 {
    let largest = if finite { 0xfe } else { 0xff };
    match number {
        Number::Nan => 0xff,
        Number::Infinite { .. } => largest,
        Number::Finite(exact) if exact.significand == 0 => 0,
        Number::Finite(exact) => {
            let floor = exact.exponent + exact.significand.ilog2() as i32;
            let up = rounding == Rounding::Up && !exact.significand.is_power_of_two() && floor >= -127;
            (((floor + i32::from(up)).max(-127) + 127) as u32).min(largest)
        }
    }
}

fn fixed(number: Number, rounding: Rounding, relu: bool) -> u32 {
    let (negative, magnitude) = match number {
        Number::Nan => (false, i128::from(i8::MAX)),
        Number::Infinite { negative } => (negative, 128),
        Number::Finite(exact) => (exact.negative, exact.round_to(-6, rounding).min(128) as i128),
    };
    let value = if negative { -magnitude } else { magnitude.min(127) };
    if relu && negative { 0 } else { value as u32 & 0xff }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PackedConvert {
    pub from: Element,
    pub to: Element,
    /// The rounding mode, unless random bits decide.
    pub rounding: Rounding,
    pub clamp: Clamp,
    /// `.pzo`: zeros become positive.
    pub positive_zero: bool,
}

impl PackedConvert {
    /// Converts numbers; the first one ends up in the uppermost bits. Each half of `random` rounds half of the numbers;
    /// each byte of `scales` is the power of two that multiplies one number.
    pub fn apply(&self, numbers: &[u32], random: Option<u32>, scales: Option<u32>) -> u32 {
        let last = numbers.len() - 1;
        numbers.iter().enumerate().fold(0, |packed, (index, &bits)| {
            let mut number = self.from.unpack(bits);
            if let Some(scales) = scales {
                number = number.times(Element::Power.unpack(scales >> (8 * (last - index))));
            }
            if let Some(random) = random {
                let half = if 2 * index > last { random & 0xffff } else { random >> 16 };
                number = self.dithered(number, half);
            }
            let bits = self.to.pack(number, self.rounding, self.clamp);
            let bits = if self.positive_zero && Some(bits) == self.to.negative_zero() { 0 } else { bits };
            packed << self.to.stride() | bits
        })
    }

    /// Rounds away from zero if adding the random digits to the discarded ones carries, else toward zero.
    fn dithered(&self, number: Number, random: u32) -> Number {
        let (Number::Finite(exact), Some((fraction_bits, lowest))) = (number, self.to.places()) else {
            return number;
        };
        let zero = Number::Finite(Exact { significand: 0, ..exact });
        if exact.significand == 0 {
            return zero;
        }
        let digits = match self.to {
            Element::Half(F16) => 13,
            Element::Narrow(E2M1) => 8,
            _ => 16,
        };
        let random = u128::from(random & ((1 << digits) - 1));
        let top = exact.exponent + exact.significand.ilog2() as i32;
        let unit = (top - fraction_bits as i32).max(lowest);
        let grain = unit - digits;
        let finest = grain.min(exact.exponent);
        // Too small for any random increment to round up.
        if grain - exact.exponent > 100 {
            return zero;
        }
        let sum = (exact.significand << (exact.exponent - finest)) + (random << (grain - finest));
        let whole = sum >> (unit - finest);
        Number::Finite(Exact { significand: whole, exponent: unit, ..exact })
    }
}

/// The format of the elements of `f16x2` or `bf16x2`.
pub fn half(brain: bool) -> Element {
    Element::Half(if brain { BF16 } else { F16 })
}

/// `cvt.pack.sat`: clamps `a` and `b` to a narrow integer type and packs them below the remaining bits of `c`.
pub fn pack_saturated(bits: u32, signed: bool, a: u32, b: u32, c: u32) -> u32 {
    let mask = u32::MAX >> (32 - bits);
    let clamp = |word: u32| packed::clamp(word as i32, bits, signed) as u32 & mask;
    let rest = if bits == 16 { 0 } else { c << (2 * bits) };
    rest | clamp(a) << bits | clamp(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn narrow(format: Narrow, value: f32) -> u8 {
        format.pack(F32.unpack(value.to_bits().into()), Rounding::Nearest)
    }

    #[test]
    fn every_code_round_trips() {
        for format in [E4M3, E5M2, E2M3, E3M2, E2M1] {
            for code in 0..=format.largest {
                assert_eq!(format.pack(format.unpack(code), Rounding::Nearest), code);
            }
        }
    }

    #[test]
    fn overflow_saturates_and_nan_stays() {
        assert_eq!((narrow(E4M3, 1e9), narrow(E4M3, -1e9), narrow(E4M3, f32::NAN)), (0x7e, 0xfe, 0x7f));
        assert_eq!((narrow(E4M3, 448.0), narrow(E4M3, 1.0), narrow(E5M2, 1.0)), (0x7e, 0x38, 0x3c));
        assert_eq!((narrow(E2M1, f32::NAN), narrow(E2M1, 2.4), narrow(E2M1, -0.2)), (7, 4, 8));
    }

    fn packed(from: Element, to: Element, rounding: Rounding) -> PackedConvert {
        PackedConvert { from, to, rounding, clamp: Clamp::None, positive_zero: false }
    }

    fn singles(to: Element, rounding: Rounding, values: &[f32]) -> u32 {
        let bits: Vec<u32> = values.iter().map(|value| value.to_bits()).collect();
        packed(Element::Single, to, rounding).apply(&bits, None, None)
    }

    #[test]
    fn the_first_source_goes_up() {
        assert_eq!(singles(half(false), Rounding::Nearest, &[1.0, 2.0]), 0x3c00_4000);
        assert_eq!(singles(Element::Narrow(E2M1), Rounding::Nearest, &[1.0, 2.0]), 0x24);
        let up = packed(Element::Narrow(E4M3), half(false), Rounding::Nearest);
        assert_eq!(up.apply(&[0x38, 0x40], None, None), 0x3c00_4000);
    }

    #[test]
    fn powers_of_two() {
        let at = |rounding, x: f32| singles(Element::Power, rounding, &[x]);
        assert_eq!(
            (at(Rounding::Zero, 1.0), at(Rounding::Zero, -1.5), at(Rounding::Up, 1.5)),
            (127, 127, 128)
        );
        let tiny = f32::from_bits(0x0040_0000);
        assert_eq!(
            (at(Rounding::Up, tiny), at(Rounding::Up, tiny * 1.5), at(Rounding::Up, 1e-45)),
            (0, 1, 0)
        );
        assert_eq!((at(Rounding::Up, f32::MAX), at(Rounding::Zero, f32::NAN)), (0xff, 0xff));
        let finite =
            PackedConvert { clamp: Clamp::Finite, ..packed(Element::Single, Element::Power, Rounding::Up) };
        assert_eq!(finite.apply(&[f32::INFINITY.to_bits()], None, None), 0xfe);
        assert_eq!(packed(Element::Power, half(true), Rounding::Nearest).apply(&[0x80], None, None), 0x4000);
    }

    #[test]
    fn fixed_point() {
        let at = |x: f32| singles(Element::Fixed, Rounding::Nearest, &[x]);
        assert_eq!((at(1.0), at(-0.5), at(5.0), at(-5.0), at(-0.0)), (0x40, 0xe0, 0x7f, 0x80, 0));
        let up = packed(Element::Fixed, half(true), Rounding::Nearest);
        assert_eq!(up.apply(&[0xe0], None, None), 0xbf00);
        assert_eq!(up.apply(&[0xe0], None, Some(0x80)), 0xbf80);
    }

    #[test]
    fn random_bits_carry() {
        let halves = packed(Element::Single, half(false), Rounding::Nearest);
        // One, plus a quarter of the distance to the next half.
        let x = 1f32 + 2f32.powi(-12);
        let with = |random: u32| halves.apply(&[x.to_bits(), x.to_bits()], Some(random), None);
        assert_eq!(with(0), 0x3c00_3c00);
        assert_eq!(with(0x1800_17ff), 0x3c01_3c00);
        let small = f32::from_bits(1);
        assert_eq!(halves.apply(&[small.to_bits(), small.to_bits()], Some(u32::MAX), None), 0);
        let bytes = packed(Element::Single, Element::Narrow(E4M3), Rounding::Nearest);
        let quarter = (1f32 + 2f32.powi(-5)).to_bits();
        assert_eq!(bytes.apply(&[quarter; 4], Some(0xc000_bfff), None), 0x3939_3838);
    }

    #[test]
    fn zeros_can_be_made_positive() {
        let plain = packed(Element::Single, half(false), Rounding::Nearest);
        let positive = PackedConvert { positive_zero: true, ..plain };
        let zero = (-0f32).to_bits();
        assert_eq!((plain.apply(&[zero], None, None), positive.apply(&[zero], None, None)), (0x8000, 0));
    }

    #[test]
    fn saturated_integers() {
        assert_eq!(pack_saturated(8, false, 300, -5i32 as u32, 0x1234), 0x1234_ff00);
        assert_eq!(pack_saturated(8, true, 300, -500i32 as u32, 0), 0x7f80);
        assert_eq!(pack_saturated(16, true, 1, 0x7fff_ffff, 9), 0x0001_7fff);
    }
}
