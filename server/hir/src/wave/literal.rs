//! The bits of float literals.

use crate::half::to_half;

/// The 32-bit encoding of a number as an operand of this type.
pub fn literal(number: f64, ty: &str) -> u32 {
    let single = (number as f32).to_bits();
    let (element, halves) = match ty.strip_prefix("2 x ").or_else(|| ty.strip_suffix("x2")) {
        Some(element) => (element, 0x1_0001),
        None => (ty, 1),
    };
    match element {
        _ if element.starts_with("f16") => to_half(single) * halves,
        _ if element.starts_with("bf16") => to_brain(single) * halves,
        _ => single,
    }
}

/// binary32 to bfloat16, truncated; the upper half is 0.
#[inline(always)]
pub fn to_brain(bits: u32) -> u32 {
    bits >> 16
}
