//! Sets of registers, and the registers that instructions read and write.

use super::model::{Instruction, Operand, Role, Value};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Cells {
    general: [u64; 4],
    predicates: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cell {
    /// `r3`
    General(u8),
    /// `p1`
    Predicate(u8),
}

impl Cell {
    /// The number of a general register; `None` for a predicate.
    pub(crate) fn general(self) -> Option<u8> {
        match self {
            Cell::General(index) => Some(index),
            Cell::Predicate(_) => None,
        }
    }
}

impl Cells {
    pub(crate) const NONE: Cells = Cells { general: [0; 4], predicates: 0 };
    pub(crate) const ALL: Cells = Cells { general: [u64::MAX; 4], predicates: u8::MAX };

    pub(crate) fn insert(&mut self, cell: Cell) {
        match cell {
            Cell::General(index) => self.general[usize::from(index / 64)] |= 1 << (index % 64),
            Cell::Predicate(index) => self.predicates |= 1 << index,
        }
    }

    pub(crate) fn remove(&mut self, cell: Cell) {
        match cell {
            Cell::General(index) => self.general[usize::from(index / 64)] &= !(1 << (index % 64)),
            Cell::Predicate(index) => self.predicates &= !(1 << index),
        }
    }

    pub(crate) fn contains(&self, cell: Cell) -> bool {
        match cell {
            Cell::General(index) => self.general[usize::from(index / 64)] >> (index % 64) & 1 == 1,
            Cell::Predicate(index) => self.predicates >> index & 1 == 1,
        }
    }

    /// Copies the membership of the registers in `some` from another set.
    pub(crate) fn take(&mut self, some: &Cells, other: &Cells) {
        for ((word, some), other) in self.general.iter_mut().zip(some.general).zip(other.general) {
            *word = *word & !some | other & some;
        }
        self.predicates = self.predicates & !some.predicates | other.predicates & some.predicates;
    }

    /// Adds all registers of another set and returns whether any was new.
    pub(crate) fn add(&mut self, others: &Cells) -> bool {
        let before = *self;
        for (word, other) in self.general.iter_mut().zip(others.general) {
            *word |= other;
        }
        self.predicates |= others.predicates;
        *self != before
    }
}

impl Instruction {
    /// The registers that it reads, its guard first. Operands that do not fit are left out, because their
    /// role is unknown.
    pub fn reads(&self) -> impl Iterator<Item = Cell> + Clone {
        let guard = self.guard.map(|guard| Cell::Predicate(guard.predicate));
        guard.into_iter().chain(self.sources())
    }

    /// The registers that it reads as operands.
    pub fn sources(&self) -> impl Iterator<Item = Cell> + Clone {
        let complete = self.complete;
        let wanted = move |role| complete && matches!(role, Role::Read | Role::ReadWrite);
        self.cells(wanted).map(|(cell, _)| cell)
    }

    /// The registers that it writes in the lanes whose guard is true.
    pub fn writes(&self) -> impl Iterator<Item = Cell> + Clone {
        self.written().map(|(cell, _)| cell)
    }

    /// The registers that it writes, and whether it writes each as a whole.
    pub(crate) fn written(&self) -> impl Iterator<Item = (Cell, bool)> + Clone {
        self.cells(|role| matches!(role, Role::Write | Role::ReadWrite))
    }

    fn cells(&self, wanted: impl Fn(Role) -> bool + Clone) -> impl Iterator<Item = (Cell, bool)> + Clone {
        let operands = self.operands.iter().filter(move |operand| wanted(operand.role));
        operands.flat_map(|operand| {
            let (first, count, whole) = match operand.value {
                Value::Register { index, half } => (index, operand.registers, half.is_none()),
                Value::Predicate { index, .. } => (index, 1, true),
                _ => (0, 0, true),
            };
            let predicate = matches!(operand.value, Value::Predicate { .. });
            (first..first.saturating_add(count)).map(move |index| match predicate {
                true => (Cell::Predicate(index), whole),
                false => (Cell::General(index), whole),
            })
        })
    }
}

/// All registers that an operand covers.
pub(crate) fn named(operand: &Operand) -> impl Iterator<Item = Cell> + use<> {
    let (first, count, predicate) = match operand.value {
        Value::Register { index, .. } | Value::Fragment(index) => (index, operand.registers, false),
        Value::Predicate { index, .. } => (index, 1, true),
        _ => (0, 0, false),
    };
    (first..first.saturating_add(count)).map(move |index| match predicate {
        true => Cell::Predicate(index),
        false => Cell::General(index),
    })
}
