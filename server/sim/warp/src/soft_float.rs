//! Exact binary floating point in integer arithmetic, for every format and rounding mode that the host's floats lack.
//!
//! A finite number is unpacked into an [`Exact`] (sign, significand, exponent, and whether nonzero digits below the
//! last one were cut off), operated on without loss, and rounded once at the end. Never used where the host gives the
//! same bits.

/// How a result is rounded that the format cannot represent exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To the nearest, ties to even (`.rn`).
    Nearest,
    /// To the nearest, ties away from zero (`.rna`).
    NearestAway,
    /// Toward zero (`.rz`).
    Zero,
    /// Toward negative infinity (`.rm`).
    Down,
    /// Toward positive infinity (`.rp`).
    Up,
}

/// An IEEE-like binary format: sign bit, exponent, fraction. An exponent of all ones means infinity or NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// Bits of the biased exponent.
    pub exponent_bits: u32,
    pub fraction_bits: u32,
}

/// Half precision (IEEE binary16).
pub const F16: Format = Format { exponent_bits: 5, fraction_bits: 10 };
/// bfloat16: the upper half of single precision.
pub const BF16: Format = Format { exponent_bits: 8, fraction_bits: 7 };
/// Single precision with ten fraction bits.
pub const TF32: Format = Format { exponent_bits: 8, fraction_bits: 10 };
/// Single precision.
pub const F32: Format = Format { exponent_bits: 8, fraction_bits: 23 };
/// Double precision.
pub const F64: Format = Format { exponent_bits: 11, fraction_bits: 52 };

impl Format {
    fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    fn exponent_mask(self) -> u64 {
        (1 << self.exponent_bits) - 1
    }

    pub fn sign_bit(self) -> u64 {
        1 << (self.exponent_bits + self.fraction_bits)
    }

    /// The bits of an infinity.
    pub fn infinity(self, negative: bool) -> u64 {
        self.signed(negative, self.exponent_mask() << self.fraction_bits)
    }

    /// The bits of the largest finite number.
    pub fn largest(self, negative: bool) -> u64 {
        self.signed(negative, (self.exponent_mask() << self.fraction_bits) - 1)
    }

    /// The NaN that arithmetic produces: positive, all ones; for doubles a quiet NaN without payload, as on hardware.
    pub fn nan(self) -> u64 {
        if self == F64 { 0xfff8_0000_0000_0000 } else { self.sign_bit() - 1 }
    }

    /// The weight of the least significant bit of subnormal numbers, as an exponent of two.
    pub fn lowest(self) -> i32 {
        1 - self.bias() - self.fraction_bits as i32
    }

    /// Replaces a subnormal number by a zero of the same sign.
    pub fn flush(self, bits: u64) -> u64 {
        let magnitude = bits & (self.sign_bit() - 1);
        if magnitude >> self.fraction_bits == 0 { bits & self.sign_bit() } else { bits }
    }

    /// Converts to single precision, which must include the format.
    pub fn to_f32(self, bits: u64) -> f32 {
        f32::from_bits(F32.pack(self.unpack(bits), Rounding::Nearest) as u32)
    }

    /// The nearest number in this format.
    pub fn of_f32(self, value: f32) -> u64 {
        self.pack(F32.unpack(value.to_bits().into()), Rounding::Nearest)
    }

    fn signed(self, negative: bool, magnitude: u64) -> u64 {
        if negative { magnitude | self.sign_bit() } else { magnitude }
    }

    pub fn unpack(self, bits: u64) -> Number {
        let negative = bits & self.sign_bit() != 0;
        let exponent = (bits >> self.fraction_bits) & self.exponent_mask();
        let fraction = bits & ((1 << self.fraction_bits) - 1);
        if exponent == self.exponent_mask() {
            return if fraction == 0 { Number::Infinite { negative } } else { Number::Nan };
        }
        let magnitude = bits & (self.sign_bit() - 1);
        Number::Finite(Exact::of_magnitude(negative, magnitude, self.fraction_bits, self.lowest()))
    }

    /// Rounds once and packs the number.
    pub fn pack(self, number: Number, rounding: Rounding) -> u64 {
        match number {
            Number::Nan => self.nan(),
            Number::Infinite { negative } => self.infinity(negative),
            Number::Finite(exact) => self.round(exact, rounding),
        }
    }

    fn round(self, exact: Exact, rounding: Rounding) -> u64 {
        if exact.significand == 0 && !exact.inexact {
            return self.signed(exact.negative, 0);
        }
        let magnitude = exact.magnitude(self.fraction_bits, self.lowest(), rounding);
        let overflow = u128::from(self.exponent_mask()) << self.fraction_bits;
        if magnitude >= overflow {
            return self.overflow(exact.negative, rounding);
        }
        self.signed(exact.negative, magnitude as u64)
    }

    fn overflow(self, negative: bool, rounding: Rounding) -> u64 {
        let to_infinity = match rounding {
            Rounding::Nearest | Rounding::NearestAway => true,
            Rounding::Zero => false,
            Rounding::Down => negative,
            Rounding::Up => !negative,
        };
        if to_infinity { self.infinity(negative) } else { self.largest(negative) }
    }
}

/// An unpacked number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    Nan,
    Infinite { negative: bool },
    Finite(Exact),
}

/// A finite number: `significand * 2^exponent`, or if `inexact`, slightly more in magnitude (by less than
/// `2^exponent`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact {
    pub negative: bool,
    pub significand: u128,
    /// The weight of the lowest digit, as an exponent of two.
    pub exponent: i32,
    /// Whether nonzero digits below the lowest one were cut off.
    pub inexact: bool,
}

impl Exact {
    pub fn integer(negative: bool, magnitude: u128) -> Exact {
        Exact { negative, significand: magnitude, exponent: 0, inexact: false }
    }

    /// The number with these exponent and fraction bits, in a format whose least significant subnormal bit weighs
    /// `2^lowest`.
    pub fn of_magnitude(negative: bool, magnitude: u64, fraction_bits: u32, lowest: i32) -> Exact {
        let fraction = magnitude & ((1 << fraction_bits) - 1);
        let (significand, exponent) = match (magnitude >> fraction_bits) as i32 {
            0 => (fraction, lowest),
            biased => (fraction | 1 << fraction_bits, lowest + biased - 1),
        };
        Exact { negative, significand: significand.into(), exponent, inexact: false }
    }

    /// The exponent and fraction bits of the rounded magnitude in such a format, as if its exponent were unbounded.
    pub fn magnitude(self, fraction_bits: u32, lowest: i32, rounding: Rounding) -> u128 {
        let unit = (self.top() - fraction_bits as i32 - 1).max(lowest);
        let significand = self.round_to(unit, rounding);
        let implicit = 1 << fraction_bits;
        if significand < implicit {
            return significand;
        }
        // A carry out of the significand increments the exponent.
        (((unit - lowest) as u128 + 1) << fraction_bits) + significand - implicit
    }

    fn is_zero(self) -> bool {
        self.significand == 0 && !self.inexact
    }

    /// The magnitude in units of `2^unit`, rounded to an integer and capped at `u128::MAX`.
    pub fn round_to(self, unit: i32, rounding: Rounding) -> u128 {
        let shift = unit - self.exponent;
        if shift <= 0 {
            // The cut-off digits matter only to directed rounding, and only for callers that keep spare digits.
            let whole = match self.significand.leading_zeros() as i32 {
                free if -shift <= free => self.significand << -shift,
                _ => u128::MAX,
            };
            let away = self.inexact && self.rounds_away(rounding);
            return whole.saturating_add(u128::from(away));
        }
        let (whole, half, below) = match shift {
            129.. => (0, false, self.significand != 0),
            128 => (0, self.significand >> 127 == 1, self.significand << 1 != 0),
            _ => (
                self.significand >> shift,
                self.significand >> (shift - 1) & 1 == 1,
                self.significand & ((1 << (shift - 1)) - 1) != 0,
            ),
        };
        let below = below || self.inexact;
        let up = match rounding {
            Rounding::Nearest => half && (below || whole & 1 == 1),
            Rounding::NearestAway => half,
            _ => (half || below) && self.rounds_away(rounding),
        };
        whole + u128::from(up)
    }

    /// Whether directed rounding moves this number away from zero.
    fn rounds_away(self, rounding: Rounding) -> bool {
        match rounding {
            Rounding::Down => self.negative,
            Rounding::Up => !self.negative,
            _ => false,
        }
    }

    fn top(self) -> i32 {
        self.exponent + (128 - self.significand.leading_zeros() as i32)
    }

    /// The same value with its highest digit at bit 125, which leaves room for a carry and for the digits of a smaller
    /// number.
    fn normalized(self) -> Exact {
        let shift = self.significand.leading_zeros() as i32 - 2;
        Exact { significand: self.significand << shift, exponent: self.exponent - shift, ..self }
    }

    fn add(self, other: Exact, rounding: Rounding) -> Exact {
        if self.is_zero() && other.is_zero() {
            let negative = match (self.negative, other.negative) {
                (a, b) if a == b => a,
                _ => rounding == Rounding::Down,
            };
            return Exact { negative, ..self };
        }
        if self.is_zero() {
            return other;
        }
        if other.is_zero() {
            return self;
        }
        let (large, small) = if self.top() >= other.top() { (self, other) } else { (other, self) };
        let large = large.normalized();
        let shift = large.exponent - small.exponent;
        let (aligned, cut) = match shift {
            ..=0 => (small.significand << -shift, false),
            128.. => (0, true),
            _ => (small.significand >> shift, small.significand & ((1 << shift) - 1) != 0),
        };
        if large.negative == small.negative {
            return Exact { significand: large.significand + aligned, inexact: cut, ..large };
        }
        // Subtracting also subtracts the cut-off digits: one unit less, and inexact.
        let (smaller, larger) = (aligned + u128::from(cut), large.significand);
        if larger >= smaller {
            let significand = larger - smaller;
            let negative = if significand == 0 && !cut { rounding == Rounding::Down } else { large.negative };
            return Exact { negative, significand, inexact: cut, ..large };
        }
        Exact { negative: small.negative, significand: smaller - larger, inexact: false, ..large }
    }
}

impl Number {
    fn negated(self) -> Number {
        match self {
            Number::Nan => Number::Nan,
            Number::Infinite { negative } => Number::Infinite { negative: !negative },
            Number::Finite(exact) => Number::Finite(Exact { negative: !exact.negative, ..exact }),
        }
    }

    fn negative(self) -> bool {
        match self {
            Number::Nan => false,
            Number::Infinite { negative } => negative,
            Number::Finite(exact) => exact.negative,
        }
    }

    pub fn plus(self, other: Number, rounding: Rounding) -> Number {
        match (self, other) {
            (Number::Nan, _) | (_, Number::Nan) => Number::Nan,
            (Number::Infinite { negative: a }, Number::Infinite { negative: b }) if a != b => Number::Nan,
            (Number::Infinite { .. }, _) => self,
            (_, Number::Infinite { .. }) => other,
            (Number::Finite(a), Number::Finite(b)) => Number::Finite(a.add(b, rounding)),
        }
    }

    pub fn minus(self, other: Number, rounding: Rounding) -> Number {
        self.plus(other.negated(), rounding)
    }

    /// The product of two numbers of at most 64 digits.
    pub fn times(self, other: Number) -> Number {
        let negative = self.negative() != other.negative();
        match (self, other) {
            (Number::Nan, _) | (_, Number::Nan) => Number::Nan,
            (Number::Finite(a), Number::Finite(b)) => Number::Finite(Exact {
                negative,
                significand: a.significand * b.significand,
                exponent: a.exponent + b.exponent,
                inexact: false,
            }),
            (Number::Finite(zero), _) | (_, Number::Finite(zero)) if zero.is_zero() => Number::Nan,
            _ => Number::Infinite { negative },
        }
    }

    /// The quotient of two numbers of at most 64 digits.
    pub fn over(self, other: Number) -> Number {
        let negative = self.negative() != other.negative();
        match (self, other) {
            (Number::Nan, _) | (_, Number::Nan) => Number::Nan,
            (Number::Infinite { .. }, Number::Infinite { .. }) => Number::Nan,
            (Number::Infinite { .. }, _) => Number::Infinite { negative },
            (_, Number::Infinite { .. }) => Number::Finite(Exact::integer(negative, 0)),
            (Number::Finite(a), Number::Finite(b)) => match (a.is_zero(), b.is_zero()) {
                (true, true) => Number::Nan,
                (false, true) => Number::Infinite { negative },
                (true, false) => Number::Finite(Exact::integer(negative, 0)),
                (false, false) => {
                    let a = a.normalized();
                    Number::Finite(Exact {
                        negative,
                        significand: a.significand / b.significand,
                        exponent: a.exponent - b.exponent,
                        inexact: a.significand % b.significand != 0,
                    })
                }
            },
        }
    }

    /// The square root of a number of at most 64 digits.
    pub fn sqrt(self) -> Number {
        match self {
            Number::Finite(exact) if exact.is_zero() => self,
            Number::Nan => Number::Nan,
            _ if self.negative() => Number::Nan,
            Number::Infinite { .. } => self,
            Number::Finite(exact) => {
                let mut exact = exact.normalized();
                if exact.exponent % 2 != 0 {
                    exact.significand <<= 1;
                    exact.exponent -= 1;
                }
                let root = exact.significand.isqrt();
                Number::Finite(Exact {
                    negative: false,
                    significand: root,
                    exponent: exact.exponent / 2,
                    inexact: root * root != exact.significand,
                })
            }
        }
    }
}

/// Operations on two or three numbers, rounded once; every NaN result is the format's own NaN.
pub mod op {
    use super::{Format, Rounding};

    /// `a + b`
    pub fn add(format: Format, rounding: Rounding, a: u64, b: u64) -> u64 {
        format.pack(format.unpack(a).plus(format.unpack(b), rounding), rounding)
    }

    /// `a - b`
    pub fn sub(format: Format, rounding: Rounding, a: u64, b: u64) -> u64 {
        format.pack(format.unpack(a).minus(format.unpack(b), rounding), rounding)
    }

    /// `a * b`
    pub fn mul(format: Format, rounding: Rounding, a: u64, b: u64) -> u64 {
        format.pack(format.unpack(a).times(format.unpack(b)), rounding)
    }

    /// `a * b + c`
    pub fn fma(format: Format, rounding: Rounding, a: u64, b: u64, c: u64) -> u64 {
        let product = format.unpack(a).times(format.unpack(b));
        format.pack(product.plus(format.unpack(c), rounding), rounding)
    }

    /// `a / b`
    pub fn div(format: Format, rounding: Rounding, a: u64, b: u64) -> u64 {
        format.pack(format.unpack(a).over(format.unpack(b)), rounding)
    }

    /// The square root of `a`.
    pub fn sqrt(format: Format, rounding: Rounding, a: u64) -> u64 {
        format.pack(format.unpack(a).sqrt(), rounding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn same32(soft: u64, host: f32) -> bool {
        (host.is_nan() && f32::from_bits(soft as u32).is_nan()) || soft as u32 == host.to_bits()
    }

    fn same64(soft: u64, host: f64) -> bool {
        (host.is_nan() && f64::from_bits(soft).is_nan()) || soft == host.to_bits()
    }

    /// Bits of a format, with edge cases more frequent than by chance.
    fn bits(format: Format) -> impl Strategy<Value = u64> {
        let all = format.sign_bit() | (format.sign_bit() - 1);
        let edges =
            [0, 1, format.largest(false), format.infinity(false), 1 << format.fraction_bits, format.nan()];
        let near_one = (format.infinity(false) >> 1) & all;
        prop_oneof![
            4 => any::<u64>().prop_map(move |bits| bits & all),
            2 => (0u64..64, any::<bool>()).prop_map(move |(low, negative)| {
                format.signed(negative, near_one.wrapping_add(low) & (format.sign_bit() - 1))
            }),
            1 => (0..edges.len(), any::<bool>()).prop_map(move |(edge, negative)| format.signed(negative, edges[edge])),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn singles_round_as_the_host_does(a in bits(F32), b in bits(F32), c in bits(F32)) {
            let (x, y, z) = (f32::from_bits(a as u32), f32::from_bits(b as u32), f32::from_bits(c as u32));
            let mode = Rounding::Nearest;
            prop_assert!(same32(op::add(F32, mode, a, b), x + y));
            prop_assert!(same32(op::sub(F32, mode, a, b), x - y));
            prop_assert!(same32(op::mul(F32, mode, a, b), x * y));
            prop_assert!(same32(op::div(F32, mode, a, b), x / y));
            prop_assert!(same32(op::sqrt(F32, mode, a), x.sqrt()));
            prop_assert!(same32(op::fma(F32, mode, a, b, c), x.mul_add(y, z)));
        }

        #[test]
        fn doubles_round_as_the_host_does(a in bits(F64), b in bits(F64), c in bits(F64)) {
            let (x, y, z) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
            let mode = Rounding::Nearest;
            prop_assert!(same64(op::add(F64, mode, a, b), x + y));
            prop_assert!(same64(op::sub(F64, mode, a, b), x - y));
            prop_assert!(same64(op::mul(F64, mode, a, b), x * y));
            prop_assert!(same64(op::div(F64, mode, a, b), x / y));
            prop_assert!(same64(op::sqrt(F64, mode, a), x.sqrt()));
            prop_assert!(same64(op::fma(F64, mode, a, b, c), x.mul_add(y, z)));
            prop_assert!(same32(F32.pack(F64.unpack(a), mode), x as f32));
        }

        #[test]
        fn directed_roundings_enclose_the_nearest(a in bits(F32), b in bits(F32)) {
            let at = |mode| f32::from_bits(op::mul(F32, mode, a, b) as u32);
            let nearest = at(Rounding::Nearest);
            prop_assume!(!nearest.is_nan());
            prop_assert!(at(Rounding::Down) <= nearest && nearest <= at(Rounding::Up));
            prop_assert!(at(Rounding::Zero).abs() <= nearest.abs());
            let exact = f64::from(f32::from_bits(a as u32)) * f64::from(f32::from_bits(b as u32));
            prop_assert!(f64::from(at(Rounding::Down)) <= exact && exact <= f64::from(at(Rounding::Up)));
        }
    }

    #[test]
    fn halves() {
        let one = 0x3c00;
        let smallest = 1;
        assert_eq!(op::add(F16, Rounding::Nearest, one, smallest), one);
        assert_eq!(op::add(F16, Rounding::Up, one, smallest), one + 1);
        assert_eq!(op::mul(F16, Rounding::Nearest, 0x7bff, 0x7bff), 0x7c00);
        assert_eq!(op::mul(F16, Rounding::Zero, 0x7bff, 0x7bff), 0x7bff);
        assert_eq!(op::sub(BF16, Rounding::Nearest, 0x3f80, 0x3f80), 0);
        assert_eq!(op::sub(BF16, Rounding::Down, 0x3f80, 0x3f80), 0x8000);
    }
}
