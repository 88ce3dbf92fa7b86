//! Which lanes have written which registers.
//!
//! A register that no lane has written is plain from the text, and said there. What only the run shows: lanes that read what
//! other lanes of their wave have written and they have not.

use crate::trace::Mask;

use super::super::program::{Cell, Named, PREDICATES, Program};

/// The lanes that have written each register of a wave.
#[derive(Debug)]
pub(crate) struct Written {
    general: Vec<Mask>,
    predicates: [Mask; PREDICATES],
}

impl Written {
    pub(super) fn new(program: &Program, set: &[(u8, u32)]) -> Written {
        let mut general = vec![0; usize::from(program.registers)];
        for (register, _) in set {
            if let Some(written) = general.get_mut(usize::from(*register)) {
                *written = Mask::MAX;
            }
        }
        Written { general, predicates: [0; PREDICATES] }
    }

    /// An operation reads and writes: `found` is told of registers that lanes read without having written them, and of those
    /// lanes. A guard is read in all active lanes.
    pub(super) fn read(
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
                    // Once is enough.
                    *written |= lanes;
                }
            });
        }
        for named in named.iter().filter(|named| named.written) {
            self.each(named, |_, written| *written |= executed);
        }
    }

    /// The registers that are named, one after the other.
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
