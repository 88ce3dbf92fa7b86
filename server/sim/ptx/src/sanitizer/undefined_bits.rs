//! The undefined bits of moved, combined, extracted and extended values.
//!
//! A structure is copied with its padding, and a ballot has one bit per lane. Instructions that only move or combine bits are
//! followed bit by bit; the result of any other instruction is undefined as a whole.

use warplens_sim_cuda::registers::{FULL, PerLane, WIDTH, lanes};
use warplens_sim_cuda::semantics::bits::{self, Logic, Shift};
use warplens_sim_cuda::slot::{RegisterSlot, Slot};
use warplens_sim_warp::scalar_type::ScalarType;

use super::undefined::UndefinedValues;
use super::undefined_use::{StatementVisit, UndefinedBits};
use crate::engine::exec::operand::get;
use crate::program::{Op, Pack, ReadKind, Width};

/// Whether each bit of the result depends only on the same bit of the sources: a defined source may decide it even if another source is
/// undefined as a whole.
pub(crate) fn combines_bits(op: Op) -> bool {
    matches!(op, Op::Logic(Logic::And | Logic::Or | Logic::Xor, _) | Op::Lop3(_))
}

/// The undefined bits of each written register; `None` if the instruction does more than move or combine bits.
pub(crate) fn copied_bits(
    visit: &StatementVisit<'_>,
    undefined: &UndefinedValues,
) -> Option<Vec<(u32, UndefinedBits)>> {
    let function = visit.function;
    let sources = BitSources { visit, undefined };
    match function.code[visit.pc as usize].op {
        Op::Pack(id) => Some(packed(&function.tables[id], &sources)),
        Op::MoveEach(id) => {
            let bits = |source| UndefinedBits {
                bits: std::array::from_fn(|lane| sources.of(source, lane)),
                copied: sources.copied(),
            };
            let moved = |&(to, source)| Some((sources.written(to)?, bits(source)));
            Some(function.tables[id].iter().filter_map(moved).collect())
        }
        _ => {
            let bits = result_bits(visit, &sources)?;
            let &[register] = function.writes_of(visit.pc) else { return None };
            let copied = if copies_bytes(visit) { sources.copied() } else { 0 };
            Some(vec![(register, UndefinedBits { bits, copied })])
        }
    }
}

fn result_bits(visit: &StatementVisit<'_>, sources: &BitSources<'_>) -> Option<PerLane<u64>> {
    let instruction = &visit.function.code[visit.pc as usize];
    let (s, registers) = (&instruction.s, visit.registers);
    let slot = |slot: Slot, width: ScalarType| match width.bits() {
        64 => RegisterSlot::Double(slot),
        _ if width == ScalarType::Predicate => RegisterSlot::Predicate(slot),
        _ => RegisterSlot::Word(slot),
    };
    Some(match instruction.op {
        Op::Logic(Logic::Copy | Logic::Not, width) => {
            std::array::from_fn(|lane| sources.of(slot(s.a, width), lane))
        }
        Op::Logic(logic @ (Logic::And | Logic::Or | Logic::Xor), width) => {
            let places = [s.a, s.b].map(|place| slot(place, width));
            std::array::from_fn(|lane| {
                let values = places.map(|place| get(place, registers, lane) as u64);
                let [a, b] = places.map(|place| sources.of(place, lane));
                // A defined bit of one source hides the undefined bit of the other, unless it passes it on.
                let [passes_b, passes_a] = match logic {
                    Logic::And => values,
                    Logic::Or => values.map(|value| !value),
                    _ => [u64::MAX; 2],
                };
                of_width(a & (b | passes_a) | b & (a | passes_b), width)
            })
        }
        Op::Lop3(table) => {
            let places = [s.a, s.b, s.c].map(RegisterSlot::Word);
            std::array::from_fn(|lane| {
                let undefined = places.map(|place| sources.of(place, lane) as u32);
                let values = places.map(|place| get(place, registers, lane) as u32);
                of_width(table_bits(table, values, undefined).into(), ScalarType::B32)
            })
        }
        Op::Shift(shift, width) if !sources.is_undefined(RegisterSlot::Word(s.b)) => {
            let count = registers.get::<u32>(s.b);
            std::array::from_fn(|lane| shifted(shift, width, sources.of(slot(s.a, width), lane), count[lane]))
        }
        Op::ExtractField(sign, width)
            if ![s.b, s.c].into_iter().any(|slot| sources.is_undefined(RegisterSlot::Word(slot))) =>
        {
            let (position, length) = (registers.get::<u32>(s.b), registers.get::<u32>(s.c));
            let signed = sign.is_signed();
            std::array::from_fn(|lane| match width {
                Width::W64 => {
                    let value = sources.of(RegisterSlot::Double(s.a), lane);
                    bits::extract_field(64, signed, value, position[lane], length[lane])
                }
                Width::W32 => {
                    let value = sources.of(RegisterSlot::Word(s.a), lane) as u32;
                    bits::extract_field(32, signed, value, position[lane], length[lane]).into()
                }
            })
        }
        Op::Permute(mode) if !sources.is_undefined(RegisterSlot::Word(s.c)) => {
            let selector = registers.get::<u32>(s.c);
            std::array::from_fn(|lane| {
                let [a, b] = [s.a, s.b].map(|slot| sources.of(RegisterSlot::Word(slot), lane) as u32);
                bits::permute(mode, a, b, selector[lane]).into()
            })
        }
        Op::Convert(id) if visit.function.tables[id].only_extends() => {
            let convert = &visit.function.tables[id];
            let place = if convert.source_bits > 32 { RegisterSlot::Double } else { RegisterSlot::Word };
            std::array::from_fn(|lane| convert.extended(sources.of(place(s.a), lane)))
        }
        _ => return None,
    })
}

/// Whether the result consists of bytes of the sources.
fn copies_bytes(visit: &StatementVisit<'_>) -> bool {
    let instruction = &visit.function.code[visit.pc as usize];
    match instruction.op {
        Op::Logic(Logic::Copy, _) => true,
        Op::Shift(Shift::Right, _) => {
            let count = visit.registers.get::<u32>(instruction.s.b);
            lanes(visit.executed).all(|lane| count[lane].is_multiple_of(8))
        }
        Op::Convert(id) => {
            let convert = &visit.function.tables[id];
            convert.to.bits() <= convert.from.bits()
        }
        _ => false,
    }
}

struct BitSources<'v> {
    visit: &'v StatementVisit<'v>,
    undefined: &'v UndefinedValues,
}

impl BitSources<'_> {
    fn register(&self, place: RegisterSlot) -> Option<u32> {
        let function = self.visit.function;
        let mut reads = function.flow.reads_of(self.visit.pc).iter();
        let is_it = |read: &u32| function.frame.registers[*read as usize].place == place;
        reads.find_map(|read| (read.part == ReadKind::Source).then_some(read.register).filter(is_it))
    }

    fn written(&self, place: RegisterSlot) -> Option<u32> {
        let function = self.visit.function;
        let writes = function.writes_of(self.visit.pc).iter().copied();
        writes.into_iter().find(|write| function.frame.registers[*write as usize].place == place)
    }

    /// The lanes in which all sources still have the bytes that were loaded.
    fn copied(&self) -> u32 {
        let reads = self.visit.function.flow.reads_of(self.visit.pc).iter();
        let sources = reads.filter(|read| read.part == ReadKind::Source);
        sources.fold(FULL, |all, read| all & self.undefined.bits_of(read.register).copied)
    }

    fn is_undefined(&self, place: RegisterSlot) -> bool {
        (0..WIDTH).any(|lane| self.visit.executed >> lane & 1 == 1 && self.of(place, lane) != 0)
    }

    /// The undefined bits in this slot; constants have none.
    fn of(&self, place: RegisterSlot, lane: usize) -> u64 {
        self.register(place).map_or(0, |register| self.undefined.bits(register, lane))
    }
}

/// The undefined bits of a result; all 64 if all bits of its width are undefined.
fn of_width(bits: u64, width: ScalarType) -> u64 {
    let known = u64::MAX >> 64u32.saturating_sub(width.bits()).min(63);
    match bits & known {
        bits if bits == known => u64::MAX,
        bits => bits,
    }
}

/// The bits of `lop3` that depend on undefined bits.
fn table_bits(table: u8, values: [u32; 3], undefined: [u32; 3]) -> u32 {
    let (mut any, mut all) = (0, u32::MAX);
    for assignment in 0..8 {
        let word = |index: usize| {
            let (value, undefined) = (values[index], undefined[index]);
            value & !undefined | if assignment >> index & 1 == 1 { undefined } else { 0 }
        };
        let result = bits::lop3(table, word(0), word(1), word(2));
        (any, all) = (any | result, all & result);
    }
    any & !all
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

/// A `mov` between one register and several.
fn packed(pack: &Pack, sources: &BitSources<'_>) -> Vec<(u32, UndefinedBits)> {
    let copied = sources.copied();
    let low = u64::MAX >> (64 - pack.bits.min(64));
    let shift = |index: usize| (pack.bits * index as u32).min(63);
    let parts = pack.parts.iter().enumerate().filter_map(|(index, part)| Some((index, (*part)?)));
    if pack.unpack {
        let part_of = |index, lane| sources.of(pack.whole, lane) >> shift(index) & low;
        let bits = |index| UndefinedBits { bits: std::array::from_fn(|lane| part_of(index, lane)), copied };
        return parts.filter_map(|(index, part)| Some((sources.written(part)?, bits(index)))).collect();
    }
    let Some(register) = sources.written(pack.whole) else { return Vec::new() };
    let whole = |lane| {
        parts.clone().fold(0, |whole, (index, part)| whole | (sources.of(part, lane) & low) << shift(index))
    };
    vec![(register, UndefinedBits { bits: std::array::from_fn(whole), copied })]
}
