//! Undefined operands of comparisons and selections: a defined operand may decide the result without them.

use pulp::Scalar;
use warplens_sim_cuda::registers::{PerLane, filter_lanes};
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
        let bits = std::array::from_fn(|lane| if undefined >> lane & 1 == 1 { u64::MAX } else { 0 });
        Some((sources.written(RegisterSlot::Predicate(d))?, UndefinedBits { bits, copied: 0 }))
    };
    Some([s.d, s.e].into_iter().zip(compared).filter_map(result).collect())
}

/// The undefined bits of a comparison as a number, and of a selection.
pub(super) fn value(sources: &BitSources<'_>) -> Option<PerLane<u64>> {
    let visit = sources.visit;
    let instruction = &visit.function.code[visit.pc as usize];
    let s = &instruction.s;
    let number = |slot: Slot| visit.registers.get::<u32>(slot);
    Some(match instruction.op {
        Op::Set(cmp, combining, _) => {
            let undefined = combined(compared(cmp, sources)?, combining, sources);
            std::array::from_fn(|lane| if undefined >> lane & 1 == 1 { u64::MAX } else { 0 })
        }
        Op::Select(width) => {
            let chooser = RegisterSlot::Predicate(s.c);
            let is_first = |lane| (sources.of(chooser, lane) == 0).then(|| sources.value(chooser, lane) == 1);
            chosen(width, sources, is_first)
        }
        Op::SelectSigned(width) => {
            let sign = |lane| sources.of(RegisterSlot::Word(s.c), lane) >> 31 & 1;
            chosen(width, sources, |lane| (sign(lane) == 0).then(|| number(s.c)[lane] as i32 >= 0))
        }
        Op::SelectFloat(width, subnormals) => {
            let is_defined = |lane| sources.of(RegisterSlot::Word(s.c), lane) == 0;
            chosen(width, sources, |lane| {
                is_defined(lane).then(|| subnormals.value(number(s.c)[lane]) >= 0.0)
            })
        }
        _ => return None,
    })
}

/// The undefined bits of `a` or `b`; `is_first` is unknown where the choice is undefined.
fn chosen(width: Width, sources: &BitSources<'_>, is_first: impl Fn(usize) -> Option<bool>) -> PerLane<u64> {
    let s = &sources.visit.function.code[sources.visit.pc as usize].s;
    let places = [s.a, s.b].map(|slot| register(slot, width));
    std::array::from_fn(|lane| {
        let [a, b] = places.map(|place| sources.of(place, lane));
        let bits = match is_first(lane) {
            Some(true) => a,
            Some(false) => b,
            None => a | b | sources.value(places[0], lane) ^ sources.value(places[1], lane),
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
    let is_undefined = |lane| places.iter().any(|place| sources.of(*place, lane) & known != 0);
    let undefined = filter_lanes(visit.executed, is_undefined);
    Some(Predicate { holds: compare(Scalar::new(), cmp, s, visit.registers), undefined })
}

/// A comparison of the lower (0) or upper (1) halves of two sources.
fn compared_half(cmp: Compare, half: usize, sources: &BitSources<'_>) -> Predicate {
    let visit = sources.visit;
    let s = &visit.function.code[visit.pc as usize].s;
    let part = |slot, lane| sources.of(RegisterSlot::Word(slot), lane) >> (16 * half) & 0xffff;
    let undefined = filter_lanes(visit.executed, |lane| part(s.a, lane) | part(s.b, lane) != 0);
    Predicate { holds: compare_halves(cmp, half, s, visit.registers), undefined }
}

/// The lanes in which a comparison is undefined once it is combined with the predicate `c`.
fn combined(compared: Predicate, combining: Combining, sources: &BitSources<'_>) -> u32 {
    let visit = sources.visit;
    let slot = visit.function.code[visit.pc as usize].s.c;
    let other = || Predicate {
        holds: visit.registers.predicates[slot as usize],
        undefined: filter_lanes(visit.executed, |lane| sources.of(RegisterSlot::Predicate(slot), lane) != 0),
    };
    match combining {
        Combining::No => compared.undefined,
        Combining::With(combine) => compared.combined(combine, other()),
        Combining::WithNot(combine) => compared.combined(combine, other().not()),
    }
}
