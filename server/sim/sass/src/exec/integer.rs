//! Integer arithmetic.

use pulp::Scalar;
use warplens_sim_cuda::registers::{PerLane, each, lanes, lanes_where};
use warplens_sim_cuda::semantics::bits;
use warplens_sim_cuda::windows;

use super::lanewise::{by_parts, map_lanes, map1, map2, map3};
use crate::program::{AddendPart, Op, Operation, Xmad};
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
                _ => map_lanes(o, r, mask, |lane, [a, b, c]| {
                    a.wrapping_mul(b).wrapping_add(c).wrapping_add(carry >> lane & 1)
                }),
            }
        }
        Op::ScaledAdd => scaled_add(o, r, mask),
        Op::Select => select(o, r, mask),
        Op::AddCc { extends } => add_cc(extends, o, r, mask),
        _ => {}
    }
}

#[inline(always)]
pub(super) fn select(o: &Operation, r: &mut Registers, mask: u32) {
    let chosen = r.holds(o.p[0]);
    map_lanes(o, r, mask, |lane, [a, b, _]| if chosen >> lane & 1 == 1 { a } else { b });
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
        return map2(o, r, mask, |a, b| (a << shift).wrapping_add(b));
    }
    let a = *r.row(o.s[0].row);
    let b = terms(r, o.s[1]);
    let sums: PerLane<u64> = each(|lane| scaled(a[lane], shift, is_negated) + b[lane]);
    r.set(o.d, mask, &sums.map(|sum| sum as u32));
    r.set_predicate(o.q[0], mask, lanes_where(Scalar::new(), |lane| sums[lane] >> 32 != 0));
    r.set_predicate(o.q[1], mask, 0);
}

/// The [`terms`] of a 64-bit source.
fn wide_terms(r: &Registers, source: Source) -> PerLane<u128> {
    let values = r.int_64(source.without_negation());
    match source.negates() {
        true => values.map(|value| u128::from(!value) + 1),
        false => values.map(u128::from),
    }
}

/// The terms of a sum for an integer source. A negated source becomes its complement plus 1, so that a carry
/// means "no borrow".
#[inline(always)]
fn terms(r: &Registers, source: Source) -> PerLane<u64> {
    let mut buffer = [0; 32];
    let values = r.int(source.without_negation(), &mut buffer);
    match source.negates() {
        true => values.map(|value| u64::from(!value) + 1),
        false => values.map(u64::from),
    }
}

/// A negated source as its complement only: in the upper word of a difference, the carry supplies the 1.
fn complements(r: &Registers, source: Source) -> PerLane<u64> {
    let mut buffer = [0; 32];
    let values = r.int(source.without_negation(), &mut buffer);
    if source.negates() { values.map(|value| u64::from(!value)) } else { values.map(u64::from) }
}

/// Sums that read or set the condition code.
#[inline(always)]
fn add_cc(extends: bool, o: &Operation, r: &mut Registers, mask: u32) {
    let source = |source| if extends { complements(r, source) } else { terms(r, source) };
    let [a, b, c] = o.s.map(source);
    let sums = each(|lane| a[lane] + b[lane] + c[lane]);
    // The 1 of a negated source is added with the carry, so that its complement has the sign that counts.
    let [a, b] = [o.s[0], o.s[1]].map(|source| complements(r, source));
    let overflows = |lane: usize, sum: u32| ((a[lane] as u32 ^ sum) & (b[lane] as u32 ^ sum)) >> 31 == 1;
    set_with_cc(extends, sums, overflows, o, r, mask);
}

/// Writes sums and their flags. A sum that `extends` the sum of lower words adds its carries and is zero only if that
/// sum was.
#[inline(always)]
fn set_with_cc(
    extends: bool,
    mut sums: PerLane<u64>,
    overflows: impl Fn(usize, u32) -> bool,
    o: &Operation,
    r: &mut Registers,
    mask: u32,
) {
    let flag = |predicate: u8| r.predicates[usize::from(predicate)];
    let mut zero = u32::MAX;
    if extends {
        let (carry, carry_2) = (flag(CC_CARRY), flag(CC_CARRY_2));
        zero = flag(CC_ZERO);
        for (lane, sum) in sums.iter_mut().enumerate() {
            *sum += u64::from(carry >> lane & 1) + u64::from(carry_2 >> lane & 1);
        }
    }
    r.set(o.d, mask, &sums.map(|sum| sum as u32));
    if o.sets_cc {
        zero &= lanes_where(Scalar::new(), |lane| sums[lane] as u32 == 0);
        let overflow = lanes_where(Scalar::new(), |lane| overflows(lane, sums[lane] as u32));
        r.set_predicate(CC_ZERO, mask, zero);
        r.set_predicate(CC_SIGN, mask, lanes_where(Scalar::new(), |lane| sums[lane] >> 31 & 1 == 1));
        r.set_predicate(CC_CARRY, mask, lanes_where(Scalar::new(), |lane| sums[lane] >> 32 >= 1));
        r.set_predicate(CC_CARRY_2, mask, lanes_where(Scalar::new(), |lane| sums[lane] >> 32 >= 2));
        r.set_predicate(CC_OVERFLOW, mask, overflow);
    }
}

/// The lower or upper word of a product, plus the third source and the carry. Sets the condition code.
fn multiply_add_cc(high: bool, signed: bool, extends: bool, o: &Operation, r: &mut Registers, mask: u32) {
    let products = products(signed, o, r);
    let c = if extends { complements(r, o.s[2]) } else { terms(r, o.s[2]) };
    let sums = each(|lane| {
        let word = (if high { products[lane] >> 32 } else { products[lane] }) as u32;
        u64::from(word) + c[lane]
    });
    set_with_cc(extends, sums, |_, _| false, o, r, mask);
}

/// Products and sums wider than a word.
#[inline(always)]
pub(super) fn wide(op: Op, o: &Operation, r: &mut Registers, mask: u32) {
    match op {
        Op::Add3Carry { extends } => {
            let [a, b, c] = o.s.map(|source| terms(r, source));
            let (p, q) = if extends { (r.holds(o.p[0]), r.holds(o.p[1])) } else { (0, 0) };
            let carries = |lane: usize| u64::from(p >> lane & 1) + u64::from(q >> lane & 1);
            let sums: PerLane<u64> = each(|lane| a[lane] + b[lane] + c[lane] + carries(lane));
            r.set(o.d, mask, &sums.map(|sum| sum as u32));
            r.set_predicate(o.q[0], mask, lanes_where(Scalar::new(), |lane| sums[lane] >> 32 >= 1));
            r.set_predicate(o.q[1], mask, lanes_where(Scalar::new(), |lane| sums[lane] >> 32 >= 2));
        }
        Op::MulAddWide { signed } => {
            let sums = product_sums(signed, o, r, mask);
            r.set_64(o.d, mask, &sums);
        }
        Op::MulAddHigh { signed } => {
            let sums = product_sums(signed, o, r, mask);
            r.set(o.d, mask, &sums.map(|sum| (sum >> 32) as u32));
        }
        Op::ScaledAddCarry => {
            let shift = o.n & 31;
            let a = *r.row(o.s[0].row);
            let b = terms(r, o.s[1]);
            let carry = r.holds(o.p[0]);
            let is_negated = o.s[0].negates();
            let sums: PerLane<u64> =
                each(|lane| scaled(a[lane], shift, is_negated) + b[lane] + u64::from(carry >> lane & 1));
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
fn products(signed: bool, o: &Operation, r: &Registers) -> PerLane<u64> {
    let (mut x, mut y) = ([0; 32], [0; 32]);
    let (a, b) = (r.int(o.s[0], &mut x), r.int(o.s[1], &mut y));
    match signed {
        true => each(|lane| (i64::from(a[lane] as i32) * i64::from(b[lane] as i32)) as u64),
        false => each(|lane| u64::from(a[lane]) * u64::from(b[lane])),
    }
}

/// The products plus the 64-bit addend and the carry source. Sets the predicate of the carry.
#[inline(always)]
fn product_sums(signed: bool, o: &Operation, r: &mut Registers, mask: u32) -> PerLane<u64> {
    let products = products(signed, o, r);
    let c = r.int_64(o.s[2]);
    let carry = r.holds(o.p[0]);
    let simple = o.p[0] == crate::registers::Condition::NEVER;
    let sums: PerLane<u64> = match simple {
        true => each(|lane| products[lane].wrapping_add(c[lane])),
        false => each(|lane| products[lane].wrapping_add(c[lane]).wrapping_add(u64::from(carry >> lane & 1))),
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
    let sums: PerLane<u64> = each(|lane| {
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
    let [a, b, c] = r.sources(&o.s);
    let Xmad { signed, high, shifted, merges, addend } = xmad;
    let x = halves(a, high[0], signed[0]);
    let y = halves(b, high[1], signed[1]);
    // One loop per step, so that each is vectorized.
    let mut sums: PerLane<u32> = each(|lane| x[lane].wrapping_mul(y[lane]));
    if shifted {
        sums = sums.map(|product| product << 16);
    }
    let add = |values: &mut PerLane<u32>, addend: PerLane<u32>| {
        for (value, addend) in values.iter_mut().zip(addend) {
            *value = value.wrapping_add(addend);
        }
    };
    match addend {
        AddendPart::Whole => add(&mut sums, *c),
        AddendPart::Low => add(&mut sums, c.map(|c| c & 0xffff)),
        AddendPart::High => add(&mut sums, c.map(|c| c >> 16)),
        AddendPart::PlusB => add(&mut sums, each(|lane| c[lane].wrapping_add(b[lane] << 16))),
        AddendPart::SignFix => {
            let fix = |sign: u32, other: u32| (sign >> 15 & u32::from(other & 0xffff != 0)) << 16;
            let value =
                |lane: usize| c[lane].wrapping_sub(fix(x[lane], b[lane])).wrapping_sub(fix(y[lane], a[lane]));
            add(&mut sums, each(value));
        }
    }
    if merges {
        sums = each(|lane| sums[lane] & 0xffff | b[lane] << 16);
    }
    r.set(o.d, mask, &sums);
}

/// One half of each word, extended to a word.
#[inline(always)]
fn halves(words: &PerLane<u32>, high: bool, signed: bool) -> PerLane<u32> {
    match (high, signed) {
        (false, false) => words.map(|word| word & 0xffff),
        (true, false) => words.map(|word| word >> 16),
        (false, true) => words.map(|word| word as i16 as i32 as u32),
        (true, true) => words.map(|word| (word as i32 >> 16) as u32),
    }
}

/// Infrequent operations.
pub(super) fn uncommon(op: Op, o: &Operation, r: &mut Registers, mask: u32) -> bool {
    match op {
        Op::MoveWide => {
            let values = r.int_64(o.s[0]);
            r.set_64(o.d, mask, &values);
        }
        Op::SelectWide => {
            let chosen = r.holds(o.p[0]);
            let (a, b) = (r.int_64(o.s[0]), r.int_64(o.s[1]));
            let values = each(|lane| if chosen >> lane & 1 == 1 { a[lane] } else { b[lane] });
            r.set_64(o.d, mask, &values);
        }
        Op::Add3Wide { extends } => add_wide(extends, o, r, mask),
        Op::Add3Shifted { left } => {
            let [a, b, c] = o.s.map(|source| terms(r, source));
            let value = |lane: usize| {
                let sum = (a[lane] + b[lane]) & 0x1_ffff_ffff;
                let shifted = if left { sum << 16 } else { sum >> 16 };
                (shifted as u32).wrapping_add(c[lane] as u32)
            };
            r.set(o.d, mask, &each(value));
        }
        Op::AddSaturated => add_saturated(o, r, mask),
        Op::AddParts(bits) => {
            let negative = [o.s[0].negates(), o.s[1].negates()];
            let term = |value: u32, negative: bool| if negative { value.wrapping_neg() } else { value };
            map2(o, r, mask, |a, b| {
                by_parts(bits, a, b, |a, b| term(a, negative[0]).wrapping_add(term(b, negative[1])))
            });
        }
        Op::MulHighAdd { signed, saturate } => {
            let products = products(signed, o, r);
            let c = *r.row(o.s[2].row);
            let value = |lane: usize| {
                let high = (products[lane] >> 32) as u32;
                match saturate {
                    true => (high as i32).saturating_add(c[lane] as i32) as u32,
                    false => high.wrapping_add(c[lane]),
                }
            };
            r.set(o.d, mask, &each(value));
        }
        Op::MulAddCc { high, signed, extends } => multiply_add_cc(high, signed, extends, o, r, mask),
        Op::Dot { product, signed: [a_signed, b_signed] } => {
            map3(o, r, mask, |a, b, c| bits::dot_product(product, a_signed, b_signed, a, b, c));
        }
        Op::AbsoluteDifference { signed } => map3(o, r, mask, |a, b, c| {
            let difference = match signed {
                true => (a as i32).abs_diff(b as i32),
                false => a.abs_diff(b),
            };
            difference.wrapping_add(c)
        }),
        Op::AbsoluteDifferences { signed, summed } => absolute_differences(signed, summed, o, r, mask),
        _ => return false,
    }
    true
}

fn add_wide(extends: bool, o: &Operation, r: &mut Registers, mask: u32) {
    let [a, b, c] = o.s.map(|source| wide_terms(r, source));
    let (p, q) = if extends { (r.holds(o.p[0]), r.holds(o.p[1])) } else { (0, 0) };
    let mut sums = [0u128; 32];
    for lane in lanes(mask) {
        sums[lane] = a[lane] + b[lane] + c[lane] + u128::from(p >> lane & 1) + u128::from(q >> lane & 1);
    }
    r.set_64(o.d, mask, &sums.map(|sum| sum as u64));
    r.set_predicate(o.q[0], mask, lanes_where(Scalar::new(), |lane| sums[lane] >> 64 >= 1));
    r.set_predicate(o.q[1], mask, lanes_where(Scalar::new(), |lane| sums[lane] >> 64 >= 2));
}

/// `a + b`, clamped to a signed word.
fn add_saturated(o: &Operation, r: &mut Registers, mask: u32) {
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

/// `VABSDIFF4`
fn absolute_differences(signed: bool, summed: bool, o: &Operation, r: &mut Registers, mask: u32) {
    map3(o, r, mask, |a, b, c| {
        let byte = |word: u32, index: u32| (word >> (8 * index)) as u8;
        let difference = |index: u32| match signed {
            true => u32::from((byte(a, index) as i8).abs_diff(byte(b, index) as i8)),
            false => u32::from(byte(a, index).abs_diff(byte(b, index))),
        };
        match summed {
            true => (0..4).fold(c, |sum, index| sum.wrapping_add(difference(index))),
            false => {
                let packed = (0..4).fold(0, |packed, index| packed | difference(index) << (8 * index));
                by_parts(8, packed, c, |a, b| a.wrapping_add(b))
            }
        }
    });
}
