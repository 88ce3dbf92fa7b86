//! Undefined operands of comparisons and selections: a defined operand may decide the result without them.

use pulp::Scalar;
use warplens_sim_cuda::registers::{PerLane, each, filter_lanes};
use warplens_sim_cuda::semantics::compare::{Combine, Compare, compare, compare_halves};
use warplens_sim_cuda::slot::{RegisterSlot, Slot};

use super::bit_sources::{BitSources, of_width, register, slot};
use super::undefined_use::UndefinedBits;
use crate::program::{Combining, Op, Width};

/// Lanes in which a predicate holds, and in which it is undefined.
#[derive(Clone, Copy)]
struct Predicate {
    holds: u32,
    undefined: u32,
}

impl Predicate {
    fn not(self) -> Predicate {
        Predicate { holds: !self.holds, ..self }
    }

    /// The lanes in which the combination is undefined.
    fn combined(self, combine: Combine, other: Predicate) -> u32 {
        let decides = |one: Predicate| match combine {
            Combine::And => !one.undefined & !one.holds,
            Combine::Or => !one.undefined & one.holds,
            Combine::Xor => 0,
        };
        (self.undefined | other.undefined) & !decides(self) & !decides(other)
    }
}

/// The undefined results of `setp`.
pub(super) fn predicates(sources: &BitSources<'_>) -> Option<Vec<(u32, UndefinedBits)>> {
    let instruction = &sources.visit.function.code[sources.visit.pc as usize];
    let s = &instruction.s;
    let (combining, compared) = match instruction.op {
        Op::SetPredicate(cmp, combining) => {
            let compared = compared(cmp, sources)?;
            (combining, [compared, compared.not()])
        }
        Op::SetPredicatePair(cmp, combining) => {
            (combining, [0, 1].map(|half| compared_half(cmp, half, sources)))
        }
        _ => return None,
    };
    let result = |(d, compared): (Slot, Predicate)| {
        let undefined = combined(compared, combining, sources);
        let bits = whole_in(undefined);
        Some((sources.written(RegisterSlot::Predicate(d))?, UndefinedBits { bits, copied: 0 }))
    };
    Some([s.d, s.e].into_iter().zip(compared).filter_map(result).collect())
}

/// All bits in these lanes.
fn whole_in(lanes: u32) -> PerLane<u64> {
    each(|lane| if lanes >> lane & 1 == 1 { u64::MAX } else { 0 })
}

/// The undefined bits of a comparison as a number, and of a selection.
pub(super) fn value(sources: &BitSources<'_>) -> Option<PerLane<u64>> {
    let visit = sources.visit;
    let instruction = &visit.function.code[visit.pc as usize];
    let s = &instruction.s;
    let number = |slot: Slot| visit.registers.get::<u32>(slot);
    Some(match instruction.op {
        Op::Set(cmp, combining, _) => whole_in(combined(compared(cmp, sources)?, combining, sources)),
        Op::Select(width) => {
            let (chooser, holds) = (RegisterSlot::Predicate(s.c), visit.registers.predicates[s.c as usize]);
            chosen(width, sources, sources.of(chooser), |lane| holds >> lane & 1 == 1)
        }
        Op::SelectSigned(width) => {
            let sign = sources.of(RegisterSlot::Word(s.c)).map(|undefined| undefined >> 31 & 1);
            chosen(width, sources, sign, |lane| number(s.c)[lane] as i32 >= 0)
        }
        Op::SelectFloat(width, subnormals) => {
            let chooser = sources.of(RegisterSlot::Word(s.c));
            chosen(width, sources, chooser, |lane| subnormals.value(number(s.c)[lane]) >= 0.0)
        }
        _ => return None,
    })
}

/// The undefined bits of `a` or `b`, of which a chooser with these undefined bits selects one.
fn chosen(
    width: Width,
    sources: &BitSources<'_>,
    chooser: PerLane<u64>,
    is_first: impl Fn(usize) -> bool,
) -> PerLane<u64> {
    let s = &sources.visit.function.code[sources.visit.pc as usize].s;
    let places = [s.a, s.b].map(|slot| register(slot, width));
    let [values, [a, b]] = sources.known_and_undefined(places);
    each(|lane| {
        let bits = match is_first(lane) {
            _ if chooser[lane] != 0 => a[lane] | b[lane] | values[0][lane] ^ values[1][lane],
            true => a[lane],
            false => b[lane],
        };
        of_width(bits, width.bits())
    })
}

/// A comparison of two sources.
fn compared(cmp: Compare, sources: &BitSources<'_>) -> Option<Predicate> {
    let visit = sources.visit;
    let s = &visit.function.code[visit.pc as usize].s;
    let places = [slot(s.a, cmp.ty)?, slot(s.b, cmp.ty)?];
    let known = u64::MAX >> (64 - cmp.ty.bits().clamp(1, 64));
    let [a, b] = places.map(|place| sources.of(place));
    let undefined = filter_lanes(visit.executed, |lane| (a[lane] | b[lane]) & known != 0);
    Some(Predicate { holds: compare(Scalar::new(), cmp, s, visit.registers), undefined })
}

/// A comparison of the lower (0) or upper (1) halves of two sources.
fn compared_half(cmp: Compare, half: usize, sources: &BitSources<'_>) -> Predicate {
    let visit = sources.visit;
    let s = &visit.function.code[visit.pc as usize].s;
    let [a, b] = [s.a, s.b].map(|slot| sources.of(RegisterSlot::Word(slot)));
    let undefined = filter_lanes(visit.executed, |lane| (a[lane] | b[lane]) >> (16 * half) & 0xffff != 0);
    Predicate { holds: compare_halves(cmp, half, s, visit.registers), undefined }
}

/// The lanes in which a comparison is undefined once it is combined with the predicate `c`.
fn combined(compared: Predicate, combining: Combining, sources: &BitSources<'_>) -> u32 {
    let visit = sources.visit;
    let slot = visit.function.code[visit.pc as usize].s.c;
    let other = || Predicate {
        holds: visit.registers.predicates[slot as usize],
        undefined: sources.lanes_of(RegisterSlot::Predicate(slot)),
    };
    match combining {
        Combining::No => compared.undefined,
        Combining::With(combine) => compared.combined(combine, other()),
        Combining::WithNot(combine) => compared.combined(combine, other().not()),
    }
}
