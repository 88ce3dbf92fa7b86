//! Minima and maxima of integers.

use pulp::Scalar;
use warplens_sim_cuda::registers::{Lanes, lanes_where};

use super::lanewise::{by_parts, map3};
use crate::program::{Accumulate, MinMax, Op, Operation};
use crate::registers::{CC_SIGN, CC_ZERO, Predicate, Registers};

pub(super) fn execute(op: Op, o: &Operation, r: &mut Registers, mask: u32) {
    match op {
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
        Op::MinMaxHigh { signed } => {
            let smaller = r.holds(o.p[0]);
            let [a, b, _] = o.s.map(|source| *r.row(source.row));
            let less = lanes_where(Scalar::new(), |lane| match signed {
                true => (a[lane] as i32) < b[lane] as i32,
                false => a[lane] < b[lane],
            });
            choose(o, r, mask, !(less ^ smaller), (&a, &b));
            r.set_predicate(CC_ZERO, mask, lanes_where(Scalar::new(), |lane| a[lane] == b[lane]));
            r.set_predicate(CC_SIGN, mask, less);
        }
        Op::MinMaxLow => {
            let smaller = r.holds(o.p[0]);
            let [a, b, _] = o.s.map(|source| *r.row(source.row));
            let flag = |predicate: Predicate| r.predicates[usize::from(predicate)];
            let (equal, less) = (flag(CC_ZERO), flag(CC_SIGN));
            let low_less = lanes_where(Scalar::new(), |lane| a[lane] < b[lane]);
            let less = equal & low_less | !equal & less;
            choose(o, r, mask, !(less ^ smaller), (&a, &b));
        }
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

/// `d = a` in the chosen lanes, otherwise `d = b`.
fn choose(o: &Operation, r: &mut Registers, mask: u32, chosen: u32, (a, b): (&Lanes<u32>, &Lanes<u32>)) {
    let values = std::array::from_fn(|lane| if chosen >> lane & 1 == 1 { a[lane] } else { b[lane] });
    r.set(o.d, mask, &values);
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
