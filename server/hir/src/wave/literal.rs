//! The bits of float literals.

/// The 32-bit encoding of a number as an operand of this type.
pub fn literal(number: f64, ty: &str) -> u32 {
    let single = (number as f32).to_bits();
    match ty.strip_prefix("2 x ") {
        Some("f16") => to_half(single) * 0x1_0001,
        Some("bf16") => to_brain(single) * 0x1_0001,
        _ if ty.starts_with("f16") => to_half(single),
        _ if ty.starts_with("bf16") => to_brain(single),
        _ => single,
    }
}

/// binary32 to binary16, to nearest, ties to even; the upper half is 0.
#[inline(always)]
pub fn to_half(bits: u32) -> u32 {
    let sign = bits >> 16 & 0x8000;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | 0x7e00 | magnitude >> 13 & 0x3ff;
    }
    if magnitude >= 0x4780_0000 {
        return sign | 0x7c00;
    }
    let rounded = if magnitude < 0x3880_0000 {
        // Adding 0.5 leaves the subnormal's steps of 2^-24 in the low bits, rounded by the addition itself.
        (f32::from_bits(magnitude) + 0.5).to_bits() - 0x3f00_0000
    } else {
        let odd = magnitude >> 13 & 1;
        (magnitude - (112 << 23) + 0xfff + odd) >> 13
    };
    sign | rounded
}

/// binary32 to bfloat16, truncated; the upper half is 0.
#[inline(always)]
pub fn to_brain(bits: u32) -> u32 {
    bits >> 16
}
