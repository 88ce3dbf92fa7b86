//! Sets of registers: what an instruction reads and writes, and what is known of each place.

use super::model::{Instruction, Role, Value};

/// A set of general and predicate registers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Cells {
    general: [u64; 4],
    predicates: u8,
}

/// A register of either class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cell {
    /// `r3`
    General(u8),
    /// `p1`
    Predicate(u8),
}

impl Cell {
    /// The number of a general register.
    pub(crate) fn general(self) -> Option<u8> {
        match self {
            Cell::General(index) => Some(index),
            Cell::Predicate(_) => None,
        }
    }
}

impl Cells {
    /// Every register that there is.
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

    /// Adds the others; says whether there was a new one among them.
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
    /// The registers that it reads, its guard first. What operands that do not fit were to be, nobody knows.
    pub(crate) fn reads(&self) -> impl Iterator<Item = Cell> {
        let guard = self.guard.map(|guard| Cell::Predicate(guard.predicate));
        let complete = self.complete;
        guard
            .into_iter()
            .chain(self.cells(move |role| complete && matches!(role, Role::Read | Role::ReadWrite)))
    }

    /// The registers that it writes, in the lanes in which its guard is true.
    pub(crate) fn writes(&self) -> impl Iterator<Item = Cell> {
        self.cells(|role| matches!(role, Role::Write | Role::ReadWrite))
    }

    fn cells(&self, wanted: impl Fn(Role) -> bool) -> impl Iterator<Item = Cell> {
        let operands = self.operands.iter().filter(move |operand| wanted(operand.role));
        operands.flat_map(|operand| {
            let (first, count) = match operand.value {
                Value::Register { index, .. } => (index, operand.registers),
                Value::Predicate { index, .. } => (index, 1),
                _ => (0, 0),
            };
            let predicate = matches!(operand.value, Value::Predicate { .. });
            (first..first.saturating_add(count)).map(move |index| match predicate {
                true => Cell::Predicate(index),
                false => Cell::General(index),
            })
        })
    }
}
