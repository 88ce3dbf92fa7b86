//! Sets of registers, and the registers that instructions read and write.

use super::model::{Instruction, Operand, Role, Value};
use crate::bit_set::BitSet;

/// A set of registers: general registers first, then predicates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Cells(BitSet<5>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

    fn number(self) -> usize {
        match self {
            Cell::General(index) => index.into(),
            Cell::Predicate(index) => 256 + usize::from(index),
        }
    }
}

impl Cells {
    pub(crate) const NONE: Cells = Cells(BitSet::EMPTY);
    pub(crate) const ALL: Cells = Cells(BitSet::FULL);

    pub(crate) fn insert(&mut self, cell: Cell) {
        self.0.insert(cell.number());
    }

    pub(crate) fn remove(&mut self, cell: Cell) {
        self.0.remove(cell.number());
    }

    pub(crate) fn contains(&self, cell: Cell) -> bool {
        self.0.contains(cell.number())
    }

    /// Copies the membership of the registers in `some` from another set.
    pub(crate) fn take(&mut self, some: &Cells, other: &Cells) {
        self.0.take(&some.0, &other.0);
    }

    /// Adds all registers of another set and returns whether any was new.
    pub(crate) fn add(&mut self, others: &Cells) -> bool {
        self.0.add(&others.0)
    }
}

impl Instruction {
    /// The registers that it reads, its guard first. Operands that do not fit are left out, because their
    /// role is unknown.
    pub fn reads(&self) -> impl Iterator<Item = Cell> + Clone {
        let guard = self.guard.map(|guard| Cell::Predicate(guard.predicate));
        guard.into_iter().chain(self.sources())
    }

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
        let operands = operands.filter(|operand| !matches!(operand.value, Value::Fragment(_)));
        operands.flat_map(|operand| {
            let whole = !matches!(operand.value, Value::Register { half: Some(_), .. });
            named(operand).map(move |cell| (cell, whole))
        })
    }
}

/// All registers that an operand covers.
pub(crate) fn named(operand: &Operand) -> impl Iterator<Item = Cell> + Clone + use<> {
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
