//! Which registers are live before each instruction, that is, may still be read.

use super::effects::{Access, accesses, add_calls, needs_descriptor, unprinted_descriptor};
use super::flow::FlowGraph;
use super::model::Function;
use super::register::{Register, RegisterFile};
use crate::bit_set::BitSet;

/// A set of registers from the four files that hold values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RegisterSet(BitSet<10>);

impl RegisterSet {
    pub fn insert(&mut self, register: Register) {
        number(register).into_iter().for_each(|number| self.0.insert(number));
    }

    pub fn remove(&mut self, register: Register) {
        number(register).into_iter().for_each(|number| self.0.remove(number));
    }

    /// Adds all registers of another set and returns whether that changed anything.
    pub fn union(&mut self, other: &RegisterSet) -> bool {
        self.0.add(&other.0)
    }

    pub fn contains(&self, register: Register) -> bool {
        number(register).is_some_and(|number| self.0.contains(number))
    }

    pub fn counts(&self) -> Counts {
        let ones = |words: &[u64]| words.iter().map(|word| word.count_ones()).sum::<u32>() as u16;
        let BitSet(words) = &self.0;
        Counts {
            general: ones(&words[..4]),
            uniform: ones(&words[4..8]),
            predicates: ones(&words[8..9]),
            uniform_predicates: ones(&words[9..]),
        }
    }
}

/// The number of a register in a set. Constants, barriers and scoreboards have none, because they hold no value.
fn number(register: Register) -> Option<usize> {
    let first = match register.file {
        RegisterFile::General => 0,
        RegisterFile::Uniform => 256,
        RegisterFile::Predicate => 512,
        RegisterFile::UniformPredicate => 576,
        RegisterFile::Barrier | RegisterFile::Scoreboard => return None,
    };
    let number = usize::from(register.number);
    (!register.is_constant()).then_some(first + if register.is_predicate() { number % 8 } else { number })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Counts {
    /// `R`
    pub general: u16,
    /// `UR`
    pub uniform: u16,
    /// `P`
    pub predicates: u16,
    /// `UP`
    pub uniform_predicates: u16,
}

#[derive(Debug)]
pub struct Liveness {
    before: Vec<RegisterSet>,
    occupied: Vec<Counts>,
}

impl Liveness {
    pub fn new(function: &Function, flow: &FlowGraph) -> Liveness {
        let descriptor = unprinted_descriptor(function);
        let with_descriptor = |instruction| {
            let mut accesses = accesses(function, instruction);
            accesses.extend(descriptor.filter(|_| needs_descriptor(function, instruction)));
            accesses
        };
        let mut all: Vec<_> = function.instructions.iter().map(with_descriptor).collect();
        add_calls(function, &mut all);
        let before = alive_before(function, flow, &all);
        let stack = Register::new(RegisterFile::General, 1);
        let writes_stack =
            all.iter().any(|accesses| accesses.iter().any(|access| access.is_write && access.covers(stack)));
        let occupied = before.iter().zip(&all).map(|(before, accesses)| {
            let mut occupied = *before;
            let written = accesses.iter().filter(|access| access.is_write);
            written.flat_map(|access| access.registers()).for_each(|register| occupied.insert(register));
            // The stack pointer occupies its register everywhere.
            if writes_stack {
                occupied.insert(stack);
            }
            occupied.counts()
        });
        let occupied = occupied.collect();
        Liveness { before, occupied }
    }

    pub fn before(&self, index: usize) -> &RegisterSet {
        &self.before[index]
    }

    /// The registers in use at an instruction, counted as tools do: live before it or written by it.
    pub fn occupied(&self, index: usize) -> Counts {
        self.occupied[index]
    }

    /// The largest number of general registers in use, and the first instruction with that number.
    pub fn peak(&self) -> Option<(u16, usize)> {
        let counts = self.occupied.iter().enumerate().map(|(index, counts)| (counts.general, index));
        counts.reduce(|best, next| if next.0 > best.0 { next } else { best })
    }
}

/// Backward data flow. A write under a guard that may be false does not kill a register.
fn alive_before(function: &Function, flow: &FlowGraph, all: &[super::effects::Accesses]) -> Vec<RegisterSet> {
    let count = flow.nodes();
    let mut before = vec![RegisterSet::default(); count];
    let mut queued = vec![true; count];
    let mut queue: Vec<usize> = (0..count).collect();
    while let Some(index) = queue.pop() {
        queued[index] = false;
        let mut alive = RegisterSet::default();
        for next in flow.successors(index) {
            alive.union(&before[next]);
        }
        if let Some(instruction) = function.instructions.get(index) {
            let guarded = instruction.guard.is_some_and(|guard| !guard.is_always());
            let ends = |access: &&Access| access.is_write && !guarded;
            let ended = all[index].iter().filter(ends);
            ended.flat_map(|access| access.registers()).for_each(|register| alive.remove(register));
            let read = all[index].iter().filter(|access| !access.is_write);
            read.flat_map(|access| access.registers()).for_each(|register| alive.insert(register));
        }
        if alive != before[index] {
            before[index] = alive;
            for previous in flow.predecessors(index) {
                if !std::mem::replace(&mut queued[previous], true) {
                    queue.push(previous);
                }
            }
        }
    }
    before
}
