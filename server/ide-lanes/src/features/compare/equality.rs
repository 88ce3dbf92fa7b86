//! When two elements of a buffer are equal.

use warplens_sim_warp::ScalarType;

/// When two elements are equal: their bits are, or both are NaN, or they are floats that are close enough.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Equality {
    /// The largest difference of two floats.
    pub tolerance: f64,
    /// The largest distance of two floats, in steps from one float to the next.
    pub ulp: u64,
}

impl Equality {
    pub fn holds(self, element: ScalarType, one: u64, other: u64) -> bool {
        if one == other || element.format().is_none() {
            return one == other;
        }
        let floats = [one, other].map(|bits| element.float_of_bits(bits));
        if floats.iter().any(|value| value.is_nan()) {
            return floats.iter().all(|value| value.is_nan());
        }
        if floats.iter().any(|value| value.is_infinite()) {
            return false;
        }
        let is_near = self.tolerance > 0.0 && (floats[0] - floats[1]).abs() <= self.tolerance;
        is_near || self.ulp > 0 && rank(element, one).abs_diff(rank(element, other)) <= self.ulp
    }
}

/// The rank of a float among the floats of its type; both zeros have the same rank.
fn rank(element: ScalarType, bits: u64) -> i64 {
    let sign = 1u64 << (element.bits() - 1);
    let magnitude = (bits & (sign - 1)) as i64;
    if bits & sign == 0 { magnitude } else { -magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(rule: Equality, one: f32, other: f32) -> bool {
        rule.holds(ScalarType::F32, one.to_bits().into(), other.to_bits().into())
    }

    #[test]
    fn bits_and_nans() {
        let bits = Equality::default();
        assert!(equal(bits, 1.5, 1.5));
        assert!(!equal(bits, 0.0, -0.0));
        assert!(bits.holds(ScalarType::F32, 0x7fc0_0000, 0xffff_ffff));
        assert!(!bits.holds(ScalarType::U32, 0x7fc0_0000, 0xffff_ffff));
        assert!(!equal(bits, f32::NAN, 1.0));
        assert!(!equal(bits, 1.0, 1.000_000_1));
    }

    #[test]
    fn near_floats() {
        let near = Equality { tolerance: 0.25, ulp: 0 };
        assert!(equal(near, 1.0, 1.25) && equal(near, 0.0, -0.0));
        assert!(!equal(near, 1.0, 1.5) && !equal(near, f32::INFINITY, f32::MAX));
        let steps = Equality { tolerance: 0.0, ulp: 1 };
        assert!(equal(steps, 1.0, f32::from_bits(0x3f80_0001)) && equal(steps, 0.0, -0.0));
        assert!(!equal(steps, 1.0, f32::from_bits(0x3f80_0002)));
        assert!(equal(steps, f32::from_bits(1), 0.0) && !equal(steps, f32::from_bits(1), -f32::from_bits(1)));
        assert!(!equal(steps, f32::INFINITY, f32::MAX) && !equal(steps, f32::NAN, f32::INFINITY));
        assert!(!steps.holds(ScalarType::U32, 1, 2));
    }
}
