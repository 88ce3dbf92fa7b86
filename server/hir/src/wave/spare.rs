//! Free registers: a new instruction may write them before another one, because their values are not read later.
//!
//! A register that the kernel never names is always spare, if it has it. One that it names is spare where no lane reads it any more
//! before writing it again. Lanes are followed one by one through the constructs; what other lanes may read (shuffles), and what
//! functions may read that are called, is never spare.

use super::cells::{Cell, Cells, named};
use super::liveness::Liveness;
use super::model::Code;

/// The registers that toolchain 0.1.2 has at most.
const MOST: u32 = 32;
/// Predicate registers.
const PREDICATES: u8 = 4;

/// The free registers of a kernel.
pub struct Spares<'c> {
    code: &'c Code,
    named: Cells,
    live: Liveness,
}

impl<'c> Spares<'c> {
    /// Looks at a kernel.
    pub fn new(code: &'c Code) -> Spares<'c> {
        let mut known = Cells::default();
        for instruction in &code.instructions {
            instruction.guard.iter().for_each(|guard| known.insert(Cell::Predicate(guard.predicate)));
            instruction.operands.iter().flat_map(named).for_each(|cell| known.insert(cell));
        }
        Spares { code, named: known, live: Liveness::of(code) }
    }

    /// General registers that may be written before the instruction at `at`, and be read by it: the best first.
    pub fn general(&self, at: usize) -> impl Iterator<Item = u8> {
        let count = self.code.resources.register_count().min(MOST) as u8;
        self.spare(at, (0..count).map(Cell::General))
    }

    /// Predicate registers, likewise.
    pub fn predicates(&self, at: usize) -> impl Iterator<Item = u8> {
        self.spare(at, (0..PREDICATES).map(Cell::Predicate))
    }

    /// General registers that the kernel would have if it asked for more.
    pub fn beyond(&self) -> std::ops::Range<u8> {
        let count = self.code.resources.register_count().min(MOST) as u8;
        count..MOST as u8
    }

    /// Whether nothing in the kernel names the register.
    pub fn never_named(&self, cell: Cell) -> bool {
        !self.named.contains(cell)
    }

    /// Whether the register's value is not read after any of these positions: before instructions, by their indices.
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
