//! The scalar kinds of launches: how numbers become bits, and bits numbers again.

use std::fmt;

/// How a scalar's bits are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// `u8 … u64`
    Unsigned,
    /// `s8 … s64`
    Signed,
    /// `f16 bf16 f32 f64`
    Float,
    /// `b8 … b64`: takes whatever fits the width
    Bits,
}

/// The type of one value in a launch: a scalar argument's, or a buffer element's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names say it
pub enum ScalarKind {
    U8,
    S8,
    U16,
    S16,
    U32,
    S32,
    U64,
    S64,
    F16,
    Bf16,
    F32,
    F64,
    B8,
    B16,
    B32,
    B64,
}

use ScalarKind::*;

impl ScalarKind {
    /// Every kind, in the order of the documentation.
    pub const ALL: [ScalarKind; 16] =
        [U8, S8, U16, S16, U32, S32, U64, S64, F16, Bf16, F32, F64, B8, B16, B32, B64];

    /// The kind called `name`; `iN` is another name of `sN`.
    pub fn from_name(name: &str) -> Option<ScalarKind> {
        let signed = name.strip_prefix('i').map(|bits| format!("s{bits}"));
        let name = signed.as_deref().unwrap_or(name);
        ScalarKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The name in launch files.
    pub fn name(self) -> &'static str {
        match self {
            U8 => "u8",
            S8 => "s8",
            U16 => "u16",
            S16 => "s16",
            U32 => "u32",
            S32 => "s32",
            U64 => "u64",
            S64 => "s64",
            F16 => "f16",
            Bf16 => "bf16",
            F32 => "f32",
            F64 => "f64",
            B8 => "b8",
            B16 => "b16",
            B32 => "b32",
            B64 => "b64",
        }
    }

    /// How the bits are read.
    pub fn class(self) -> Class {
        match self {
            U8 | U16 | U32 | U64 => Class::Unsigned,
            S8 | S16 | S32 | S64 => Class::Signed,
            F16 | Bf16 | F32 | F64 => Class::Float,
            B8 | B16 | B32 | B64 => Class::Bits,
        }
    }

    /// Size of a value.
    pub fn bytes(self) -> usize {
        match self {
            U8 | S8 | B8 => 1,
            U16 | S16 | F16 | Bf16 | B16 => 2,
            U32 | S32 | F32 | B32 => 4,
            U64 | S64 | F64 | B64 => 8,
        }
    }

    fn bits(self) -> u32 {
        self.bytes() as u32 * 8
    }

    fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// The bits of an integer literal, if the kind can hold it. Floats take integers as numbers.
    pub fn bits_of_integer(self, value: i128) -> Option<u64> {
        let (low, high) = self.integer_range();
        match self.class() {
            Class::Float => Some(self.bits_of_float(value as f64)),
            _ if value < low || value > high => None,
            _ => Some(value as u64 & self.mask()),
        }
    }

    /// Smallest and largest integer that the kind takes: `bN` take those of `uN` and of `sN`.
    pub fn integer_range(self) -> (i128, i128) {
        let span = 1i128 << self.bits();
        match self.class() {
            Class::Unsigned => (0, span - 1),
            Class::Signed => (-span / 2, span / 2 - 1),
            Class::Bits | Class::Float => (-span / 2, span - 1),
        }
    }

    /// The bits of `value`, rounded to nearest even. Only for float kinds; others take the low bits of the
    /// truncated number.
    pub fn bits_of_float(self, value: f64) -> u64 {
        match self {
            F64 => value.to_bits(),
            F32 => u64::from((value as f32).to_bits()),
            F16 => narrow(value, Small { exponent_bits: 5, fraction_bits: 10 }),
            Bf16 => narrow(value, Small { exponent_bits: 8, fraction_bits: 7 }),
            _ => (value as i128) as u64 & self.mask(),
        }
    }

    /// The number that `bits` stand for in a float kind.
    pub fn float_of_bits(self, bits: u64) -> f64 {
        match self {
            F64 => f64::from_bits(bits),
            F32 => f64::from(f32::from_bits(bits as u32)),
            F16 => widen(bits, Small { exponent_bits: 5, fraction_bits: 10 }),
            Bf16 => f64::from(f32::from_bits((bits as u32) << 16)),
            _ => self.integer_of_bits(bits) as f64,
        }
    }

    /// The number that `bits` stand for in an integer kind; `bN` are read as unsigned.
    pub fn integer_of_bits(self, bits: u64) -> i128 {
        let bits = bits & self.mask();
        match self.class() {
            Class::Signed => {
                let unused = 64 - self.bits();
                i128::from(((bits << unused) as i64) >> unused)
            }
            _ => i128::from(bits),
        }
    }

    /// The bits of the element numbered `index` of an iota buffer.
    pub fn iota(self, index: u64) -> u64 {
        match self.class() {
            Class::Float => self.bits_of_float(index as f64),
            _ => index & self.mask(),
        }
    }

    /// The bits of a random element: floats lie in [0, 1) with as many random bits as the format has digits,
    /// integers are the low bits.
    pub fn random(self, random: u64) -> u64 {
        let digits = match self {
            F16 => 11,
            Bf16 => 8,
            F32 => 24,
            F64 => 53,
            _ => return random & self.mask(),
        };
        self.bits_of_float((random >> (64 - digits)) as f64 / (1u64 << digits) as f64)
    }

    /// The bits that little-endian `bytes` hold; missing bytes are zero.
    pub fn read(self, bytes: &[u8]) -> u64 {
        let mut wide = [0; 8];
        let len = self.bytes().min(bytes.len());
        wide[..len].copy_from_slice(&bytes[..len]);
        u64::from_le_bytes(wide)
    }

    /// Appends `bits`, little-endian.
    pub fn write(self, bits: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(&bits.to_le_bytes()[..self.bytes()]);
    }
}

impl fmt::Display for ScalarKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A float format narrower than f32.
#[derive(Clone, Copy)]
struct Small {
    exponent_bits: u32,
    fraction_bits: u32,
}

impl Small {
    fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    fn infinity(self) -> u64 {
        ((1 << self.exponent_bits) - 1) << self.fraction_bits
    }
}

/// Rounds to nearest even, straight from f64: going through f32 would round twice.
fn narrow(value: f64, small: Small) -> u64 {
    let sign = u64::from(value.is_sign_negative()) << (small.exponent_bits + small.fraction_bits);
    if value.is_nan() {
        return sign | small.infinity() | 1 << (small.fraction_bits - 1);
    }
    let magnitude = value.abs();
    // The exponent of the last fraction digit: that of the number itself, or the subnormals' one.
    let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(1 - small.bias());
    let unit = (f64::from(exponent) - f64::from(small.fraction_bits)).exp2();
    let digits = (magnitude / unit).round_ties_even();
    if digits == 0.0 || magnitude.is_infinite() || exponent > small.bias() {
        return sign | if digits == 0.0 { 0 } else { small.infinity() };
    }
    // Adding the digits to the exponent below lets a carry (2.0 after rounding) go into the exponent.
    let below = (exponent + small.bias() - 1) as u64;
    sign | ((below << small.fraction_bits) + digits as u64)
}

fn widen(bits: u64, small: Small) -> f64 {
    let fraction_mask = (1u64 << small.fraction_bits) - 1;
    let exponent = ((bits & small.infinity()) >> small.fraction_bits) as i32;
    let fraction = (bits & fraction_mask) as f64 / (1u64 << small.fraction_bits) as f64;
    let magnitude = match exponent {
        0 => fraction * f64::from(1 - small.bias()).exp2(),
        e if e == (1 << small.exponent_bits) - 1 && fraction == 0.0 => f64::INFINITY,
        e if e == (1 << small.exponent_bits) - 1 => f64::NAN,
        e => (1.0 + fraction) * f64::from(e - small.bias()).exp2(),
    };
    if bits >> (small.exponent_bits + small.fraction_bits) & 1 == 1 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_i_means_s() {
        for kind in ScalarKind::ALL {
            assert_eq!(ScalarKind::from_name(kind.name()), Some(kind));
        }
        assert_eq!(ScalarKind::from_name("i16"), Some(S16));
        assert_eq!(ScalarKind::from_name("i128"), None);
        assert_eq!(ScalarKind::from_name("int"), None);
    }

    #[test]
    fn integers_must_fit() {
        assert_eq!(U8.bits_of_integer(255), Some(255));
        assert_eq!(U8.bits_of_integer(256), None);
        assert_eq!(U8.bits_of_integer(-1), None);
        assert_eq!(S8.bits_of_integer(-128), Some(0x80));
        assert_eq!(B8.bits_of_integer(-1), Some(0xff));
        assert_eq!(B8.bits_of_integer(255), Some(0xff));
        assert_eq!(U64.bits_of_integer(u64::MAX.into()), Some(u64::MAX));
        assert_eq!(S64.bits_of_integer(i64::MIN.into()), Some(1 << 63));
        assert_eq!(S16.integer_of_bits(0xffff), -1);
        assert_eq!(B16.integer_of_bits(0xffff), 65535);
    }

    #[test]
    fn halves_round_to_nearest_even() {
        for (value, half, brain) in [
            (0.0, 0x0000, 0x0000),
            (-0.0, 0x8000, 0x8000),
            (1.0, 0x3c00, 0x3f80),
            (-2.5, 0xc100, 0xc020),
            (65504.0, 0x7bff, 0x4780),
            (65520.0, 0x7c00, 0x4780),
            (65519.9, 0x7bff, 0x4780),
            (6.0e-8, 0x0001, 0x3381),
            (2.0f64.powi(-25), 0x0000, 0x3300),
            (1.0 + 2.0f64.powi(-11), 0x3c00, 0x3f80),
            (1.0 + 3.0 * 2.0f64.powi(-11), 0x3c02, 0x3f80),
            (f64::INFINITY, 0x7c00, 0x7f80),
            (f64::NEG_INFINITY, 0xfc00, 0xff80),
            (f64::MAX, 0x7c00, 0x7f80),
        ] {
            assert_eq!(F16.bits_of_float(value), half, "f16 {value}");
            assert_eq!(Bf16.bits_of_float(value), brain, "bf16 {value}");
        }
        assert!(F16.float_of_bits(F16.bits_of_float(f64::NAN)).is_nan());
    }

    #[test]
    fn every_half_survives_widening_and_narrowing() {
        for kind in [F16, Bf16] {
            for bits in 0..=0xffffu64 {
                let value = kind.float_of_bits(bits);
                if !value.is_nan() {
                    assert_eq!(kind.bits_of_float(value), bits, "{kind} {bits:04x}");
                }
            }
        }
    }

    #[test]
    fn random_floats_stay_below_one() {
        for kind in [F16, Bf16, F32, F64] {
            let largest = kind.float_of_bits(kind.random(u64::MAX));
            assert!(largest < 1.0 && largest > 0.99, "{kind} {largest}");
        }
    }
}
