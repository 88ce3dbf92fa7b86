//! Numbers as they are written.

use super::super::Constant;

/// The value of an integer literal. What does not fit in 64 bits is cut off, as the assembler does with hexadecimal and
/// octal; the lexer has reported the others.
pub(super) fn integer(text: &str) -> Constant {
    let (digits, unsigned) = match text.strip_suffix('U') {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    let (digits, radix) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&digits[2..], 16),
        [b'0', b'b' | b'B', ..] => (&digits[2..], 2),
        [b'0', _, ..] => (&digits[1..], 8),
        _ => (digits, 10),
    };
    let value = digits.chars().filter_map(|digit| digit.to_digit(radix));
    let value = value.fold(0u64, |value, digit| value.wrapping_mul(radix.into()).wrapping_add(digit.into()));
    match i64::try_from(value) {
        Ok(value) if !unsigned => Constant::Signed(value),
        _ => Constant::Unsigned(value),
    }
}

/// The value of a floating-point literal; a malformed one, which the lexer has reported, has none.
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
    fn floats() {
        assert_eq!(float("0f3F800000").as_float(), Some(1.0));
        assert_eq!(float("0dBFF8000000000000").as_float(), Some(-1.5));
        assert_eq!(float("1.").as_float(), Some(1.0));
        assert_eq!(float(".5e1").as_float(), Some(5.0));
        assert_eq!(float("0f3F8"), Constant::Single(0x3f8));
        assert_eq!(float("0f"), Constant::Invalid);
    }
}
