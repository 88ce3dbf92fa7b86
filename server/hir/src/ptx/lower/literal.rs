//! Number literals.

use super::super::Constant;

/// The value of an integer literal. Bits beyond 64 are dropped, as the assembler does if it accepts the
/// number.
pub(super) fn integer(text: &str) -> Constant {
    let (digits, radix) = digits(text);
    let value = digits.fold(0u64, |value, digit| value.wrapping_mul(radix.into()).wrapping_add(digit.into()));
    match i64::try_from(value) {
        Ok(value) if !text.ends_with('U') => Constant::Signed(value),
        _ => Constant::Unsigned(value),
    }
}

/// Whether the assembler accepts an integer literal that does not fit in 64 bits and drops the upper bits. It
/// rejects a literal with a digit after bit 63 is set, which the lexer has reported.
pub(super) fn is_cut_off(text: &str) -> bool {
    let (digits, radix) = digits(text);
    let (mut value, mut is_cut_off) = (0u64, false);
    for digit in digits {
        if value >> 63 == 1 {
            return false;
        }
        let (scaled, is_large) = value.overflowing_mul(radix.into());
        let (sum, carries) = scaled.overflowing_add(digit.into());
        is_cut_off |= is_large || carries;
        value = sum;
    }
    is_cut_off
}

/// The digits of an integer literal and its radix.
fn digits(text: &str) -> (impl Iterator<Item = u32>, u32) {
    let text = text.strip_suffix('U').unwrap_or(text);
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&text[2..], 16),
        [b'0', b'b' | b'B', ..] => (&text[2..], 2),
        [b'0', _, ..] => (&text[1..], 8),
        _ => (text, 10),
    };
    (digits.chars().filter_map(move |digit| digit.to_digit(radix)), radix)
}

/// The value of a floating-point literal. It is invalid for a malformed one, which the lexer has reported.
pub(super) fn float(text: &str) -> Constant {
    let bits = |digits: &str| u64::from_str_radix(digits, 16).ok();
    let value = match text.as_bytes() {
        [b'0', b'f' | b'F', ..] => {
            bits(&text[2..]).and_then(|bits| u32::try_from(bits).ok()).map(Constant::Single)
        }
        [b'0', b'd' | b'D', ..] => bits(&text[2..]).map(Constant::Double),
        _ => text.parse::<f64>().ok().map(|value| Constant::Double(value.to_bits())),
    };
    value.unwrap_or(Constant::Invalid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        assert_eq!(integer("0"), Constant::Signed(0));
        assert_eq!(integer("017"), Constant::Signed(15));
        assert_eq!(integer("0x1F"), Constant::Signed(31));
        assert_eq!(integer("0b101U"), Constant::Unsigned(5));
        assert_eq!(integer("18446744073709551615"), Constant::Unsigned(u64::MAX));
        assert_eq!(integer("18446744073709551617"), Constant::Signed(1));
    }

    #[test]
    fn integers_beyond_64_bits() {
        for cut_off in
            ["18446744073709551616", "92233720368547758070", "0x1ffffffffffffffff", "36893488147419103232U"]
        {
            assert!(is_cut_off(cut_off), "{cut_off}");
        }
        // In these, a digit follows after bit 63 is set.
        for rejected in ["99999999999999999999", "0xffffffffffffffff0", "01000000000000000000000000"] {
            assert!(!is_cut_off(rejected), "{rejected}");
        }
        for fits in ["18446744073709551615", "0xffffffffffffffff", "01777777777777777777777", "0"] {
            assert!(!is_cut_off(fits), "{fits}");
        }
    }

    #[test]
    fn floats() {
        assert_eq!(float("0f3F800000").as_float(), Some(1.0));
        assert_eq!(float("0dBFF8000000000000").as_float(), Some(-1.5));
        assert_eq!(float("1.").as_float(), Some(1.0));
        assert_eq!(float(".5e1").as_float(), Some(5.0));
        assert_eq!(float("0f3F8"), Constant::Single(0x3f8));
        assert_eq!(float("0f"), Constant::Invalid);
    }
}
