//! Integer comparisons and operations on predicates.

use pulp::Scalar;
use warplens_sim_cuda::registers::{PerLane, each, lanes_where};
use warplens_sim_cuda::semantics::compare::{Combine, Comparison};

use super::lanewise::map3;
use crate::program::{CcTest, IntCompare, Op, Operation, SetTo};
use crate::registers::{CC_CARRY, CC_ZERO, NEGATE, Predicate, Registers, Source};

/// `ISETP`
#[inline(always)]
pub(super) fn compare(compare: IntCompare, o: &Operation, r: &mut Registers, mask: u32) {
    let holds = compared(compare, o, r);
    set_compared(compare.combine, holds, o, r, mask);
}

/// Combines a comparison with a predicate and writes both results.
#[inline(always)]
pub(super) fn set_compared(combine: Combine, holds: u32, o: &Operation, r: &mut Registers, mask: u32) {
    let other = r.holds(o.p[0]);
    r.set_predicate(o.q[0], mask, combine.apply(holds, other));
    r.set_predicate(o.q[1], mask, combine.apply(!holds, other));
}

/// The lanes in which a comparison holds.
#[inline(always)]
fn compared(compare: IntCompare, o: &Operation, r: &Registers) -> u32 {
    compare.relation.lanes(|cmp| {
        if compare.wide {
            let (a, b) = (r.int_64(o.s[0]), r.int_64(o.s[1]));
            return match compare.signed {
                true => lanes_where(Scalar::new(), |lane| cmp.holds(&(a[lane] as i64), &(b[lane] as i64))),
                false => lanes_where(Scalar::new(), |lane| cmp.holds(&a[lane], &b[lane])),
            };
        }
        let [a, b, _] = r.sources(&o.s);
        match (compare.extends, compare.signed) {
            (true, _) => extended(compare, cmp, a, b, r.holds(o.p[1])),
            (false, true) => simple(cmp, |lane| (a[lane] as i32, b[lane] as i32)),
            (false, false) => simple(cmp, |lane| (a[lane], b[lane])),
        }
    })
}

/// Compares integers, which are always ordered.
#[inline(always)]
fn simple<T: Ord>(cmp: Comparison, of: impl Fn(usize) -> (T, T)) -> u32 {
    macro_rules! lanes {
        ($op:tt) => {
            lanes_where(Scalar::new(), |lane| {
                let (a, b) = of(lane);
                a $op b
            })
        };
    }
    match cmp {
        Comparison::Equal => lanes!(==),
        Comparison::NotEqual => lanes!(!=),
        Comparison::Less => lanes!(<),
        Comparison::LessEqual => lanes!(<=),
        Comparison::Greater => lanes!(>),
        _ => lanes!(>=),
    }
}

/// Compares upper words, where `low` is the result for the lower words.
fn extended(compare: IntCompare, cmp: Comparison, a: &PerLane<u32>, b: &PerLane<u32>, low: u32) -> u32 {
    lanes_where(Scalar::new(), |lane| {
        let (a, b, low) = (a[lane], b[lane], low >> lane & 1 == 1);
        let less = if compare.signed { (a as i32) < b as i32 } else { a < b };
        match cmp {
            Comparison::Equal => a == b && low,
            Comparison::NotEqual => a != b || low,
            Comparison::Less | Comparison::LessEqual => less || a == b && low,
            _ => !less && a != b || a == b && low,
        }
    })
}

/// Compares upper words after a subtraction of the lower words set the condition code.
fn compared_with_cc(compare: IntCompare, o: &Operation, r: &Registers) -> u32 {
    let flag = |predicate: Predicate| r.predicates[usize::from(predicate)];
    let (carry, zero) = (flag(CC_CARRY), flag(CC_ZERO));
    let [a, b, _] = r.sources(&o.s).map(|row| *row);
    let holds = |cmp: Comparison, lane: usize| {
        let (a, b) = (a[lane], b[lane]);
        let sum = u64::from(a) + u64::from(!b) + u64::from(carry >> lane & 1);
        let difference = sum as u32;
        let zero = difference == 0 && zero >> lane & 1 == 1;
        let overflow = ((a ^ difference) & (!b ^ difference)) >> 31 == 1;
        let less = if compare.signed { (difference >> 31 == 1) != overflow } else { sum >> 32 == 0 };
        match cmp {
            Comparison::Equal => zero,
            Comparison::NotEqual => !zero,
            Comparison::Less => less,
            Comparison::LessEqual => less || zero,
            Comparison::Greater => !(less || zero),
            _ => !less,
        }
    };
    compare.relation.lanes(|cmp| lanes_where(Scalar::new(), |lane| holds(cmp, lane)))
}

/// Infrequent operations.
pub(super) fn execute(op: Op, o: &Operation, r: &mut Registers, mask: u32) -> bool {
    match op {
        Op::CompareCc(compare) => {
            set_compared(compare.combine, compared_with_cc(compare, o, r), o, r, mask);
        }
        Op::CompareTo(compare, to) => {
            let holds =
                if compare.extends { compared_with_cc(compare, o, r) } else { compared(compare, o, r) };
            set_to(to, compare.combine.apply(holds, r.holds(o.p[0])), o, r, mask);
        }
        Op::CompareSelect(compare) => {
            let holds = |c: u32| match compare.signed {
                true => compare.relation.holds(c as i32, 0),
                false => compare.relation.holds(c, 0),
            };
            map3(o, r, mask, |a, b, c| if holds(c) { a } else { b });
        }
        Op::Plop3(signs) => {
            let source = |index: usize| match signs >> index & 1 {
                1 => {
                    let row = r.row(o.s[index].row);
                    let lanes = lanes_where(Scalar::new(), |lane| row[lane] >> 31 == 1);
                    if o.s[index].sign & NEGATE != 0 || o.p[index].negated { !lanes } else { lanes }
                }
                _ => r.holds(o.p[index]),
            };
            let sources = [source(0), source(1), source(2)];
            r.set_predicate(o.q[0], mask, by_table(o.n as u8, sources));
            r.set_predicate(o.q[1], mask, by_table((o.n >> 8) as u8, sources));
        }
        Op::PredicatesTo(to) => {
            let holds = by_table(o.n as u8, o.p.map(|condition| r.holds(condition)));
            set_to(to, holds, o, r, mask);
        }
        Op::TestCc(combine) => {
            set_compared(combine, CcTest(o.n as u8).of(r), o, r, mask);
        }
        Op::FromPredicates => from_predicates(o, r, mask),
        Op::ToPredicates => to_predicates(o, r, mask),
        _ => return false,
    }
    true
}

/// Applies a truth table bit by bit.
fn by_table(table: u8, [a, b, c]: [u32; 3]) -> u32 {
    (0..8u32).filter(|index| table >> index & 1 == 1).fold(0, |lanes, index| {
        let term = |value: u32, bit: u32| if index >> bit & 1 == 1 { value } else { !value };
        lanes | term(a, 2) & term(b, 1) & term(c, 0)
    })
}

/// The truth table of `(a op1 b) op2 c`, or of `!(a op1 b) op2 c` if `negated`.
pub(crate) fn table_of(first: Combine, second: Combine, negated: bool) -> u8 {
    (0..8u32).fold(0, |table, index| {
        let [a, b, c] = [index >> 2 & 1, index >> 1 & 1, index & 1];
        let inner = first.apply(a, b) ^ u32::from(negated);
        table | ((second.apply(inner, c) & 1) as u8) << index
    })
}

/// `d` = a number in each lane in which the condition holds, otherwise 0.
pub(super) fn set_to(to: SetTo, holds: u32, o: &Operation, r: &mut Registers, mask: u32) {
    let value = match to {
        SetTo::Ones => u32::MAX,
        SetTo::One => 1f32.to_bits(),
    };
    r.set(o.d, mask, &each(|lane| if holds >> lane & 1 == 1 { value } else { 0 }));
}

fn from_predicates(o: &Operation, r: &mut Registers, mask: u32) {
    let first = o.first_predicate();
    let (a, masks) = (*r.row(o.s[0].row), *r.row(o.s[1].row));
    let predicates: [u32; 7] = std::array::from_fn(|index| r.predicates[usize::from(first) + index]);
    let value = |lane: usize| {
        let bits =
            predicates.iter().enumerate().fold(0, |bits, (index, lanes)| bits | (lanes >> lane & 1) << index);
        match o.n {
            4.. => a[lane] & !masks[lane] | bits & masks[lane],
            byte => a[lane] & !(0xff << (8 * byte)) | (bits & masks[lane] & 0xff) << (8 * byte),
        }
    };
    r.set(o.d, mask, &each(value));
}

fn to_predicates(o: &Operation, r: &mut Registers, mask: u32) {
    let first = o.first_predicate();
    let mut buffer = [0; 32];
    let a = *r.int(Source { sign: 0, ..o.s[0] }, &mut buffer);
    let masks = *r.row(o.s[1].row);
    let shift = o.predicate_shift();
    for index in 0..7u32 {
        let chosen = lanes_where(Scalar::new(), |lane| masks[lane] >> index & 1 == 1);
        let value = lanes_where(Scalar::new(), |lane| a[lane] >> (shift + index) & 1 == 1);
        r.set_predicate(first + index as u8, mask & chosen, value);
    }
}
