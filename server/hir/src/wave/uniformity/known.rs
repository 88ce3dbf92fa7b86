//! What is known about all registers at one instruction.

use super::super::cells::{Cell, Cells};
use super::super::model::Value;
use crate::Variance;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Known {
    /// Registers that are not proven to be uniform.
    doubtful: Cells,
    /// The registers in `doubtful` that are computed from a value that differs between lanes.
    varying: Cells,
}

impl Known {
    pub(crate) const NOTHING: Known = Known { doubtful: Cells::ALL, varying: Cells::NONE };
    pub(crate) const ALL_SHARED: Known = Known { doubtful: Cells::NONE, varying: Cells::NONE };

    pub(super) fn of(&self, cell: Cell) -> Variance {
        match (self.doubtful.contains(cell), self.varying.contains(cell)) {
            (false, _) => Variance::Uniform,
            (true, false) => Variance::Unknown,
            (true, true) => Variance::Varies,
        }
    }

    pub(super) fn set(&mut self, cell: Cell, variance: Variance) {
        self.doubtful.remove(cell);
        self.varying.remove(cell);
        self.raise(cell, variance);
    }

    pub(super) fn raise(&mut self, cell: Cell, variance: Variance) {
        if variance >= Variance::Unknown {
            self.doubtful.insert(cell);
        }
        if variance == Variance::Varies {
            self.varying.insert(cell);
        }
    }

    pub(super) fn raise_all(&mut self, cells: &Cells, variance: Variance) {
        if variance >= Variance::Unknown {
            self.doubtful.add(cells);
        }
        if variance == Variance::Varies {
            self.varying.add(cells);
        }
    }

    pub(super) fn take(&mut self, cells: &Cells, from: &Known) {
        self.doubtful.take(cells, &from.doubtful);
        self.varying.take(cells, &from.varying);
    }

    /// Merges the facts of another path and returns whether that changed anything.
    pub(super) fn join(&mut self, other: &Known) -> bool {
        let doubtful = self.doubtful.add(&other.doubtful);
        self.varying.add(&other.varying) | doubtful
    }
}

/// Whether an operand is a special register that differs between lanes.
pub(super) fn is_varying_special(value: &Value) -> bool {
    match value {
        Value::Special(register) => !register.uniform,
        _ => false,
    }
}
