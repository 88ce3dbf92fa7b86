//! Free registers: a new instruction may write them before an existing one, because their values are not read
//! later.
//!
//! A register that the kernel has but never names is always free. A register that it names is free where no
//! lane reads it any more before writing it again. Each lane is followed through the constructs by itself.
//! Registers that other lanes (shuffles) or called functions may read are never free.

use super::cells::{Cell, Cells, named};
use super::liveness::Liveness;
use super::model::Code;

/// The largest number of registers that toolchain 0.1.2 supports.
const MOST: u32 = 32;
const PREDICATES: u8 = 4;

pub struct Spares<'c> {
    code: &'c Code,
    named: Cells,
    live: Liveness,
}

impl<'c> Spares<'c> {
    pub fn new(code: &'c Code) -> Spares<'c> {
        let mut known = Cells::default();
        for instruction in &code.instructions {
            instruction.guard.iter().for_each(|guard| known.insert(Cell::Predicate(guard.predicate)));
            instruction.operands.iter().flat_map(named).for_each(|cell| known.insert(cell));
        }
        Spares { code, named: known, live: Liveness::of(code) }
    }

    /// General registers that a new instruction before the one at `at` may write for it to read, the best
    /// ones first.
    pub fn general(&self, at: usize) -> impl Iterator<Item = u8> {
        let count = self.code.resources.register_count().min(MOST) as u8;
        self.spare(at, (0..count).map(Cell::General))
    }

    /// Like [`Spares::general`], for predicate registers.
    pub fn predicates(&self, at: usize) -> impl Iterator<Item = u8> {
        self.spare(at, (0..PREDICATES).map(Cell::Predicate))
    }

    /// The general registers that the kernel would have if it declared more.
    pub fn beyond(&self) -> std::ops::Range<u8> {
        let count = self.code.resources.register_count().min(MOST) as u8;
        count..MOST as u8
    }

    pub fn never_named(&self, cell: Cell) -> bool {
        !self.named.contains(cell)
    }

    /// Whether no lane reads the register's value at or after any of these instructions, given by index.
    pub fn is_free_at(&self, cell: Cell, places: &[usize]) -> bool {
        self.never_named(cell) || places.iter().all(|at| !self.live.before(*at, cell))
    }

    fn spare(&self, at: usize, all: impl Iterator<Item = Cell> + Clone) -> impl Iterator<Item = u8> {
        let instruction = &self.code.instructions[at];
        let touched: Vec<Cell> =
            instruction.reads().chain(instruction.operands.iter().flat_map(named)).collect();
        let unnamed = all.clone().filter(|cell| !self.named.contains(*cell));
        let dead = all.filter(move |cell| {
            !self.live.after(at, *cell) && self.named.contains(*cell) && !touched.contains(cell)
        });
        unnamed.chain(dead).map(|cell| match cell {
            Cell::General(index) | Cell::Predicate(index) => index,
        })
    }
}
