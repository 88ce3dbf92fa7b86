//! Registers that a new instruction may write before another one, without anybody missing what they held.
//!
//! A register that the kernel never names is always spare, if it has it. One that it names is spare where no lane reads it any more
//! before writing it again. Lanes are followed one by one through the constructs; what other lanes may read (shuffles), and what
//! functions may read that are called, is never spare.

use super::cells::{Cell, Cells};
use super::model::{Code, Instruction, Link, Operand, Value};

/// The registers that toolchain 0.1.2 has at most.
const MOST: u32 = 32;
/// Predicate registers.
const PREDICATES: u8 = 4;

/// What is spare in a kernel.
pub struct Spares<'c> {
    code: &'c Code,
    named: Cells,
    /// What lanes may still read after each instruction; empty where calls make that unknown.
    live: Vec<Cells>,
}

impl<'c> Spares<'c> {
    /// Looks at a kernel.
    pub fn new(code: &'c Code) -> Spares<'c> {
        let mut named = Cells::default();
        for instruction in &code.instructions {
            instruction.guard.iter().for_each(|guard| named.insert(Cell::Predicate(guard.predicate)));
            instruction.operands.iter().flat_map(cells).for_each(|cell| named.insert(cell));
        }
        let closed = code.labels.is_empty() && !code.instructions.iter().any(|it| mnemonic(it) == "call");
        let live = if closed { live(code) } else { Vec::new() };
        Spares { code, named, live }
    }

    /// The same, but for a predicate register that is about to be used throughout.
    #[must_use]
    pub fn without(mut self, predicate: u8) -> Spares<'c> {
        let cell = Cell::Predicate(predicate);
        self.named.insert(cell);
        self.live.iter_mut().for_each(|live| live.insert(cell));
        self
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

    /// Whether nothing in the kernel names the predicate register.
    pub fn never_named(&self, predicate: u8) -> bool {
        !self.named.contains(Cell::Predicate(predicate))
    }

    fn spare(&self, at: usize, all: impl Iterator<Item = Cell> + Clone) -> impl Iterator<Item = u8> {
        let instruction = &self.code.instructions[at];
        let touched: Vec<Cell> =
            instruction.reads().chain(instruction.operands.iter().flat_map(cells)).collect();
        let unnamed = all.clone().filter(|cell| !self.named.contains(*cell));
        let dead = all.filter(move |cell| {
            let dead = self.live.get(at).is_some_and(|live| !live.contains(*cell));
            dead && self.named.contains(*cell) && !touched.contains(cell)
        });
        unnamed.chain(dead).map(|cell| match cell {
            Cell::General(index) | Cell::Predicate(index) => index,
        })
    }
}

fn mnemonic(instruction: &Instruction) -> &'static str {
    instruction.entry.map_or("", |entry| entry.0.mnemonic)
}

/// All registers that an operand names.
fn cells(operand: &Operand) -> impl Iterator<Item = Cell> + use<> {
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

/// What a lane may still read after each instruction.
fn live(code: &Code) -> Vec<Cells> {
    let count = code.instructions.len();
    let shared = shared(code);
    // What is live before each instruction, and after the last.
    let mut before = vec![shared; count + 1];
    let mut after = vec![shared; count];
    loop {
        let mut changed = false;
        for at in (0..count).rev() {
            let instruction = &code.instructions[at];
            let mut cells = shared;
            for next in successors(code, at).into_iter().flatten() {
                cells.add(&before[next]);
            }
            after[at] = cells;
            if instruction.guard.is_none() && instruction.complete {
                instruction
                    .writes()
                    .filter(|cell| !shared.contains(*cell))
                    .for_each(|cell| cells.remove(cell));
            }
            if instruction.complete {
                instruction.reads().for_each(|cell| cells.insert(cell));
            } else {
                instruction.operands.iter().flat_map(self::cells).for_each(|cell| cells.insert(cell));
            }
            changed |= before[at].add(&cells);
        }
        if !changed {
            return after;
        }
    }
}

/// Registers of which a lane may read the value of another that is not there.
fn shared(code: &Code) -> Cells {
    let mut shared = Cells::default();
    for instruction in &code.instructions {
        let name = mnemonic(instruction);
        if name.starts_with("wave_shuffle") || name == "wave_broadcast" {
            instruction.reads().for_each(|cell| shared.insert(cell));
        }
    }
    shared
}

/// Where a lane may go on after an instruction.
fn successors(code: &Code, at: usize) -> [Option<usize>; 2] {
    let next = Some(at + 1);
    let after = |opener: u32| match code.links[opener as usize] {
        Some(Link::Loop { end } | Link::If { end, .. }) => end.map(|end| end as usize),
        _ => None,
    };
    match code.links[at] {
        Some(Link::If { otherwise, end }) => {
            [next, otherwise.map(|other| other + 1).or(end).map(|at| at as usize)]
        }
        Some(Link::Else { end, .. }) => [end.map(|end| end as usize), None],
        Some(Link::EndLoop { open }) => [next, Some(open as usize + 1)],
        Some(Link::Leave { open }) if mnemonic(&code.instructions[at]) == "break" => {
            [next, after(open).map(|end| end + 1)]
        }
        Some(Link::Leave { open }) => [next, Some(open as usize + 1)],
        _ if matches!(mnemonic(&code.instructions[at]), "halt" | "return")
            && code.instructions[at].guard.is_none() =>
        {
            [None, None]
        }
        _ => [next, None],
    }
}
