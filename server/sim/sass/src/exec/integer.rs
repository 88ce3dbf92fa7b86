//! Integer arithmetic and logic.

use pulp::Scalar;
use warplens_sim_cuda::registers::{Lanes, lanes, lanes_where};
use warplens_sim_cuda::semantics::bits;
use warplens_sim_cuda::windows;

use super::lanewise::{map1, map2, map3, tested};
use crate::program::{Accumulate, AddendPart, MinMax, Op, Operation, Test, Xmad};
use crate::registers::{CC_CARRY, CC_CARRY_2, CC_OVERFLOW, CC_SIGN, CC_ZERO, Registers, Source};

#[inline(always)]
pub(super) fn arithmetic(op: Op, o: &Operation, r: &mut Registers, mask: u32) {
    match op {
        Op::Move => map1(o, r, mask, |a| a),
        Op::Add3 => map3(o, r, mask, |a, b, c| a.wrapping_add(b).wrapping_add(c)),
        Op::MulAdd => {
            let carry = r.holds(o.p[0]);
            match o.p[0] {
                // Without a carry source, the condition is `!PT`.
                crate::registers::Condition::NEVER => {
                    map3(o, r, mask, |a, b, c| a.wrapping_mul(b).wrapping_add(c));
                }
                _ => {
                    let [a, b, c] = o.s.map(|source| *r.row(source.row));
                    let values: Lanes<u32> = std::array::from_fn(|lane| {
                        a[lane].wrapping_mul(b[lane]).wrapping_add(c[lane]).wrapping_add(carry >> lane & 1)
                    });
                    r.set(o.d, mask, &values);
                }
            }
        }
        Op::ScaledAdd => scaled_add(o, r, mask),
        Op::Select => select(o, r, mask),
        Op::AddCc(takes) => add_cc(takes, o, r, mask),
        _ => {}
    }
}

#[inline(always)]
pub(super) fn select(o: &Operation, r: &mut Registers, mask: u32) {
    let chosen = r.holds(o.p[0]);
    let [a, b, _] = o.s.map(|source| r.row(source.row));
    let values: Lanes<u32> =
        std::array::from_fn(|lane| if chosen >> lane & 1 == 1 { a[lane] } else { b[lane] });
    r.set(o.d, mask, &values);
}

/// `a << shift`, or its negation. Negating zero carries, like `!x + 1`.
fn scaled(a: u32, shift: u32, is_negated: bool) -> u64 {
    let a = a << shift;
    if is_negated { u64::from(!a) + 1 } else { u64::from(a) }
}

/// `(a << n) + b`, with the carry of the sum.
#[inline(always)]
fn scaled_add(o: &Operation, r: &mut Registers, mask: u32) {
    let shift = o.n & 31;
    let is_negated = o.s[0].negates();
    if o.q[0] == crate::registers::DROPPED && !o.s[1].negates() && !is_negated && !o.sets_cc {
        let [a, b, _] = o.s.map(|source| r.row(source.row));
        let values: Lanes<u32> = std::array::from_fn(|lane| (a[lane] << shift).wrapping_add(b[lane]));
        return r.set(o.d, mask, &values);
    }
    let a = *r.row(o.s[0].row);
    let b = terms(r, o.s[1]);
    let sums: Lanes<u64> = std::array::from_fn(|lane| scaled(a[lane], shift, is_negated) + b[lane]);
    r.set(o.d, mask, &sums.map(|sum| sum as u32));
    r.set_predicate(o.q[0], mask, lanes_where(Scalar::new(), |lane| sums[lane] >> 32 != 0));
    r.set_predicate(o.q[1], mask, 0);
}

/// The [`terms`] of a 64-bit source.
fn wide_terms(r: &Registers, source: Source) -> Lanes<u128> {
    let plain = Source { sign: source.sign & !crate::registers::NEGATE, ..source };
    let values = r.int_64(plain);
    match source.negates() {
        true => values.map(|value| u128::from(!value) + 1),
        false => values.map(u128::from),
    }
}

/// The terms of a sum for an integer source. A negated source becomes its complement plus 1, so that a carry
/// means "no borrow".
#[inline(always)]
fn terms(r: &Registers, source: Source) -> Lanes<u64> {
    let mut buffer = [0; 32];
    match source.negates() {
        true => {
            let plain = Source { sign: source.sign & !crate::registers::NEGATE, ..source };
            let values = r.int(plain, &mut buffer);
            std::array::from_fn(|lane| u64::from(!values[lane]) + 1)
        }
        false => {
            let values = r.int(source, &mut buffer);
            std::array::from_fn(|lane| u64::from(values[lane]))
        }
    }
}

/// A negated source as its complement only: in the upper word of a difference, the carry supplies the 1.
fn complements(r: &Registers, source: Source) -> Lanes<u64> {
    let plain = Source { sign: source.sign & !crate::registers::NEGATE, ..source };
    let values = terms(r, plain);
    if source.negates() { values.map(|value| u64::from(!(value as u32))) } else { values }
}

/// Sums that read or set the condition code.
#[inline(always)]
fn add_cc(takes: bool, o: &Operation, r: &mut Registers, mask: u32) {
    let source = |source| if takes { complements(r, source) } else { terms(r, source) };
    let [a, b, c] = o.s.map(source);
    let flag = |predicate: u8| r.predicates[usize::from(predicate)];
    let (carry, carry_2) = if takes { (flag(CC_CARRY), flag(CC_CARRY_2)) } else { (0, 0) };
    let carries = |lane: usize| u64::from(carry >> lane & 1) + u64::from(carry_2 >> lane & 1);
    let sums: Lanes<u64> = std::array::from_fn(|lane| a[lane] + b[lane] + c[lane] + carries(lane));
    let old_zero = if takes { flag(CC_ZERO) } else { u32::MAX };
    r.set(o.d, mask, &sums.map(|sum| sum as u32));
    if !o.sets_cc {
        return;
    }
    let zero = lanes_where(Scalar::new(), |lane| sums[lane] as u32 == 0) & old_zero;
    let overflow = lanes_where(Scalar::new(), |lane| {
        let (a, b, sum) = (a[lane] as u32, b[lane] as u32, sums[lane] as u32);
        ((a ^ sum) & (b ^ sum)) >> 31 == 1
    });
    r.set_predicate(CC_ZERO, mask, zero);
    r.set_predicate(CC_SIGN, mask, lanes_where(Scalar::new(), |lane| sums[lane] >> 31 & 1 == 1));
    r.set_predicate(CC_CARRY, mask, lanes_where(Scalar::new(), |lane| sums[lane] >> 32 >= 1));
    r.set_predicate(CC_CARRY_2, mask, lanes_where(Scalar::new(), |lane| sums[lane] >> 32 >= 2));
    r.set_predicate(CC_OVERFLOW, mask, overflow);
}

/// The lower or upper word of a product, plus the third source and the carry. Sets the condition code.
fn multiply_add_cc(high: bool, signed: bool, takes: bool, o: &Operation, r: &mut Registers, mask: u32) {
    let products = products(signed, o, r);
    let c = if takes { complements(r, o.s[2]) } else { terms(r, o.s[2]) };
    let flag = |predicate: u8| if takes { r.predicates[usize::from(predicate)] } else { 0 };
    let (carry, carry_2) = (flag(CC_CARRY), flag(CC_CARRY_2));
    let sums: Lanes<u64> = std::array::from_fn(|lane| {
        let word = (if high { products[lane] >> 32 } else { products[lane] }) as u32;
        u64::from(word) + c[lane] + u64::from(carry >> lane & 1) + u64::from(carry_2 >> lane & 1)
    });
    let zero = lanes_where(Scalar::new(), |lane| sums[lane] as u32 == 0)
        & if takes { flag(CC_ZERO) } else { u32::MAX };
    r.set(o.d, mask, &sums.map(|sum| sum as u32));
    if o.sets_cc {
        r.set_predicate(CC_ZERO, mask, zero);
        r.set_predicate(CC_SIGN, mask, lanes_where(Scalar::new(), |lane| sums[lane] >> 31 & 1 == 1));
        r.set_predicate(CC_CARRY, mask, lanes_where(Scalar::new(), |lane| sums[lane] >> 32 >= 1));
        r.set_predicate(CC_CARRY_2, mask, lanes_where(Scalar::new(), |lane| sums[lane] >> 32 >= 2));
        r.set_predicate(CC_OVERFLOW, mask, 0);
    }
}

/// Products and sums wider than a word.
#[inline(always)]
pub(super) fn wide(op: Op, o: &Operation, r: &mut Registers, mask: u32) {
    match op {
        Op::Add3Carry(takes) => {
            let [a, b, c] = o.s.map(|source| terms(r, source));
            let (p, q) = if takes { (r.holds(o.p[0]), r.holds(o.p[1])) } else { (0, 0) };
            let carries = |lane: usize| u64::from(p >> lane & 1) + u64::from(q >> lane & 1);
            let sums: Lanes<u64> = std::array::from_fn(|lane| a[lane] + b[lane] + c[lane] + carries(lane));
            r.set(o.d, mask, &sums.map(|sum| sum as u32));
            r.set_predicate(o.q[0], mask, lanes_where(Scalar::new(), |lane| sums[lane] >> 32 >= 1));
            r.set_predicate(o.q[1], mask, lanes_where(Scalar::new(), |lane| sums[lane] >> 32 >= 2));
        }
        Op::MulAddWide(signed) => {
            let sums = product_sums(signed, o, r, mask);
            r.set_64(o.d, mask, &sums);
        }
        Op::MulAddHigh(signed) => {
            let sums = product_sums(signed, o, r, mask);
            r.set(o.d, mask, &sums.map(|sum| (sum >> 32) as u32));
        }
        Op::ScaledAddCarry => {
            let shift = o.n & 31;
            let a = *r.row(o.s[0].row);
            let b = terms(r, o.s[1]);
            let carry = r.holds(o.p[0]);
            let is_negated = o.s[0].negates();
            let sums: Lanes<u64> = std::array::from_fn(|lane| {
                scaled(a[lane], shift, is_negated) + b[lane] + u64::from(carry >> lane & 1)
            });
            r.set(o.d, mask, &sums.map(|sum| sum as u32));
            r.set_predicate(o.q[0], mask, lanes_where(Scalar::new(), |lane| sums[lane] >> 32 != 0));
            r.set_predicate(o.q[1], mask, 0);
        }
        Op::ScaledAddHigh { extends, window } => scaled_add_high(extends, window, o, r, mask),
        Op::Xmad(xmad) => self::xmad(xmad, o, r, mask),
        _ => {}
    }
}

#[inline(always)]
fn products(signed: bool, o: &Operation, r: &Registers) -> Lanes<u64> {
    let (mut x, mut y) = ([0; 32], [0; 32]);
    let (a, b) = (r.int(o.s[0], &mut x), r.int(o.s[1], &mut y));
    match signed {
        true => std::array::from_fn(|lane| (i64::from(a[lane] as i32) * i64::from(b[lane] as i32)) as u64),
        false => std::array::from_fn(|lane| u64::from(a[lane]) * u64::from(b[lane])),
    }
}

/// The products plus the 64-bit addend and the carry source. Sets the predicate of the carry.
#[inline(always)]
fn product_sums(signed: bool, o: &Operation, r: &mut Registers, mask: u32) -> Lanes<u64> {
    let products = products(signed, o, r);
    let c = r.int_64(o.s[2]);
    let carry = r.holds(o.p[0]);
    let simple = o.p[0] == crate::registers::Condition::NEVER;
    let sums: Lanes<u64> = match simple {
        true => std::array::from_fn(|lane| products[lane].wrapping_add(c[lane])),
        false => std::array::from_fn(|lane| {
            products[lane].wrapping_add(c[lane]).wrapping_add(u64::from(carry >> lane & 1))
        }),
    };
    if o.q[0] != crate::registers::DROPPED {
        let c = wide_terms(r, o.s[2]);
        let carries = |lane: usize| {
            let exact = u128::from(products[lane]) + c[lane] + u128::from(!simple && carry >> lane & 1 == 1);
            exact >> 64 != 0
        };
        r.set_predicate(o.q[0], mask, lanes_where(Scalar::new(), carries));
    }
    sums
}

#[inline(always)]
fn scaled_add_high(extends: bool, window: bool, o: &Operation, r: &mut Registers, mask: u32) {
    let shift = o.n & 31;
    let low = *r.row(o.s[0].row);
    let high = *r.row(o.s[2].row);
    let b = terms(r, o.s[1]);
    let carry = r.holds(o.p[0]);
    let negated = o.s[0].negates();
    let sums: Lanes<u64> = std::array::from_fn(|lane| {
        let upper = if extends { (low[lane] as i32 >> 31) as u32 } else { high[lane] };
        let whole = u64::from(low[lane]) | u64::from(upper) << 32;
        let whole = if negated { whole.wrapping_neg() } else { whole };
        u64::from((whole << shift >> 32) as u32) + b[lane] + u64::from(carry >> lane & 1)
    });
    r.set(o.d, mask, &sums.map(|sum| sum as u32));
    if window {
        // The two windows are adjacent.
        let inside = windows::SHARED..windows::PARAM;
        let address = |lane: usize| (sums[lane] << 32) | u64::from(low[lane]);
        r.set_predicate(o.q[0], mask, lanes_where(Scalar::new(), |lane| !inside.contains(&address(lane))));
        return;
    }
    r.set_predicate(o.q[0], mask, lanes_where(Scalar::new(), |lane| sums[lane] >> 32 != 0));
    r.set_predicate(o.q[1], mask, 0);
}

#[inline(always)]
fn xmad(xmad: Xmad, o: &Operation, r: &mut Registers, mask: u32) {
    let [a, b, c] = o.s.map(|source| r.row(source.row));
    let Xmad { signed, high, shifted, merges, addend } = xmad;
    let x = halves(a, high[0], signed[0]);
    let y = halves(b, high[1], signed[1]);
    // One loop per step, so that each is vectorized.
    let mut sums: Lanes<u32> = std::array::from_fn(|lane| x[lane].wrapping_mul(y[lane]));
    if shifted {
        sums = sums.map(|product| product << 16);
    }
    let add = |values: &mut Lanes<u32>, addend: Lanes<u32>| {
        for (value, addend) in values.iter_mut().zip(addend) {
            *value = value.wrapping_add(addend);
        }
    };
    match addend {
        AddendPart::Whole => add(&mut sums, *c),
        AddendPart::Low => add(&mut sums, c.map(|c| c & 0xffff)),
        AddendPart::High => add(&mut sums, c.map(|c| c >> 16)),
        AddendPart::PlusB => add(&mut sums, std::array::from_fn(|lane| c[lane].wrapping_add(b[lane] << 16))),
        AddendPart::SignFix => {
            let fix = |sign: u32, other: u32| (sign >> 15 & u32::from(other & 0xffff != 0)) << 16;
            let value =
                |lane: usize| c[lane].wrapping_sub(fix(x[lane], b[lane])).wrapping_sub(fix(y[lane], a[lane]));
            add(&mut sums, std::array::from_fn(value));
        }
    }
    if merges {
        sums = std::array::from_fn(|lane| sums[lane] & 0xffff | b[lane] << 16);
    }
    r.set(o.d, mask, &sums);
}

/// One half of each word, extended to a word.
#[inline(always)]
fn halves(words: &Lanes<u32>, high: bool, signed: bool) -> Lanes<u32> {
    match (high, signed) {
        (false, false) => words.map(|word| word & 0xffff),
        (true, false) => words.map(|word| word >> 16),
        (false, true) => words.map(|word| word as i16 as i32 as u32),
        (true, true) => words.map(|word| (word as i32 >> 16) as u32),
    }
}

/// Bitwise operations with a truth table.
#[inline(always)]
pub(super) fn lop3(test: Test, o: &Operation, r: &mut Registers, mask: u32) {
    let other = r.holds(o.p[0]);
    let [a, b, c] = o.s.map(|source| r.row(source.row));
    let values: Lanes<u32> = match o.n as u8 {
        0xc0 => std::array::from_fn(|lane| a[lane] & b[lane]),
        0xfc => std::array::from_fn(|lane| a[lane] | b[lane]),
        0x3c => std::array::from_fn(|lane| a[lane] ^ b[lane]),
        0x96 => std::array::from_fn(|lane| a[lane] ^ b[lane] ^ c[lane]),
        table => std::array::from_fn(|lane| bits::lop3(table, a[lane], b[lane], c[lane])),
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
        Op::ShiftLeft(true) => map2(o, r, mask, |a, b| a << (b & 31)),
        Op::ShiftLeft(false) => map2(o, r, mask, shifted_left),
        Op::ShiftRight(true, true) => map2(o, r, mask, |a, b| (a as i32 >> (b & 31)) as u32),
        Op::ShiftRight(true, false) => map2(o, r, mask, shifted_right_signed),
        Op::ShiftRight(false, true) => map2(o, r, mask, |a, b| a >> (b & 31)),
        Op::ShiftRight(false, false) => map2(o, r, mask, shifted_right),
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
pub(super) fn uncommon(op: Op, o: &Operation, r: &mut Registers, mask: u32) {
    match op {
        Op::MoveWide => {
            let values = r.int_64(o.s[0]);
            r.set_64(o.d, mask, &values);
        }
        Op::MoveBytes => {
            let keep = (0..4)
                .filter(|byte| o.n >> byte & 1 == 0)
                .fold(0, |keep, byte| keep | 0xff_u32 << (8 * byte));
            let old = *r.row(o.d);
            let new = *r.row(o.s[0].row);
            r.set(o.d, mask, &std::array::from_fn(|lane| old[lane] & keep | new[lane] & !keep));
        }
        Op::SelectWide => {
            let chosen = r.holds(o.p[0]);
            let (a, b) = (r.int_64(o.s[0]), r.int_64(o.s[1]));
            let values = std::array::from_fn(|lane| if chosen >> lane & 1 == 1 { a[lane] } else { b[lane] });
            r.set_64(o.d, mask, &values);
        }
        Op::Permute(mode) => map3(o, r, mask, |a, b, c| bits::permute(mode, a, c, b)),
        Op::Add3Wide(takes) => add_wide(takes, o, r, mask),
        Op::Add3Shifted(left) => {
            let [a, b, c] = o.s.map(|source| terms(r, source));
            let value = |lane: usize| {
                let sum = (a[lane] + b[lane]) & 0x1_ffff_ffff;
                let shifted = if left { sum << 16 } else { sum >> 16 };
                (shifted as u32).wrapping_add(c[lane] as u32)
            };
            r.set(o.d, mask, &std::array::from_fn(value));
        }
        Op::AddSaturated => {
            let negative = [o.s[0].negates(), o.s[1].negates()];
            map2(o, r, mask, |a, b| {
                let term = |value: u32, negative: bool| {
                    let value = i64::from(value as i32);
                    if negative { -value } else { value }
                };
                let sum = term(a, negative[0]) + term(b, negative[1]);
                sum.clamp(i32::MIN.into(), i32::MAX.into()) as u32
            });
        }
        Op::AddParts(bits) => {
            let negative = [o.s[0].negates(), o.s[1].negates()];
            let term = |value: u32, negative: bool| if negative { value.wrapping_neg() } else { value };
            map2(o, r, mask, |a, b| {
                by_parts(bits, a, b, |a, b| term(a, negative[0]).wrapping_add(term(b, negative[1])))
            });
        }
        Op::MulHighAdd(signed, saturates) => {
            let products = products(signed, o, r);
            let c = *r.row(o.s[2].row);
            let value = |lane: usize| {
                let high = (products[lane] >> 32) as u32;
                match saturates {
                    true => (high as i32).saturating_add(c[lane] as i32) as u32,
                    false => high.wrapping_add(c[lane]),
                }
            };
            r.set(o.d, mask, &std::array::from_fn(value));
        }
        Op::PopCount => map1(o, r, mask, u32::count_ones),
        Op::Reverse => map1(o, r, mask, u32::reverse_bits),
        Op::FindHigh(signed, from_top) => {
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
        Op::MulAddCc { high, signed, takes } => multiply_add_cc(high, signed, takes, o, r, mask),
        Op::Extend(wrap, signed) => map2(o, r, mask, |a, b| bits::extend(wrap, signed, a, b)),
        Op::BitMask(wrap) => map2(o, r, mask, |a, b| bits::bit_mask(wrap, a, b)),
        Op::ExtractField(signed, reversed) => map2(o, r, mask, |a, b| {
            let a = if reversed { a.reverse_bits() } else { a };
            bits::extract_field(32, signed, a, b & 0xff, b >> 8 & 0xff)
        }),
        Op::InsertField => map3(o, r, mask, |a, b, c| bits::insert_field(32, a, c, b & 0xff, b >> 8 & 0xff)),
        Op::MinMax(kind) if kind.bits == 64 => {
            let smaller = r.holds(o.p[0]);
            let (a, b) = (r.int_64(o.s[0]), r.int_64(o.s[1]));
            let value = |lane: usize| {
                let less = if kind.signed { (a[lane] as i64) < b[lane] as i64 } else { a[lane] < b[lane] };
                if less == (smaller >> lane & 1 == 1) { a[lane] } else { b[lane] }
            };
            r.set_64(o.d, mask, &std::array::from_fn(value));
        }
        Op::MinMax(kind) => {
            let smaller = r.holds(o.p[0]);
            let [a, b, _] = o.s.map(|source| *r.row(source.row));
            let value = |lane: usize| {
                let smaller = smaller >> lane & 1 == 1;
                by_parts(kind.bits, a[lane], b[lane], |a, b| extremum(kind, smaller, a, b))
            };
            r.set(o.d, mask, &std::array::from_fn(value));
        }
        Op::MinMax3(kind) => {
            let (first, second) = (r.holds(o.p[0]), r.holds(o.p[1]));
            let [a, b, c] = o.s.map(|source| *r.row(source.row));
            let plain = MinMax { relu: false, ..kind };
            let value = |lane: usize| {
                let [first, second] = [first, second].map(|lanes| lanes >> lane & 1 == 1);
                let of = |a: u32, b: u32, smaller: bool, kind: MinMax| {
                    by_parts(kind.bits, a, b, |a, b| extremum(kind, smaller, a, b))
                };
                of(of(a[lane], b[lane], first, plain), c[lane], second, kind)
            };
            r.set(o.d, mask, &std::array::from_fn(value));
        }
        Op::AddMinMax(kind) => {
            let smaller = r.holds(o.p[0]);
            let [a, b, c] = o.s.map(|source| *r.row(source.row));
            let value = |lane: usize| {
                let smaller = smaller >> lane & 1 == 1;
                let sum = by_parts(kind.bits, a[lane], b[lane], |a, b| a.wrapping_add(b));
                by_parts(kind.bits, sum, c[lane], |a, b| extremum(kind, smaller, a, b))
            };
            r.set(o.d, mask, &std::array::from_fn(value));
        }
        Op::Dot(op, a_signed, b_signed) => {
            map3(o, r, mask, |a, b, c| bits::dot_product(op, a_signed, b_signed, a, b, c));
        }
        Op::AbsoluteDifference(signed) => map3(o, r, mask, |a, b, c| {
            let difference = match signed {
                true => (a as i32).abs_diff(b as i32),
                false => a.abs_diff(b),
            };
            difference.wrapping_add(c)
        }),
        Op::AbsoluteDifferences(signed, sum) => map3(o, r, mask, |a, b, c| {
            let byte = |word: u32, index: u32| (word >> (8 * index)) as u8;
            let difference = |index: u32| match signed {
                true => u32::from((byte(a, index) as i8).abs_diff(byte(b, index) as i8)),
                false => u32::from(byte(a, index).abs_diff(byte(b, index))),
            };
            match sum {
                true => (0..4).fold(c, |sum, index| sum.wrapping_add(difference(index))),
                false => {
                    let packed = (0..4).fold(0, |packed, index| packed | difference(index) << (8 * index));
                    by_parts(8, packed, c, |a, b| a.wrapping_add(b))
                }
            }
        }),
        Op::VideoMinMax { first_max, then, signed } => map3(o, r, mask, |a, b, c| {
            let less = |a: u32, b: u32| if signed { (a as i32) < b as i32 } else { a < b };
            let pick = |a: u32, b: u32, max: bool| if less(a, b) == max { b } else { a };
            let first = pick(a, b, first_max);
            match then {
                Accumulate::Min => pick(first, c, false),
                Accumulate::Max => pick(first, c, true),
                Accumulate::Add => first.wrapping_add(c),
            }
        }),
        _ => {}
    }
}

fn add_wide(takes: bool, o: &Operation, r: &mut Registers, mask: u32) {
    let [a, b, c] = o.s.map(|source| wide_terms(r, source));
    let (p, q) = if takes { (r.holds(o.p[0]), r.holds(o.p[1])) } else { (0, 0) };
    let mut sums = [0u128; 32];
    for lane in lanes(mask) {
        sums[lane] = a[lane] + b[lane] + c[lane] + u128::from(p >> lane & 1) + u128::from(q >> lane & 1);
    }
    r.set_64(o.d, mask, &sums.map(|sum| sum as u64));
    r.set_predicate(o.q[0], mask, lanes_where(Scalar::new(), |lane| sums[lane] >> 64 >= 1));
    r.set_predicate(o.q[1], mask, lanes_where(Scalar::new(), |lane| sums[lane] >> 64 >= 2));
}

/// Applies `f` to each pair of parts with this many bits.
#[inline(always)]
fn by_parts(bits: u8, a: u32, b: u32, f: impl Fn(u32, u32) -> u32) -> u32 {
    if bits >= 32 {
        return f(a, b);
    }
    let low = (1u32 << bits) - 1;
    (0..32 / u32::from(bits)).fold(0, |all, part| {
        let shift = part * u32::from(bits);
        all | (f(a >> shift & low, b >> shift & low) & low) << shift
    })
}

/// The minimum or maximum of two parts.
#[inline(always)]
fn extremum(kind: MinMax, smaller: bool, a: u32, b: u32) -> u32 {
    let unused = 32 - u32::from(kind.bits);
    let signed = |part: u32| (part << unused) as i32 >> unused;
    let less = if kind.signed { signed(a) < signed(b) } else { a < b };
    let value = if less == smaller { a } else { b };
    if kind.relu && signed(value) < 0 { 0 } else { value }
}
