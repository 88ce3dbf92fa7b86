//! Registers under other names, throughout an item: a predicate for `p0`, whose guard the toolchain ignores, and registers below
//! `r32` for those above.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;
use text_size::TextRange;
use warplens_hir::wave::{Cell, Code, Liveness, Name, NameRef, Role, Spares, Value};

use crate::dialect::{Edits, LAST_PREDICATE, REGISTERS, is_closed};

/// In longer kernels registers do not share a name: to find out which could takes too long.
const MOST_INSTRUCTIONS: usize = 20_000;

/// The edits that keep guards off `p0` and registers below `r32`, as far as there are others.
pub(super) fn in_reach(code: &Code) -> Edits {
    let mut edits = if has_p0_guard(code) { other_guard(code).map(|(_, edits)| edits) } else { None };
    let registers = Registers::of(code).map(Registers::all_in_reach);
    edits
        .get_or_insert_default()
        .extend(registers.unwrap_or_else(|| fewer_registers(code).into_iter().collect()));
    edits.unwrap_or_default()
}

/// As many registers as the toolchain has, for a kernel that asks for more and names none of those.
pub(crate) fn fewer_registers(code: &Code) -> Option<(TextRange, String)> {
    let asked = code.resources.registers.filter(|asked| asked.value > u32::from(REGISTERS))?;
    let is_high = |name: &NameRef| matches!(name.name, Name::Register(index) if index >= REGISTERS);
    (is_closed(code) && !code.names.iter().any(is_high))
        .then(|| (asked.range, format!(".registers {REGISTERS}")))
}

fn has_p0_guard(code: &Code) -> bool {
    code.instructions.iter().filter_map(|it| it.guard).any(|guard| guard.predicate == 0 && !guard.negated)
}

/// The edits that call `p0` otherwise in the whole item, and what it is called then.
pub(crate) fn other_guard(code: &Code) -> Option<(u8, Edits)> {
    let spares = is_closed(code).then(|| Spares::new(code))?;
    let other = (1..=LAST_PREDICATE).find(|index| spares.never_named(Cell::Predicate(*index)))?;
    let occurrences = code.occurrences(&Name::Predicate(0));
    Some((other, occurrences.map(|it| (it.range, format!("p{other}"))).collect()))
}

/// The edits that call a high register otherwise in the whole item, and what it is called then.
pub(crate) fn other_register(code: &Code, range: TextRange) -> Option<(u8, Edits)> {
    let Name::Register(high) = code.names.iter().find(|name| name.range.start() == range.start())?.name
    else {
        return None;
    };
    let mut registers = Registers::of(code)?;
    registers.settle(high)?;
    let other = *registers.names.get(&high)?;
    Some((other, registers.edits()))
}

/// The general registers of an item, and other names for some.
struct Registers<'c> {
    code: &'c Code,
    live: OnceCell<Liveness>,
    /// Registers that stay together since an instruction reads or writes them as one value: the first of them, and how many.
    rows: Vec<(u8, u8)>,
    names: FxHashMap<u8, u8>,
}

impl<'c> Registers<'c> {
    fn of(code: &'c Code) -> Option<Registers<'c>> {
        let operands = || code.instructions.iter().flat_map(|it| &it.operands);
        let has_high = operands()
            .any(|it| matches!(it.value, Value::Register { index, .. } if index.saturating_add(it.registers - 1) >= REGISTERS));
        if !has_high || !is_closed(code) || code.instructions.iter().any(|it| !it.complete) {
            return None;
        }
        let mut rows: Vec<(u8, u8)> = Vec::new();
        let mut named: Vec<(u8, u8)> = operands()
            .filter_map(|it| match it.value {
                Value::Register { index, .. } => Some((index, index.saturating_add(it.registers))),
                _ => None,
            })
            .collect();
        named.sort_unstable();
        for (first, end) in named {
            match rows.last_mut() {
                Some((_, last)) if first < *last => *last = end.max(*last),
                _ => rows.push((first, end)),
            }
        }
        Some(Registers { code, live: OnceCell::new(), rows, names: FxHashMap::default() })
    }

    /// The edits that bring as many registers in reach as there is room for, and ask for no more than there are.
    fn all_in_reach(mut self) -> Edits {
        let high: Vec<u8> =
            self.rows.iter().filter(|(_, end)| *end > REGISTERS).map(|(first, _)| *first).collect();
        let settled = high.iter().filter(|first| self.settle(**first).is_some()).count();
        let mut edits = self.edits();
        if let Some(registers) = self.code.resources.registers
            && settled == high.len()
            && registers.value > u32::from(REGISTERS)
        {
            edits.push((registers.range, format!(".registers {REGISTERS}")));
        }
        edits
    }

    /// Finds other names for the row that a register belongs to.
    fn settle(&mut self, register: u8) -> Option<()> {
        let (first, end) = *self.rows.iter().find(|(first, end)| (*first..*end).contains(&register))?;
        // What nothing writes comes from the launch, under its own name.
        let written = |index: u8| {
            self.code.instructions.iter().any(|it| it.writes().any(|cell| cell == Cell::General(index)))
        };
        if !(first..end).all(written) {
            return None;
        }
        let count = self.code.resources.register_count().min(u32::from(REGISTERS)) as u8;
        let row = |other: u8| (first..end).zip(other..);
        let mut places = 0..=count.checked_sub(end - first)?;
        let unnamed = places.clone().find(|other| row(*other).all(|(_, other)| self.is_unnamed(other)));
        let shares = self.code.instructions.len() <= MOST_INSTRUCTIONS;
        let other = unnamed.or_else(|| {
            places.find(|other| shares && row(*other).all(|(index, other)| self.is_apart(index, other)))
        })?;
        self.names.extend((first..end).zip(other..));
        Some(())
    }

    /// Whether nothing has this name, now or from now on.
    fn is_unnamed(&self, name: u8) -> bool {
        let is_row = self.rows.iter().any(|(first, end)| (*first..*end).contains(&name));
        !is_row && !self.names.values().any(|taken| *taken == name)
    }

    /// Whether a register can have the name of another: nobody ever wants both.
    fn is_apart(&self, index: u8, other: u8) -> bool {
        let called = |name: u8| {
            let renamed = self.names.iter().filter(move |(_, to)| **to == name).map(|(from, _)| *from);
            std::iter::once(name).filter(|name| !self.names.contains_key(name)).chain(renamed)
        };
        called(other).all(|other| other != index && !self.meet(index, other))
    }

    /// Whether one is written, or stands in the same instruction, where the other is still read.
    fn meet(&self, one: u8, other: u8) -> bool {
        let (one, other) = (Cell::General(one), Cell::General(other));
        let live = self.live.get_or_init(|| Liveness::of(self.code));
        let both_at_start = live.before(0, one) && live.before(0, other);
        let clash = |at: usize| {
            let instruction = &self.code.instructions[at];
            let touches = |cell: Cell| instruction.reads().chain(instruction.writes()).any(|it| it == cell);
            touches(one) && touches(other)
                || touches(one) && live.after(at, other)
                || touches(other) && live.after(at, one)
        };
        both_at_start || (0..self.code.instructions.len()).any(clash)
    }

    fn edits(&self) -> Edits {
        let renamed = self.code.names.iter().filter(|it| it.role != Role::Declaration);
        renamed
            .filter_map(|it| match it.name {
                Name::Register(index) => Some((it.range, format!("r{}", self.names.get(&index)?))),
                _ => None,
            })
            .collect()
    }
}
