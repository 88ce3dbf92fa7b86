//! The lanes that have written each register.
//!
//! A diagnostic of the text reports registers that no lane writes. Only a run shows lanes that read a
//! register which other lanes of their wave have written, but not they themselves.

use warplens_sim_warp::trace::Mask;

use super::super::op::PREDICATES;
use super::super::program::{Cell, Named};

#[derive(Clone, Debug)]
pub(crate) struct WrittenRegisters {
    general: Vec<Mask>,
    predicates: [Mask; PREDICATES],
}

impl WrittenRegisters {
    /// The initial state of a wave whose registers `set` the launch has initialized.
    pub(crate) fn new(registers: u16, set: &[(u8, u32)]) -> WrittenRegisters {
        let mut general = vec![0; usize::from(registers)];
        for (register, _) in set {
            if let Some(written) = general.get_mut(usize::from(*register)) {
                *written = Mask::MAX;
            }
        }
        WrittenRegisters { general, predicates: [0; PREDICATES] }
    }

    pub(crate) fn has(&self, register: u16) -> bool {
        usize::from(register) < self.general.len()
    }

    /// The lanes that have written a register; all lanes for a register that the wave does not have.
    pub(crate) fn lanes(&self, cell: Cell) -> Mask {
        match cell {
            Cell::Predicate(index) => self.predicates[usize::from(index) % PREDICATES],
            Cell::General(index) => self.general.get(usize::from(index)).copied().unwrap_or(Mask::MAX),
        }
    }

    pub(crate) fn write(&mut self, named: &Named, executed: Mask) {
        self.each(named, |_, written| *written |= executed);
    }

    /// Records the reads and writes of an operation. Calls `found` with each register that lanes read before
    /// writing it, and with these lanes. A guard is read in all active lanes.
    pub(super) fn check(
        &mut self,
        named: &[Named],
        guard: Option<u8>,
        (active, executed): (Mask, Mask),
        mut found: impl FnMut(Cell, Mask),
    ) {
        for named in named.iter().filter(|named| named.read) {
            let is_guard = matches!(named.cell, Cell::Predicate(index) if Some(index) == guard);
            let lanes = if is_guard { active } else { executed };
            self.each(named, |cell, written| {
                let missing = lanes & !*written;
                if missing != 0 && *written != 0 {
                    found(cell, missing);
                    // Reports each register only once.
                    *written |= lanes;
                }
            });
        }
        named.iter().filter(|named| named.written).for_each(|named| self.write(named, executed));
    }

    fn each(&mut self, named: &Named, mut f: impl FnMut(Cell, &mut Mask)) {
        match named.cell {
            Cell::Predicate(index) => f(named.cell, &mut self.predicates[usize::from(index) % PREDICATES]),
            Cell::General(first) => {
                for index in first..first.saturating_add(named.count) {
                    if let Some(written) = self.general.get_mut(usize::from(index)) {
                        f(Cell::General(index), written);
                    }
                }
            }
        }
    }
}
