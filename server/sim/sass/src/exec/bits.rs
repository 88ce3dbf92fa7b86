//! Logic, shifts, bit fields and permutations.

use pulp::Scalar;
use warplens_sim_cuda::registers::{PerLane, each, lanes_where};
use warplens_sim_cuda::semantics::bits;

use super::lanewise::{map1, map2, map3, tested};
use crate::program::{Op, Operation, Test};
use crate::registers::Registers;

/// Bitwise operations with a truth table.
#[inline(always)]
pub(super) fn lop3(test: Test, o: &Operation, r: &mut Registers, mask: u32) {
    let other = r.holds(o.p[0]);
    let [a, b, c] = r.sources(&o.s);
    let values: PerLane<u32> = match o.n as u8 {
        0xc0 => each(|lane| a[lane] & b[lane]),
        0xfc => each(|lane| a[lane] | b[lane]),
        0x3c => each(|lane| a[lane] ^ b[lane]),
        0x96 => each(|lane| a[lane] ^ b[lane] ^ c[lane]),
        table => each(|lane| bits::lop3(table, a[lane], b[lane], c[lane])),
    };
    r.set(o.d, mask, &values);
    if o.q[0] != crate::registers::DROPPED {
        let non_zero = lanes_where(Scalar::new(), |lane| values[lane] != 0);
        r.set_predicate(o.q[0], mask, tested(test, non_zero, other));
    }
}

/// A shift that does not wrap: shifting by more than 31 leaves 0.
#[inline(always)]
pub(super) fn shifted_left(a: u32, by: u32) -> u32 {
    if by > 31 { 0 } else { a << (by & 31) }
}

/// Like [`shifted_left`], to the right.
#[inline(always)]
pub(super) fn shifted_right(a: u32, by: u32) -> u32 {
    if by > 31 { 0 } else { a >> (by & 31) }
}

/// Like [`shifted_right`], keeping the sign.
#[inline(always)]
pub(super) fn shifted_right_signed(a: u32, by: u32) -> u32 {
    (a as i32 >> by.min(31)) as u32
}

#[inline(always)]
pub(super) fn shift(op: Op, o: &Operation, r: &mut Registers, mask: u32) {
    match op {
        Op::ShiftLeft { wrap: true } => map2(o, r, mask, |a, b| a << (b & 31)),
        Op::ShiftLeft { wrap: false } => map2(o, r, mask, shifted_left),
        Op::ShiftRight { signed: true, wrap: true } => map2(o, r, mask, |a, b| (a as i32 >> (b & 31)) as u32),
        Op::ShiftRight { signed: true, wrap: false } => map2(o, r, mask, shifted_right_signed),
        Op::ShiftRight { signed: false, wrap: true } => map2(o, r, mask, |a, b| a >> (b & 31)),
        Op::ShiftRight { signed: false, wrap: false } => map2(o, r, mask, shifted_right),
        Op::Funnel { left, wrap, wide, signed, high } => {
            let most = if wide { 64 } else { 32 };
            let shifted = |low: u32, by: u32, up: u32| {
                let value = u64::from(low) | u64::from(up) << 32;
                let by = if wrap { by & (most - 1) } else { by.min(most) };
                let (inside, beyond) = (by & 63, by > 63);
                let value = match (left, signed) {
                    (true, _) if beyond => 0,
                    (true, _) => value << inside,
                    (false, true) => (value as i64 >> by.min(63)) as u64,
                    (false, false) if beyond => 0,
                    (false, false) => value >> inside,
                };
                if high { (value >> 32) as u32 } else { value as u32 }
            };
            map3(o, r, mask, shifted);
        }
        _ => {}
    }
}

/// Infrequent operations.
pub(super) fn uncommon(op: Op, o: &Operation, r: &mut Registers, mask: u32) -> bool {
    match op {
        Op::MoveBytes => {
            let keep = (0..4)
                .filter(|byte| o.n >> byte & 1 == 0)
                .fold(0, |keep, byte| keep | 0xff_u32 << (8 * byte));
            let old = *r.row(o.d);
            let new = *r.row(o.s[0].row);
            r.set(o.d, mask, &each(|lane| old[lane] & keep | new[lane] & !keep));
        }
        Op::Permute(mode) => map3(o, r, mask, |a, b, c| bits::permute(mode, a, c, b)),
        Op::PopCount => map1(o, r, mask, u32::count_ones),
        Op::Reverse => map1(o, r, mask, u32::reverse_bits),
        Op::FindHigh { signed, from_top } => {
            let find = |a: u32| {
                let a = if signed && (a as i32) < 0 { !a } else { a };
                match (31u32.wrapping_sub(a.leading_zeros()), from_top) {
                    (u32::MAX, _) => u32::MAX,
                    (bit, true) => 31 - bit,
                    (bit, false) => bit,
                }
            };
            map1(o, r, mask, find);
            let a = *r.row(o.s[0].row);
            r.set_predicate(o.q[0], mask, lanes_where(Scalar::new(), |lane| find(a[lane]) == u32::MAX));
        }
        Op::Extend { wrap, signed } => map2(o, r, mask, |a, b| bits::extend(wrap, signed, a, b)),
        Op::BitMask { wrap } => map2(o, r, mask, |a, b| bits::bit_mask(wrap, a, b)),
        Op::ExtractField { signed, reversed } => map2(o, r, mask, |a, b| {
            let a = if reversed { a.reverse_bits() } else { a };
            bits::extract_field(32, signed, a, b & 0xff, b >> 8 & 0xff)
        }),
        Op::InsertField => map3(o, r, mask, |a, b, c| bits::insert_field(32, a, c, b & 0xff, b >> 8 & 0xff)),
        _ => return false,
    }
    true
}
