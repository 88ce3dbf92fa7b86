//! The conversions of floating-point numbers.
use super::conversion::Conversion;

/// Formats a number as `%f`, `%e`, `%g`, `%a` or one of their uppercase forms.
pub(super) fn write(conversion: &Conversion, value: f64, out: &mut Vec<u8>) {
    let sign = conversion.sign(value.is_sign_negative());
    let size = value.abs();
    let capital = conversion.kind.is_ascii_uppercase();
    let (prefix, digits) = match conversion.kind.to_ascii_lowercase() {
        _ if size.is_nan() => ("", "nan".to_owned()),
        _ if size.is_infinite() => ("", "inf".to_owned()),
        b'f' => ("", with_point(conversion, format!("{size:.*}", conversion.precision.unwrap_or(6)))),
        b'e' => ("", scientific(conversion, size, conversion.precision.unwrap_or(6))),
        b'g' => ("", shortest(conversion, size)),
        _ => ("0x", hexadecimal(conversion, size)),
    };
    match capital {
        true => conversion.number(sign, &prefix.to_uppercase(), &digits.to_uppercase(), out),
        false => conversion.number(sign, prefix, &digits, out),
    }
}

/// `#` keeps the decimal point even if no digit follows.
fn with_point(conversion: &Conversion, digits: String) -> String {
    if conversion.alternate && !digits.contains('.') { digits + "." } else { digits }
}

/// A number's digits and exponent, rounded to a number of decimals.
fn parts(size: f64, precision: usize) -> (String, i32) {
    let text = format!("{size:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (digits.to_owned(), exponent.parse().unwrap_or(0))
}

fn scientific(conversion: &Conversion, size: f64, precision: usize) -> String {
    let (digits, exponent) = parts(size, precision);
    format!("{}e{}", with_point(conversion, digits), two_digits(exponent))
}

fn two_digits(exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{:02}", exponent.unsigned_abs())
}

/// `%g`: significant digits in the shorter form, without trailing zeros.
fn shortest(conversion: &Conversion, size: f64) -> String {
    let precision = conversion.precision.unwrap_or(6).max(1);
    let (digits, exponent) = parts(size, precision - 1);
    let is_scientific = exponent < -4 || exponent >= precision as i32;
    let digits = match is_scientific {
        true => digits,
        false => format!("{size:.*}", (precision as i32 - 1 - exponent).max(0) as usize),
    };
    let digits = match conversion.alternate {
        true => with_point(conversion, digits),
        false if digits.contains('.') => digits.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => digits,
    };
    if is_scientific { format!("{digits}e{}", two_digits(exponent)) } else { digits }
}

/// `%a`: the bits of the fraction in hexadecimal and a binary exponent.
fn hexadecimal(conversion: &Conversion, size: f64) -> String {
    const DIGITS: usize = 13;
    let bits = size.to_bits();
    let (stored, fraction) = ((bits >> 52) as i32, bits & ((1 << 52) - 1));
    let exponent = match (stored, fraction) {
        (0, 0) => 0,
        (0, _) => -1022,
        _ => stored - 1023,
    };
    let mut mantissa = fraction | u64::from(stored != 0) << 52;
    let kept = conversion.precision.unwrap_or(DIGITS);
    if kept < DIGITS {
        let dropped = 4 * (DIGITS - kept) as u32;
        let (half, rest) = (1 << (dropped - 1), mantissa & ((1 << dropped) - 1));
        mantissa >>= dropped;
        mantissa += u64::from(rest > half || rest == half && mantissa & 1 == 1);
        mantissa <<= dropped;
    }
    let mut digits = format!("{:013x}", mantissa & ((1 << 52) - 1));
    match conversion.precision {
        Some(precision) if precision > DIGITS => digits = format!("{digits:0<precision$}"),
        Some(precision) => digits.truncate(precision),
        None => digits.truncate(digits.trim_end_matches('0').len()),
    }
    let point = if digits.is_empty() && !conversion.alternate { "" } else { "." };
    format!("{}{point}{digits}p{exponent:+}", mantissa >> 52)
}
