//! The bits of binary16 numbers.

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
        // The last bit of 0.5 is worth 2^-24, as that of a subnormal, so the addition rounds to it.
        (f32::from_bits(magnitude) + 0.5).to_bits() - 0x3f00_0000
    } else {
        let odd = magnitude >> 13 & 1;
        (magnitude - (112 << 23) + 0xfff + odd) >> 13
    };
    sign | rounded
}

/// binary16 to binary32, exactly; a NaN is made quiet.
#[inline(always)]
pub fn from_half(bits: u32) -> u32 {
    let sign = (bits & 0x8000) << 16;
    let exponent = bits >> 10 & 0x1f;
    let fraction = bits & 0x3ff;
    match exponent {
        0 => {
            let magnitude = fraction as f32 * f32::from_bits(0x3380_0000); // 2^-24
            sign | magnitude.to_bits()
        }
        0x1f if fraction == 0 => sign | 0x7f80_0000,
        0x1f => sign | 0x7fc0_0000 | fraction << 13,
        _ => sign | (exponent + 112) << 23 | fraction << 13,
    }
}
