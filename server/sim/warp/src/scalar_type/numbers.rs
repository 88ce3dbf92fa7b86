//! The scalar types of launches: converts numbers to bits and back.

use crate::scalar_type::Class;
use crate::scalar_type::ScalarType::{self, *};
use crate::soft_float::{self, Format, Rounding};

impl ScalarType {
    /// The types of scalar arguments and of elements of buffers, in the order of the documentation.
    pub const OF_LAUNCHES: [ScalarType; 16] =
        [U8, S8, U16, S16, U32, S32, U64, S64, F16, Bf16, F32, F64, B8, B16, B32, B64];

    /// The launch type called `name`; `iN` is an alias of `sN`.
    pub fn of_launches(name: &str) -> Option<ScalarType> {
        let signed = name.strip_prefix('i').map(|bits| format!("s{bits}"));
        let found = ScalarType::from_name(signed.as_deref().unwrap_or(name));
        found.filter(|ty| ScalarType::OF_LAUNCHES.contains(ty))
    }

    fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// The bits of an integer literal, or `None` if it is out of range. Float types convert it to a float.
    pub fn bits_of_integer(self, value: i128) -> Option<u64> {
        let (low, high) = self.integer_range();
        match self.class() {
            Class::Float => Some(self.bits_of_float(value as f64)),
            _ if value < low || value > high => None,
            _ => Some(value as u64 & self.mask()),
        }
    }

    /// The smallest and largest integer that the type accepts; `bN` accepts every value of `uN` and `sN`.
    pub fn integer_range(self) -> (i128, i128) {
        let span = 1i128 << self.bits();
        match self.class() {
            Class::Unsigned => (0, span - 1),
            Class::Signed => (-span / 2, span / 2 - 1),
            Class::Bits | Class::Float => (-span / 2, span - 1),
        }
    }

    /// The bits of `value`, rounded to nearest even, for float types. Integer types get the low bits of the truncated
    /// number.
    pub fn bits_of_float(self, value: f64) -> u64 {
        match self {
            F64 => value.to_bits(),
            F32 => u64::from((value as f32).to_bits()),
            F16 => narrow(value, soft_float::F16),
            Bf16 => narrow(value, soft_float::BF16),
            _ => (value as i128) as u64 & self.mask(),
        }
    }

    /// The number that `bits` represent in a float type.
    pub fn float_of_bits(self, bits: u64) -> f64 {
        match self {
            F64 => f64::from_bits(bits),
            F32 => f64::from(f32::from_bits(bits as u32)),
            F16 => f64::from(soft_float::F16.to_f32(bits)),
            Bf16 => f64::from(f32::from_bits((bits as u32) << 16)),
            _ => self.integer_of_bits(bits) as f64,
        }
    }

    /// The number that `bits` represent in an integer type; `bN` is read as unsigned.
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

    /// The bits of element `index` of an iota buffer.
    pub fn iota(self, index: u64) -> u64 {
        match self.class() {
            Class::Float => self.bits_of_float(index as f64),
            _ => index & self.mask(),
        }
    }

    /// The bits of a random element. Floats lie in [0, 1), with as many random bits as the format has digits; integers
    /// are the low bits of `random`.
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

    /// Reads little-endian `bytes`; missing bytes are zero.
    pub fn read(self, bytes: &[u8]) -> u64 {
        let mut wide = [0; 8];
        let len = self.bytes().min(bytes.len());
        wide[..len].copy_from_slice(&bytes[..len]);
        u64::from_le_bytes(wide)
    }

    /// Appends `bits` in little-endian order.
    pub fn write(self, bits: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(&bits.to_le_bytes()[..self.bytes()]);
    }
}

/// Rounds to nearest even, directly from f64, because going through f32 would round twice. NaNs keep their sign.
fn narrow(value: f64, format: Format) -> u64 {
    if value.is_nan() {
        return format.infinity(value.is_sign_negative()) | 1 << (format.fraction_bits - 1);
    }
    format.pack(soft_float::F64.unpack(value.to_bits()), Rounding::Nearest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_i_means_s() {
        for kind in ScalarType::OF_LAUNCHES {
            assert_eq!(ScalarType::of_launches(kind.name()), Some(kind));
        }
        assert_eq!(ScalarType::of_launches("i16"), Some(S16));
        assert_eq!(ScalarType::of_launches("i128"), None);
        assert_eq!(ScalarType::of_launches("int"), None);
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
