//! Values of literals in other notations, for hovers.

/// An integer of 64 bits in the notations that differ from each other.
pub(crate) fn integer(value: u64) -> String {
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

/// A number whose bits are read as a single only where a person would have meant one: neither tiny nor enormous.
fn plausible_single(bits: u32) -> Option<f32> {
    let value = f32::from_bits(bits);
    let magnitude = value.abs();
    (bits > 0xffff && (1e-6..=1e9).contains(&magnitude) && bits.trailing_zeros() >= 8).then_some(value)
}

/// The bits of a single.
pub(crate) fn single(bits: u32) -> String {
    let value = f32::from_bits(bits);
    format!("`{}` · as `.f32` `0f{bits:08X}` · {}", show_f32(value), class_f32(value))
}

/// The bits of a double, and what a single would make of it.
pub(crate) fn double(bits: u64) -> String {
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
    fn floats() {
        check(super::single(0x3f80_0000), expect!["`1.0` · as `.f32` `0f3F800000` · normal"]);
        check(super::single(0x7fc0_0000), expect!["`NaN` · as `.f32` `0f7FC00000` · not a number"]);
        check(
            super::double(0.1f64.to_bits()),
            expect!["`0.1` · as `.f64` `0d3FB999999999999A` · as `.f32` `0f3DCCCCCD` (rounded)"],
        );
    }
}
