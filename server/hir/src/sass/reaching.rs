//! Definitions and uses of registers along the paths of a function.

use super::effects::{Accesses, accesses};
use super::flow::FlowGraph;
use super::model::Function;
use super::register::Register;
use crate::graph::Graph;

/// At most this many definitions are followed to their uses.
const MOST: usize = 64;

/// The accesses of all instructions of a function, and the paths between them.
pub struct Reaching<'f> {
    function: &'f Function,
    flow: &'f FlowGraph,
    accesses: Vec<Accesses>,
}

impl<'f> Reaching<'f> {
    pub fn new(function: &'f Function, flow: &'f FlowGraph) -> Reaching<'f> {
        let accesses = function.instructions.iter().map(|it| accesses(function, it)).collect();
        Reaching { function, flow, accesses }
    }

    pub fn accesses(&self, index: usize) -> &Accesses {
        &self.accesses[index]
    }

    fn accessed(&self, index: usize, register: Register, is_write: bool) -> bool {
        let accesses = self.accesses.get(index);
        accesses.is_some_and(|all| all.iter().any(|it| it.is_write == is_write && it.covers(register)))
    }

    /// Whether an instruction writes a register in all lanes, so that earlier writes do not get past it.
    fn overwrites(&self, index: usize, register: Register) -> bool {
        self.accessed(index, register, true)
            && self.function.instructions[index].guard.is_none_or(|guard| guard.is_always())
    }

    /// The instructions whose write to a register may reach an instruction, in address order.
    pub fn definitions(&self, index: usize, register: Register) -> Vec<usize> {
        let writes = |at| self.accessed(at, register, true);
        self.flow.search(index, Graph::predecessors, writes, |at| self.overwrites(at, register))
    }

    /// The instructions that may read the value that an instruction writes to a register, in address order.
    pub fn uses(&self, index: usize, register: Register) -> Vec<usize> {
        let reads = |at| self.accessed(at, register, false);
        self.flow.search(index, Graph::successors, reads, |at| self.overwrites(at, register))
    }

    /// All instructions that share values of a register with one of its accesses: the definitions and their
    /// uses.
    pub fn web(&self, index: usize, register: Register, is_write: bool) -> Vec<usize> {
        let definitions = if is_write { vec![index] } else { self.definitions(index, register) };
        let mut all: Vec<usize> =
            definitions.iter().take(MOST).flat_map(|definition| self.uses(*definition, register)).collect();
        all.extend(definitions);
        all.push(index);
        all.sort_unstable();
        all.dedup();
        all
    }
}
