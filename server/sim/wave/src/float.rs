//! The floating-point arithmetic of WAVE on bit patterns, identical on every host.
//!
//! A NaN result is the first NaN operand made quiet, or [`NAN`] if no operand is a NaN. That is the x86-64
//! behavior of the reference emulator, written out so that other hosts agree.

pub(crate) use warplens_hir::half::{from_half, to_half};
pub(crate) use warplens_hir::wave::to_brain;

/// The NaN of an invalid operation.
pub(crate) const NAN: u32 = 0xffc0_0000;

const QUIET: u32 = 0x0040_0000;

#[inline(always)]
fn is_nan(bits: u32) -> bool {
    bits & 0x7fff_ffff > 0x7f80_0000
}

/// Applies the NaN rule to the `result` of an operation on `a` and `b`.
#[inline(always)]
fn settle(result: f32, a: u32, b: u32) -> u32 {
    let nan = if is_nan(a) {
        a | QUIET
    } else if is_nan(b) {
        b | QUIET
    } else {
        NAN
    };
    if result.is_nan() { nan } else { result.to_bits() }
}

#[inline(always)]
pub(crate) fn unary(a: u32, f: impl Fn(f32) -> f32) -> u32 {
    settle(f(f32::from_bits(a)), a, a)
}

#[inline(always)]
pub(crate) fn binary(a: u32, b: u32, f: impl Fn(f32, f32) -> f32) -> u32 {
    settle(f(f32::from_bits(a), f32::from_bits(b)), a, b)
}

/// `a * b + c` with a single rounding.
#[inline(always)]
pub(crate) fn fused(a: u32, b: u32, c: u32) -> u32 {
    let result = f32::from_bits(a).mul_add(f32::from_bits(b), f32::from_bits(c));
    settle(result, if is_nan(a) { a } else { b }, c)
}

/// The smaller operand. A single NaN is ignored, and of two zeros the first one wins.
#[inline(always)]
pub(crate) fn minimum(a: u32, b: u32) -> u32 {
    pick(a, b, |x, y| y < x)
}

/// The larger operand, with the rules of [`minimum`].
#[inline(always)]
pub(crate) fn maximum(a: u32, b: u32) -> u32 {
    pick(a, b, |x, y| y > x)
}

#[inline(always)]
fn pick(a: u32, b: u32, second: impl Fn(f32, f32) -> bool) -> u32 {
    if is_nan(a) {
        if is_nan(b) { a | QUIET } else { b }
    } else if second(f32::from_bits(a), f32::from_bits(b)) {
        b
    } else {
        a
    }
}

/// Clamps `x` to the bounds. A NaN is returned unchanged, a NaN bound has no effect, and crossed bounds
/// return the upper one.
#[inline(always)]
pub(crate) fn clamp(x: u32, low: u32, high: u32) -> u32 {
    if is_nan(x) { x } else { minimum(maximum(x, low), high) }
}

/// Converts binary64 to binary32, to nearest, ties to even.
#[inline(always)]
pub(crate) fn narrow(bits: u64) -> u32 {
    let value = f64::from_bits(bits);
    if value.is_nan() {
        let sign = (bits >> 32) as u32 & 0x8000_0000;
        return sign | 0x7fc0_0000 | (bits >> 29) as u32 & 0x003f_ffff;
    }
    (value as f32).to_bits()
}

/// Converts binary32 to binary64, exactly.
#[inline(always)]
pub(crate) fn widen(bits: u32) -> u64 {
    if is_nan(bits) {
        let sign = u64::from(bits & 0x8000_0000) << 32;
        return sign | 0x7ff8 << 48 | u64::from(bits & 0x003f_ffff) << 29;
    }
    f64::from(f32::from_bits(bits)).to_bits()
}

/// Converts bfloat16 to binary32, exactly.
#[inline(always)]
pub(crate) fn from_brain(bits: u32) -> u32 {
    bits << 16
}

/// Applies `f` to both halves of each operand.
#[inline(always)]
pub(crate) fn packed(operands: [u32; 3], f: impl Fn([u32; 3]) -> u32) -> u32 {
    f(operands.map(|x| x & 0xffff)) | f(operands.map(|x| x >> 16)) << 16
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_half_survives_the_way_there_and_back() {
        for bits in 0..=0xffff_u32 {
            let quiet = if bits & 0x7fff > 0x7c00 { bits | 0x200 } else { bits };
            assert_eq!(to_half(from_half(bits)), quiet, "{bits:#x}");
        }
    }

    #[test]
    fn halves_round_to_nearest_even() {
        let of = |x: f32| to_half(x.to_bits());
        assert_eq!(of(65_504.0), 0x7bff);
        assert_eq!(of(65_519.99), 0x7bff);
        assert_eq!(of(65_520.0), 0x7c00);
        assert_eq!(of(1.0 + 1.0 / 2048.0), 0x3c00, "a tie goes to even");
        assert_eq!(of(1.0 + 3.0 / 2048.0), 0x3c02);
        assert_eq!(of(f32::from_bits(0x3300_0000)), 0, "half the smallest subnormal ties to 0");
        assert_eq!(of(f32::from_bits(0x3300_0001)), 1);
        assert_eq!(of(-0.0), 0x8000);
    }

    #[test]
    fn nan_is_quieted_or_made() {
        let add = |a, b| binary(a, b, |x, y| x + y);
        assert_eq!(add(0x7f80_0001, 0x3f80_0000), 0x7fc0_0001);
        assert_eq!(add(0x3f80_0000, 0xff80_0002), 0xffc0_0002);
        assert_eq!(add(0x7f80_0000, 0xff80_0000), NAN);
        assert_eq!(fused(0x7f80_0000, 0, 0x3f80_0000), NAN);
    }

    #[test]
    fn minimum_ignores_a_lone_nan() {
        let one = 1f32.to_bits();
        assert_eq!(minimum(NAN, one), one);
        assert_eq!(maximum(one, NAN), one);
        assert_eq!(minimum(0x8000_0000, 0), 0x8000_0000);
        assert_eq!(minimum(0, 0x8000_0000), 0);
        assert_eq!(clamp(5f32.to_bits(), 0, one), one);
        assert_eq!(clamp(0x7f80_0001, 0, one), 0x7f80_0001);
    }

    proptest! {
        #[test]
        fn rounding_to_half_is_nearest(bits in 0u32..0x477f_e000) {
            let exact = f64::from(f32::from_bits(bits));
            let chosen = to_half(bits);
            let distance = |half: u32| (f64::from(f32::from_bits(from_half(half))) - exact).abs();
            prop_assert!(distance(chosen) <= distance(chosen + 1));
            prop_assert!(chosen == 0 || distance(chosen) <= distance(chosen - 1));
        }
    }
}
