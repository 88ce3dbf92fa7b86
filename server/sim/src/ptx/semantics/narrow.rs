//! Conversions of several values at once: pairs of halves, and the 8-, 6- and 4-bit floats.

use super::convert::{Clamp, clamp_float};
use crate::soft_float::{BF16, Exact, F16, F32, Format, Number, Rounding};

/// A float format of at most eight bits. None has infinities; NaNs are one code, if there are any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Narrow {
    /// Bits of the biased exponent.
    pub exponent_bits: u32,
    /// Bits of the fraction.
    pub fraction_bits: u32,
    /// The greatest magnitude.
    pub largest: u8,
    /// The magnitude that is a NaN.
    pub nan: Option<u8>,
    /// The magnitude that is an infinity.
    pub infinity: Option<u8>,
}

/// 1/4/3 bits, one NaN.
pub const E4M3: Narrow =
    Narrow { exponent_bits: 4, fraction_bits: 3, largest: 0x7e, nan: Some(0x7f), infinity: None };
/// 1/5/2 bits, as IEEE has them.
pub const E5M2: Narrow =
    Narrow { exponent_bits: 5, fraction_bits: 2, largest: 0x7b, nan: Some(0x7f), infinity: Some(0x7c) };
/// 1/2/3 bits.
pub const E2M3: Narrow =
    Narrow { exponent_bits: 2, fraction_bits: 3, largest: 0x1f, nan: None, infinity: None };
/// 1/3/2 bits.
pub const E3M2: Narrow =
    Narrow { exponent_bits: 3, fraction_bits: 2, largest: 0x1f, nan: None, infinity: None };
/// 1/2/1 bits.
pub const E2M1: Narrow =
    Narrow { exponent_bits: 2, fraction_bits: 1, largest: 0x7, nan: None, infinity: None };

impl Narrow {
    fn sign(self) -> u8 {
        1 << (self.exponent_bits + self.fraction_bits)
    }

    fn lowest(self) -> i32 {
        2 - (1 << (self.exponent_bits - 1)) - self.fraction_bits as i32
    }

    /// Rounds to the format; what is too large becomes the largest.
    pub fn pack(self, number: Number, rounding: Rounding) -> u8 {
        let signed =
            |negative: bool, magnitude: u8| if negative { magnitude | self.sign() } else { magnitude };
        match number {
            // A format without NaNs has no sign for one either.
            Number::Nan => self.nan.unwrap_or(self.largest),
            Number::Infinite { negative } => signed(negative, self.largest),
            Number::Finite(exact) => {
                let top = exact.exponent + (128 - exact.significand.leading_zeros() as i32);
                let unit = (top - self.fraction_bits as i32 - 1).max(self.lowest());
                let implicit = 1 << self.fraction_bits;
                let significand = exact.round_to(unit, rounding);
                let magnitude = match significand < implicit {
                    true => significand,
                    false => {
                        (((unit - self.lowest()) as u128 + 1) << self.fraction_bits) + significand - implicit
                    }
                };
                signed(exact.negative, magnitude.min(self.largest.into()) as u8)
            }
        }
    }

    /// Takes a number apart.
    pub fn unpack(self, bits: u8) -> Number {
        let negative = bits & self.sign() != 0;
        let magnitude = bits & (self.sign() - 1);
        if self.infinity == Some(magnitude) {
            return Number::Infinite { negative };
        }
        if self.nan.is_some_and(|nan| magnitude >= nan)
            || self.infinity.is_some_and(|infinity| magnitude > infinity)
        {
            return Number::Nan;
        }
        let fraction = u128::from(magnitude & ((1 << self.fraction_bits) - 1));
        let biased = i32::from(magnitude >> self.fraction_bits);
        let (significand, exponent) = match biased {
            0 => (fraction, self.lowest()),
            _ => (fraction | 1 << self.fraction_bits, self.lowest() + biased - 1),
        };
        Number::Finite(Exact { negative, significand, exponent, inexact: false })
    }
}

/// An element of a packed conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// A single, one a register.
    Single,
    /// A half of 16 bits.
    Half(Format),
    /// A float of at most eight bits; four-bit ones share a byte.
    Narrow(Narrow),
}

impl Element {
    fn unpack(self, bits: u32) -> Number {
        match self {
            Element::Single => F32.unpack(bits.into()),
            Element::Half(format) => format.unpack((bits & 0xffff).into()),
            Element::Narrow(narrow) => narrow.unpack(bits as u8),
        }
    }

    fn pack(self, number: Number, rounding: Rounding, clamp: Clamp) -> u32 {
        let relu = matches!(clamp, Clamp::Relu | Clamp::FiniteRelu);
        match self {
            Element::Single => F32.pack(number, rounding) as u32,
            Element::Half(format) => clamp_float(format, clamp, format.pack(number, rounding)) as u32,
            Element::Narrow(narrow) => match narrow.pack(number, rounding) {
                bits if relu && bits & narrow.sign() != 0 => 0,
                bits => bits.into(),
            },
        }
    }

    /// Bits that an element takes in a packed register.
    fn stride(self) -> u32 {
        match self {
            Element::Single => 32,
            Element::Half(_) => 16,
            Element::Narrow(E2M1) => 4,
            Element::Narrow(_) => 8,
        }
    }
}

/// A conversion of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PairConvert {
    /// Of the source.
    pub from: Element,
    /// Of the destination.
    pub to: Element,
    /// The rounding.
    pub rounding: Rounding,
    /// The clamping.
    pub clamp: Clamp,
}

impl PairConvert {
    /// Converts a pair: of two registers, `a` goes into the upper half; a packed source is `a` alone.
    pub fn apply(&self, a: u32, b: u32) -> u32 {
        let (low, high) = match self.from {
            Element::Single => (b, a),
            from => (a & (u32::MAX >> (32 - from.stride())), a >> from.stride()),
        };
        let one = |bits: u32| self.to.pack(self.from.unpack(bits), self.rounding, self.clamp);
        one(low) | one(high) << self.to.stride()
    }
}

/// The format of the elements of `f16x2` or `bf16x2`.
pub fn half(brain: bool) -> Element {
    Element::Half(if brain { BF16 } else { F16 })
}

/// `cvt.pack.sat`: clamps `a` and `b` to a narrow integer type and puts them below what is left of `c`.
pub fn pack_saturated(bits: u32, signed: bool, a: u32, b: u32, c: u32) -> u32 {
    let mask = u32::MAX >> (32 - bits);
    let clamp = |word: u32| {
        let value = i64::from(word as i32);
        let (least, greatest) =
            if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
        value.clamp(least, greatest) as u32 & mask
    };
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
    fn every_code_comes_back() {
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

    #[test]
    fn the_first_source_goes_up() {
        let pair = |from, to| PairConvert { from, to, rounding: Rounding::Nearest, clamp: Clamp::None };
        let halves = pair(Element::Single, half(false));
        assert_eq!(halves.apply(1f32.to_bits(), 2f32.to_bits()), 0x3c00_4000);
        assert_eq!(pair(Element::Narrow(E4M3), half(false)).apply(0x3840, 0), 0x3c00_4000);
        assert_eq!(pair(Element::Single, Element::Narrow(E2M1)).apply(1f32.to_bits(), 2f32.to_bits()), 0x24);
    }

    #[test]
    fn saturated_integers() {
        assert_eq!(pack_saturated(8, false, 300, -5i32 as u32, 0x1234), 0x1234_ff00);
        assert_eq!(pack_saturated(8, true, 300, -500i32 as u32, 0), 0x7f80);
        assert_eq!(pack_saturated(16, true, 1, 0x7fff_ffff, 9), 0x0001_7fff);
    }
}
