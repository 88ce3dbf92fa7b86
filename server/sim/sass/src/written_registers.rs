//! The lanes that have written each register.

use super::program::Cell;

#[derive(Clone, Debug)]
pub(crate) struct WrittenRegisters {
    rows: Vec<u32>,
    predicates: [u32; 32],
}

impl WrittenRegisters {
    pub(super) fn new(rows: usize) -> WrittenRegisters {
        WrittenRegisters { rows: vec![0; rows], predicates: [0; 32] }
    }

    pub(super) fn write(&mut self, cell: Cell, mask: u32) {
        match cell {
            Cell::Rows(first, count) => {
                let rows = self.rows.iter_mut().skip(first.into()).take(count.into());
                rows.for_each(|written| *written |= mask);
            }
            Cell::Predicate(predicate) => self.predicates[usize::from(predicate) % 32] |= mask,
        }
    }

    pub(super) fn lanes(&self, cell: Cell) -> u32 {
        match cell {
            Cell::Rows(first, _) => self.rows.get(usize::from(first)).copied().unwrap_or(0),
            Cell::Predicate(predicate) => self.predicates[usize::from(predicate) % 32],
        }
    }
}
