//! Minima and maxima of integers.

use pulp::Scalar;
use warplens_sim_cuda::registers::{PerLane, each, lanes_where};

use super::lanewise::{by_parts, map_lanes, map3};
use crate::program::{Accumulate, MinMax, Op, Operation};
use crate::registers::{CC_SIGN, CC_ZERO, Predicate, Registers};

pub(super) fn execute(op: Op, o: &Operation, r: &mut Registers, mask: u32) -> bool {
    match op {
        Op::MinMax(kind) if kind.bits == 64 => {
            let smaller = r.holds(o.p[0]);
            let (a, b) = (r.int_64(o.s[0]), r.int_64(o.s[1]));
            let value = |lane: usize| {
                let less = if kind.signed { (a[lane] as i64) < b[lane] as i64 } else { a[lane] < b[lane] };
                if less == (smaller >> lane & 1 == 1) { a[lane] } else { b[lane] }
            };
            r.set_64(o.d, mask, &each(value));
        }
        Op::MinMax(kind) => {
            let smaller = r.holds(o.p[0]);
            map_lanes(o, r, mask, |lane, [a, b, _]| extremum(kind, smaller >> lane & 1 == 1, a, b));
        }
        Op::MinMax3(kind) => {
            let (first, second) = (r.holds(o.p[0]), r.holds(o.p[1]));
            map_lanes(o, r, mask, |lane, [a, b, c]| {
                let inner = extremum(MinMax { relu: false, ..kind }, first >> lane & 1 == 1, a, b);
                extremum(kind, second >> lane & 1 == 1, inner, c)
            });
        }
        Op::AddMinMax(kind) => {
            let smaller = r.holds(o.p[0]);
            map_lanes(o, r, mask, |lane, [a, b, c]| {
                let sum = by_parts(kind.bits, a, b, u32::wrapping_add);
                extremum(kind, smaller >> lane & 1 == 1, sum, c)
            });
        }
        Op::MinMaxHigh { signed } => {
            let smaller = r.holds(o.p[0]);
            let [a, b, _] = r.sources(&o.s).map(|row| *row);
            let less = lanes_where(Scalar::new(), |lane| is_less(signed, a[lane], b[lane]));
            choose(o, r, mask, !(less ^ smaller), (&a, &b));
            r.set_predicate(CC_ZERO, mask, lanes_where(Scalar::new(), |lane| a[lane] == b[lane]));
            r.set_predicate(CC_SIGN, mask, less);
        }
        Op::MinMaxLow => {
            let smaller = r.holds(o.p[0]);
            let [a, b, _] = r.sources(&o.s).map(|row| *row);
            let flag = |predicate: Predicate| r.predicates[usize::from(predicate)];
            let (equal, less) = (flag(CC_ZERO), flag(CC_SIGN));
            let low_less = lanes_where(Scalar::new(), |lane| a[lane] < b[lane]);
            let less = equal & low_less | !equal & less;
            choose(o, r, mask, !(less ^ smaller), (&a, &b));
        }
        Op::VideoMinMax { first_max, then, signed } => {
            let pick = |a, b, max: bool| if is_less(signed, a, b) == max { b } else { a };
            map3(o, r, mask, |a, b, c| match (pick(a, b, first_max), then) {
                (first, Accumulate::Min) => pick(first, c, false),
                (first, Accumulate::Max) => pick(first, c, true),
                (first, Accumulate::Add) => first.wrapping_add(c),
            });
        }
        _ => return false,
    }
    true
}

#[inline(always)]
fn is_less(signed: bool, a: u32, b: u32) -> bool {
    if signed { (a as i32) < b as i32 } else { a < b }
}

/// `d = a` in the chosen lanes, otherwise `d = b`.
fn choose(o: &Operation, r: &mut Registers, mask: u32, chosen: u32, (a, b): (&PerLane<u32>, &PerLane<u32>)) {
    let values = each(|lane| if chosen >> lane & 1 == 1 { a[lane] } else { b[lane] });
    r.set(o.d, mask, &values);
}

/// The minimum or maximum of two words, part by part.
#[inline(always)]
fn extremum(kind: MinMax, smaller: bool, a: u32, b: u32) -> u32 {
    let unused = 32 - u32::from(kind.bits);
    let signed = |part: u32| (part << unused) as i32 >> unused;
    by_parts(kind.bits, a, b, |a, b| {
        let less = if kind.signed { signed(a) < signed(b) } else { a < b };
        let value = if less == smaller { a } else { b };
        if kind.relu && signed(value) < 0 { 0 } else { value }
    })
}
