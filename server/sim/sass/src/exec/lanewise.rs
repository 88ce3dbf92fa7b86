//! Loops over the lanes of an operation.

use warplens_sim_cuda::registers::{PerLane, each};

use crate::program::{Operation, Test};
use crate::registers::Registers;

/// The predicate that tests a result.
#[inline(always)]
pub(super) fn tested(test: Test, non_zero: u32, other: u32) -> u32 {
    match test {
        Test::NonZeroOr => non_zero | other,
        Test::NonZeroAnd => non_zero & other,
        Test::Zero => !non_zero,
    }
}

/// `d = f(a)` in the lanes of `mask`.
#[inline(always)]
pub(super) fn map1(o: &Operation, r: &mut Registers, mask: u32, f: impl Fn(u32) -> u32) {
    let a = r.row(o.s[0].row);
    let values: PerLane<u32> = each(|lane| f(a[lane]));
    r.set(o.d, mask, &values);
}

/// `d = f(a, b)` in the lanes of `mask`.
#[inline(always)]
pub(super) fn map2(o: &Operation, r: &mut Registers, mask: u32, f: impl Fn(u32, u32) -> u32) {
    let [a, b, _] = r.sources(&o.s);
    let values: PerLane<u32> = each(|lane| f(a[lane], b[lane]));
    r.set(o.d, mask, &values);
}

/// `d = f(a, b, c)` in the lanes of `mask`.
#[inline(always)]
pub(super) fn map3(o: &Operation, r: &mut Registers, mask: u32, f: impl Fn(u32, u32, u32) -> u32) {
    let [a, b, c] = r.sources(&o.s);
    let values: PerLane<u32> = each(|lane| f(a[lane], b[lane], c[lane]));
    r.set(o.d, mask, &values);
}

/// `d = f(lane, [a, b, c])` in the lanes of `mask`.
#[inline(always)]
pub(super) fn map_lanes(o: &Operation, r: &mut Registers, mask: u32, f: impl Fn(usize, [u32; 3]) -> u32) {
    let [a, b, c] = r.sources(&o.s);
    let values: PerLane<u32> = each(|lane| f(lane, [a[lane], b[lane], c[lane]]));
    r.set(o.d, mask, &values);
}

/// Applies `f` to each pair of parts with this many bits.
#[inline(always)]
pub(super) fn by_parts(bits: u8, a: u32, b: u32, f: impl Fn(u32, u32) -> u32) -> u32 {
    if bits >= 32 {
        return f(a, b);
    }
    let low = (1u32 << bits) - 1;
    (0..32 / u32::from(bits)).fold(0, |all, part| {
        let shift = part * u32::from(bits);
        all | (f(a >> shift & low, b >> shift & low) & low) << shift
    })
}
