//! The undefined bits of moved, combined, extracted and extended values.
//!
//! A structure is copied with its padding, and a ballot has one bit per lane. Instructions that only move or combine bits are
//! followed bit by bit, and arithmetic on parts of a register part by part; the result of any other instruction is undefined
//! as a whole.

use warplens_sim_cuda::registers::{PerLane, WIDTH, each, filter_lanes, lanes};
use warplens_sim_cuda::semantics::bits::{self, Logic, Permute, Shift};
use warplens_sim_cuda::slot::RegisterSlot;
use warplens_sim_warp::scalar_type::ScalarType;

use super::bit_sources::{BitSources, of_width, register, slot};
use super::undefined::UndefinedValues;
use super::undefined_use::{StatementVisit, UndefinedBits};
use super::{undefined_arithmetic, undefined_choices, undefined_products};
use crate::program::{Op, Pack, TensorOp, Width};

/// The undefined bits of each written register; `None` if any undefined bit makes the whole result undefined.
pub(super) fn result_bits(
    visit: &StatementVisit<'_>,
    undefined: &UndefinedValues,
) -> Option<Vec<(u32, UndefinedBits)>> {
    let function = visit.function;
    let sources = BitSources { visit, undefined };
    match function.code[visit.pc as usize].op {
        Op::Pack(id) => packed(&function.tables[id], &sources),
        Op::MoveEach(id) => {
            let bits = |source| UndefinedBits { bits: sources.of(source), copied: sources.copied() };
            let moved = |&(to, source)| Some((sources.written(to)?, bits(source)));
            Some(function.tables[id].iter().filter_map(moved).collect())
        }
        Op::Tensor(id) => match &function.tables[id] {
            TensorOp::Product(product) => Some(undefined_products::warpgroup_product(product, &sources)),
            _ => None,
        },
        Op::MatrixProduct(id) => undefined_products::product(&function.tables[id], &sources),
        Op::SetPredicate(..) | Op::SetPredicatePair(..) => undefined_choices::predicates(&sources),
        _ => {
            let bits = moved(&sources)
                .or_else(|| extracted(&sources))
                .or_else(|| undefined_choices::value(&sources))
                .or_else(|| undefined_arithmetic::value(&sources))?;
            let &[register] = function.writes_of(visit.pc) else { return None };
            Some(vec![(register, UndefinedBits { bits, copied: copied_bytes(&sources) })])
        }
    }
}

/// The undefined bits of a result that consists of bits of the sources, or combines them one by one.
fn moved(sources: &BitSources<'_>) -> Option<PerLane<u64>> {
    let BitSources { visit, .. } = *sources;
    let instruction = &visit.function.code[visit.pc as usize];
    let (s, registers) = (&instruction.s, visit.registers);
    Some(match instruction.op {
        Op::Logic(Logic::Copy | Logic::Not, width) => sources.of(slot(s.a, width)?),
        Op::Logic(logic @ (Logic::And | Logic::Or | Logic::Xor), width) => {
            let places = [slot(s.a, width)?, slot(s.b, width)?];
            let [values, undefined] = sources.known_and_undefined(places);
            each(|lane| {
                let [values, undefined] = [values, undefined].map(|pair| pair.map(|lanes| lanes[lane]));
                of_width(combined(logic, values, undefined), width.bits())
            })
        }
        Op::Lop3(table) => {
            let places = [s.a, s.b, s.c].map(RegisterSlot::Word);
            let [values, undefined] = sources.known_and_undefined(places);
            each(|lane| {
                let [values, undefined] =
                    [values, undefined].map(|operands| operands.map(|lanes| lanes[lane] as u32));
                let [any, all] = bits::lop3_outcomes(table, values, undefined, |_| true);
                of_width((any & !all).into(), 32)
            })
        }
        Op::Shift(shift, width) if !sources.is_undefined(RegisterSlot::Word(s.b)) => {
            let (undefined, count) = (sources.of(slot(s.a, width)?), registers.get::<u32>(s.b));
            each(|lane| of_width(shifted(shift, width, undefined[lane], count[lane]), width.bits()))
        }
        Op::Convert(id) if visit.function.tables[id].only_extends() => {
            let convert = &visit.function.tables[id];
            let place = if convert.source_bits > 32 { RegisterSlot::Double } else { RegisterSlot::Word };
            let undefined = sources.of(place(s.a));
            each(|lane| of_width(convert.extended(undefined[lane]), convert.register_bits))
        }
        _ => return None,
    })
}

/// The undefined bits of a result whose bits an operand selects by position.
fn extracted(sources: &BitSources<'_>) -> Option<PerLane<u64>> {
    let BitSources { visit, .. } = *sources;
    let instruction = &visit.function.code[visit.pc as usize];
    let (s, registers) = (&instruction.s, visit.registers);
    let word = |slot| {
        let undefined = sources.of(RegisterSlot::Word(slot));
        move |lane: usize| undefined[lane] as u32
    };
    let [a, b, c, e] = [s.a, s.b, s.c, s.e].map(word);
    Some(match instruction.op {
        Op::Funnel(shift, beyond) => {
            let count = registers.get::<u32>(s.c);
            let left = shift == Shift::Left;
            let shifted = |lane| bits::funnel(left, beyond.wraps(), a(lane), b(lane), count[lane]).into();
            selected(c, u32::MAX, Width::W32, shifted)
        }
        Op::Extend(beyond, sign) => {
            let count = registers.get::<u32>(s.b);
            let extended = |lane| bits::extend(beyond.wraps(), sign.is_signed(), a(lane), count[lane]).into();
            selected(b, u32::MAX, Width::W32, extended)
        }
        Op::ExtractField(sign, width) => {
            let (position, length, signed) =
                (registers.get::<u32>(s.b), registers.get::<u32>(s.c), sign.is_signed());
            let undefined = sources.of(register(s.a, width));
            let extracted = |lane: usize| {
                let value = undefined[lane];
                match width {
                    Width::W64 => bits::extract_field(64, signed, value, position[lane], length[lane]),
                    Width::W32 => {
                        bits::extract_field(32, signed, value as u32, position[lane], length[lane]).into()
                    }
                }
            };
            selected(|lane| b(lane) | c(lane), 0xff, width, extracted)
        }
        Op::InsertField(width) => {
            let (position, length) = (registers.get::<u32>(s.c), registers.get::<u32>(s.e));
            let (field, base) = (sources.of(register(s.a, width)), sources.of(register(s.b, width)));
            let inserted = |lane: usize| {
                bits::insert_field(width.bits(), field[lane], base[lane], position[lane], length[lane])
            };
            selected(|lane| c(lane) | e(lane), 0xff, width, inserted)
        }
        Op::Permute(mode) => {
            let selector = registers.get::<u32>(s.c);
            let used = if mode == Permute::Selectors { 0xffff } else { 3 };
            selected(c, used, Width::W32, |lane| bits::permute(mode, a(lane), b(lane), selector[lane]).into())
        }
        _ => return None,
    })
}

/// The undefined bits of a result whose bits another operand selects: all of them where used bits of that are undefined.
fn selected(
    selector: impl Fn(usize) -> u32,
    used: u32,
    width: Width,
    bits: impl Fn(usize) -> u64,
) -> PerLane<u64> {
    each(|lane| match selector(lane) & used {
        0 => of_width(bits(lane), width.bits()),
        _ => u64::MAX,
    })
}

/// The lanes in which the result consists of bytes that were loaded, and not only of undefined ones.
fn copied_bytes(sources: &BitSources<'_>) -> u32 {
    let BitSources { visit, .. } = *sources;
    let instruction = &visit.function.code[visit.pc as usize];
    let whole = |place, bits: u32| sources.wholly(place, u64::MAX >> 64u32.saturating_sub(bits).min(63));
    match instruction.op {
        Op::Logic(Logic::Copy, _) => sources.copied(),
        Op::Shift(Shift::Right, width) => {
            let count = visit.registers.get::<u32>(instruction.s.b);
            let aligned = lanes(visit.executed).all(|lane| count[lane].is_multiple_of(8));
            let Some(place) = slot(instruction.s.a, width).filter(|_| aligned) else { return 0 };
            let all = u64::MAX >> (64 - width.bits());
            let undefined = sources.of(place);
            // What the shift leaves of the value has a defined bit.
            let has_defined = |lane: usize| {
                let shift = count[lane].min(63);
                undefined[lane] >> shift & all >> shift != all >> shift
            };
            sources.copied() & filter_lanes(visit.executed, has_defined)
        }
        Op::Convert(id) => {
            let convert = &visit.function.tables[id];
            let place =
                slot(instruction.s.a, convert.from).filter(|_| convert.to.bits() <= convert.from.bits());
            place.map_or(0, |place| sources.copied() & !whole(place, convert.from.bits()))
        }
        _ => 0,
    }
}

/// The undefined bits of `and`, `or` and `xor`: a defined bit of one source hides the undefined bit of the other, unless it
/// passes it on.
fn combined(logic: Logic, values: [u64; 2], [a, b]: [u64; 2]) -> u64 {
    let [passes_b, passes_a] = match logic {
        Logic::And => values,
        Logic::Or => values.map(|value| !value),
        _ => [u64::MAX; 2],
    };
    a & (b | passes_a) | b & (a | passes_b)
}

fn shifted(shift: Shift, width: ScalarType, undefined: u64, count: u32) -> u64 {
    let width = width.bits();
    let known = u64::MAX >> (64 - width);
    let value = undefined & known;
    match shift {
        Shift::Left => value.checked_shl(count).unwrap_or(0) & known,
        Shift::Right => value.checked_shr(count).unwrap_or(0),
        Shift::ArithmeticRight => ((value << (64 - width)) as i64 >> (64 - width) >> count.min(63)) as u64,
    }
}

/// A `mov` between one register of at most 64 bits and several.
fn packed(pack: &Pack, sources: &BitSources<'_>) -> Option<Vec<(u32, UndefinedBits)>> {
    if matches!(pack.whole, RegisterSlot::Quad(_)) {
        return None;
    }
    let copied = sources.copied();
    let low = u64::MAX >> (64 - pack.bits.min(64));
    let shift = |index: usize| pack.bits * index as u32;
    let parts = pack.parts.iter().enumerate().filter_map(|(index, part)| Some((index, (*part)?)));
    if pack.unpack {
        let undefined = sources.of(pack.whole);
        let part_of = |index| each(|lane| of_width(undefined[lane] >> shift(index), pack.bits));
        let bits = |index| UndefinedBits { bits: part_of(index), copied };
        return Some(parts.filter_map(|(index, part)| Some((sources.written(part)?, bits(index)))).collect());
    }
    let register = sources.written(pack.whole)?;
    let whole = parts.clone().fold([0; WIDTH], |whole, (index, part)| {
        let undefined = sources.of(part);
        each(|lane| whole[lane] | (undefined[lane] & low) << shift(index))
    });
    let bits = whole.map(|undefined| of_width(undefined, pack.bits * pack.parts.len() as u32));
    let copied = parts.clone().fold(copied, |copied, (_, part)| copied & !sources.wholly(part, low));
    Some(vec![(register, UndefinedBits { bits, copied })])
}
