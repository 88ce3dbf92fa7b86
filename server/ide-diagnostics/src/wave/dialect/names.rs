//! Renames registers throughout an item: `p0`, whose guard the toolchain ignores, and registers above `r31`.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;
use text_size::TextRange;
use warplens_hir::wave::{Cell, Code, Liveness, Name, NameRef, Role, Spares, Value};

use crate::wave::dialect::edits::Edits;
use crate::wave::dialect::registers::{LAST_PREDICATE, REGISTERS, is_closed};

/// The maximum size of kernels whose registers may share a name: in longer ones the analysis takes too long.
const MOST_INSTRUCTIONS: usize = 20_000;

/// The edits that rename `p0` in guards and registers above `r31`, as far as others are free.
pub(super) fn in_reach(code: &Code) -> Edits {
    let mut edits = if has_p0_guard(code) { other_guard(code).map(|(_, edits)| edits) } else { None };
    let registers = Registers::of(code).map(Registers::all_in_reach);
    edits
        .get_or_insert_default()
        .extend(registers.unwrap_or_else(|| fewer_registers(code).into_iter().collect()));
    edits.unwrap_or_default()
}

/// Limits the requested registers to those of the toolchain, for a kernel that does not use higher ones.
pub(crate) fn fewer_registers(code: &Code) -> Option<(TextRange, String)> {
    let asked = code.resources.registers.filter(|asked| asked.value > u32::from(REGISTERS))?;
    let is_high = |name: &NameRef| matches!(name.name, Name::Register(index) if index >= REGISTERS);
    (is_closed(code) && !code.names().iter().any(is_high))
        .then(|| (asked.range, format!(".registers {REGISTERS}")))
}

fn has_p0_guard(code: &Code) -> bool {
    code.instructions.iter().filter_map(|it| it.guard).any(|guard| guard.predicate == 0 && !guard.negated)
}

/// The edits that rename `p0` in the whole item, and its new name.
pub(crate) fn other_guard(code: &Code) -> Option<(u8, Edits)> {
    let spares = is_closed(code).then(|| Spares::new(code))?;
    let other = (1..=LAST_PREDICATE).find(|index| spares.never_named(Cell::Predicate(*index)))?;
    let occurrences = code.occurrences(&Name::Predicate(0));
    Some((other, occurrences.map(|it| (it.range, format!("p{other}"))).collect()))
}

/// The edits that rename a high register in the whole item, and its new name.
pub(crate) fn other_register(code: &Code, range: TextRange) -> Option<(u8, Edits)> {
    let Name::Register(high) = code.names().iter().find(|name| name.range.start() == range.start())?.name
    else {
        return None;
    };
    let mut registers = Registers::of(code)?;
    registers.settle(high)?;
    let other = *registers.names.get(&high)?;
    Some((other, registers.edits()))
}

/// The general registers of an item, and new names for some.
struct Registers<'c> {
    code: &'c Code,
    live: OnceCell<Liveness>,
    /// Registers that an instruction reads or writes as one value: the first of them, and their number.
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

    /// The edits that rename as many high registers as possible, and limit the requested number.
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

    /// Finds new names for the group that a register belongs to.
    fn settle(&mut self, register: u8) -> Option<()> {
        let (first, end) = *self.rows.iter().find(|(first, end)| (*first..*end).contains(&register))?;
        // A register that is never written is set by the launch and keeps its name.
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

    /// Whether no register has this name, before or after the renaming.
    fn is_unnamed(&self, name: u8) -> bool {
        let is_row = self.rows.iter().any(|(first, end)| (*first..*end).contains(&name));
        !is_row && !self.names.values().any(|taken| *taken == name)
    }

    /// Whether a register can get the name of another: they are never live together.
    fn is_apart(&self, index: u8, other: u8) -> bool {
        let called = |name: u8| {
            let renamed = self.names.iter().filter(move |(_, to)| **to == name).map(|(from, _)| *from);
            std::iter::once(name).filter(|name| !self.names.contains_key(name)).chain(renamed)
        };
        called(other).all(|other| other != index && !self.interferes(index, other))
    }

    /// Whether one is written, or used in the same instruction, while the other is live.
    fn interferes(&self, one: u8, other: u8) -> bool {
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
        let renamed = self.code.names().iter().filter(|it| it.role != Role::Declaration);
        renamed
            .filter_map(|it| match it.name {
                Name::Register(index) => Some((it.range, format!("r{}", self.names.get(&index)?))),
                _ => None,
            })
            .collect()
    }
}
