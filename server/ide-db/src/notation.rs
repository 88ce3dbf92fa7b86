//! Literals in other notations, for hovers.

use warplens_hir::half::from_half;
use warplens_hir::ptx::{Type, TypeKind};

/// A 64-bit integer in every notation that differs from the others.
pub fn integer(value: u64) -> String {
    let mut lines = vec![format!("decimal `{value}`")];
    if value > i64::MAX as u64 {
        lines.push(format!("signed `{}`", value as i64));
    } else if value > i32::MAX as u64 && value <= u64::from(u32::MAX) {
        lines.push(format!("as `.s32` `{}`", value as u32 as i32));
    }
    lines.push(format!("hexadecimal `{value:#x}`"));
    if value <= u64::from(u16::MAX) {
        lines.push(format!("binary `{value:#b}`"));
    }
    if let Some(float) = u32::try_from(value).ok().and_then(plausible_single) {
        lines.push(format!("bits of the `.f32` `{float}`"));
    }
    lines.join(" · ")
}

/// An integer as an operand of a type reads it: its low bits, in every notation that differs from the others.
pub fn integer_as(value: u64, ty: Type) -> String {
    let bits = ty.bits().clamp(8, 64);
    let low = value & (u64::MAX >> (64 - bits));
    let signed = ((low << (64 - bits)) as i64) >> (64 - bits);
    let (own, which, other) = match ty.kind() {
        TypeKind::Signed => (signed.to_string(), "unsigned", low.to_string()),
        _ => (low.to_string(), "signed", signed.to_string()),
    };
    let mut lines = vec![format!("as `.{}` `{own}`", ty.name())];
    if signed < 0 {
        lines.push(format!("{which} `{other}`"));
    }
    let digits = bits as usize / 4;
    lines.push(format!("hexadecimal `0x{low:0digits$x}`"));
    if low <= u64::from(u16::MAX) {
        lines.push(format!("binary `{low:#b}`"));
    }
    if value != low && value != signed as u64 {
        lines.push(format!("only the low {bits} bits of `{value:#x}` are used"));
    }
    if matches!(ty.kind(), TypeKind::Bits | TypeKind::Float) {
        lines.extend(float_readings(low, bits));
    }
    lines.join(" · ")
}

/// The bits as floats of their width, where the value is plausible.
fn float_readings(bits: u64, width: u32) -> Vec<String> {
    let is_plausible = |value: f32| value.is_finite() && (1e-6..=1e9).contains(&value.abs());
    let reading = |name: &str, value: f32| {
        is_plausible(value).then(|| format!("bits of the `.{name}` `{}`", show_f32(value)))
    };
    match width {
        16 => [
            reading("f16", f32::from_bits(from_half(bits as u32))),
            reading("bf16", f32::from_bits((bits as u32) << 16)),
        ]
        .into_iter()
        .flatten()
        .collect(),
        32 => plausible_single(bits as u32)
            .map(|value| format!("bits of the `.f32` `{}`", show_f32(value)))
            .into_iter()
            .collect(),
        64 => {
            let value = f64::from_bits(bits);
            let is_plausible = (1e-6..=1e9).contains(&value.abs());
            is_plausible.then(|| format!("bits of the `.f64` `{}`", show_f64(value))).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// The value, if it is plausible for a literal: neither tiny nor huge.
fn plausible_single(bits: u32) -> Option<f32> {
    let value = f32::from_bits(bits);
    let magnitude = value.abs();
    (bits > 0xffff && (1e-6..=1e9).contains(&magnitude) && bits.trailing_zeros() >= 8).then_some(value)
}

pub fn single(bits: u32) -> String {
    let value = f32::from_bits(bits);
    format!("`{}` · as `.f32` `0f{bits:08X}` · {}", show_f32(value), class_f32(value))
}

/// The bits of a double, and its value rounded to a single.
pub fn double(bits: u64) -> String {
    let value = f64::from_bits(bits);
    let single = (value as f32).to_bits();
    let exact = f64::from(value as f32).to_bits() == bits;
    let rounding = if exact { "" } else { " (rounded)" };
    format!("`{}` · as `.f64` `0d{bits:016X}` · as `.f32` `0f{single:08X}`{rounding}", show_f64(value))
}

fn show_f32(value: f32) -> String {
    if value.is_nan() { "NaN".into() } else { format!("{value:?}") }
}

fn show_f64(value: f64) -> String {
    if value.is_nan() { "NaN".into() } else { format!("{value:?}") }
}

fn class_f32(value: f32) -> &'static str {
    match value.classify() {
        std::num::FpCategory::Nan => "not a number",
        std::num::FpCategory::Infinite => "infinite",
        std::num::FpCategory::Zero => "zero",
        std::num::FpCategory::Subnormal => "subnormal",
        std::num::FpCategory::Normal => "normal",
    }
}

pub fn parsed(text: &str) -> Option<u64> {
    let digits = text.strip_suffix('U').unwrap_or(text);
    let radix = |prefixes: [&str; 2]| prefixes.iter().find_map(|prefix| digits.strip_prefix(prefix));
    if let Some(digits) = radix(["0x", "0X"]) {
        return u64::from_str_radix(digits, 16).ok();
    }
    if let Some(digits) = radix(["0b", "0B"]) {
        return u64::from_str_radix(digits, 2).ok();
    }
    let octal = digits.len() > 1 && digits.starts_with('0');
    u64::from_str_radix(digits, if octal { 8 } else { 10 }).ok()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    fn check(actual: String, expect: Expect) {
        expect.assert_eq(&actual);
    }

    #[test]
    fn integers() {
        check(super::integer(10), expect!["decimal `10` · hexadecimal `0xa` · binary `0b1010`"]);
        check(
            super::integer(0xffff_ffff),
            expect!["decimal `4294967295` · as `.s32` `-1` · hexadecimal `0xffffffff`"],
        );
        check(
            super::integer(u64::MAX),
            expect!["decimal `18446744073709551615` · signed `-1` · hexadecimal `0xffffffffffffffff`"],
        );
        check(
            super::integer(0x3f80_0000),
            expect!["decimal `1065353216` · hexadecimal `0x3f800000` · bits of the `.f32` `1`"],
        );
    }

    #[test]
    fn integers_of_a_type() {
        use warplens_hir::ptx::Type;
        check(
            super::integer_as(u64::MAX, Type::S32),
            expect!["as `.s32` `-1` · unsigned `4294967295` · hexadecimal `0xffffffff`"],
        );
        check(
            super::integer_as(0xffff_ff00, Type::U32),
            expect!["as `.u32` `4294967040` · signed `-256` · hexadecimal `0xffffff00`"],
        );
        check(
            super::integer_as(70_000, Type::U16),
            expect![
                "as `.u16` `4464` · hexadecimal `0x1170` · binary `0b1000101110000` · only the low 16 bits of `0x11170` are used"
            ],
        );
        check(
            super::integer_as(0x3c00, Type::B16),
            expect![
                "as `.b16` `15360` · hexadecimal `0x3c00` · binary `0b11110000000000` · bits of the `.f16` `1.0` · bits of the `.bf16` `0.0078125`"
            ],
        );
        check(
            super::integer_as(0x3f80_0000, Type::B32),
            expect!["as `.b32` `1065353216` · hexadecimal `0x3f800000` · bits of the `.f32` `1.0`"],
        );
    }

    #[test]
    fn floats() {
        check(super::single(0x3f80_0000), expect!["`1.0` · as `.f32` `0f3F800000` · normal"]);
        check(super::single(0x7fc0_0000), expect!["`NaN` · as `.f32` `0f7FC00000` · not a number"]);
        check(
            super::double(0.1f64.to_bits()),
            expect!["`0.1` · as `.f64` `0d3FB999999999999A` · as `.f32` `0f3DCCCCCD` (rounded)"],
        );
    }
}
