//! Register values by name, for reports.

use warplens_sim_cuda::registers::WIDTH;
use warplens_sim_warp::trace::{RegisterValues, StatementId};

use super::program::{Cell, Named, Program};
use super::registers::{Predicate, Registers, Row, TRUE};

/// The maximum number of words in a value.
const MAX_WORDS: u16 = 4;

#[derive(Clone, Copy)]
pub(super) struct RegisterReader<'w> {
    pub(super) registers: &'w Registers,
    /// The lanes that have written the register, so that its value is known.
    pub(super) known: &'w dyn Fn(Cell) -> u32,
}

impl RegisterReader<'_> {
    /// The registers that lanes have written, with a separate value for each word.
    pub(super) fn written(self, program: &Program) -> Vec<RegisterValues> {
        let row = |name: String, row: Row| self.value(&name, Cell::Rows(row, 1));
        let layout = &program.layout;
        let general = (0..layout.general).map(|number| row(format!("R{number}"), number));
        let (first, count) = layout.uniform;
        let uniform = (0..count).map(|number| row(format!("UR{number}"), first + number));
        let predicate = |number: Predicate| self.value(&format!("P{number}"), Cell::Predicate(number));
        let named = general.chain(uniform).chain((0..TRUE).map(predicate));
        named.filter(|register| register.lanes.iter().any(Option::is_some)).collect()
    }

    /// The registers at a statement. Registers that it names have the width that it uses, whether written or
    /// not.
    pub(super) fn around(self, program: &Program, statement: StatementId) -> Vec<RegisterValues> {
        let mut all = self.written(program);
        for Named { name, cell, .. } in program.named.get(statement.index()).into_iter().flatten() {
            let value = self.value(name, *cell);
            match all.iter_mut().find(|register| register.name == *name) {
                Some(register) => *register = value,
                None => all.push(value),
            }
        }
        all
    }

    fn value(self, name: &str, cell: Cell) -> RegisterValues {
        let lanes = (self.known)(cell);
        let known = |lane: usize| lanes >> lane & 1 == 1;
        let (bits, value): (u16, Box<dyn Fn(usize) -> u128>) = match cell {
            Cell::Predicate(predicate) => {
                let lanes = self.registers.predicates[usize::from(predicate)];
                (1, Box::new(move |lane| u128::from(lanes >> lane & 1)))
            }
            Cell::Rows(first, words) => {
                let words = words.min(MAX_WORDS);
                let word = move |lane: usize, at: u16| u128::from(self.registers.row(first + at)[lane]);
                let value = move |lane| (0..words).fold(0, |all, at| all | word(lane, at) << (32 * at));
                (32 * words, Box::new(value))
            }
        };
        let lanes = (0..WIDTH).map(|lane| known(lane).then(|| value(lane))).collect();
        RegisterValues { name: name.into(), bits, lanes }
    }
}
