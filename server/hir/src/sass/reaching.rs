//! Definitions and uses of registers along the paths of a function.

use super::effects::{Accesses, accesses, add_calls};
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
        let mut accesses: Vec<_> = function.instructions.iter().map(|it| accesses(function, it)).collect();
        add_calls(function, &mut accesses);
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

    /// Whether an instruction may read the value that a register has before the text, at the start of a function or of a
    /// fragment.
    pub fn is_from_start(&self, index: usize, register: Register) -> bool {
        let reaches = |at: usize| self.is_start(at) && !self.overwrites(at, register);
        let found = self.flow.search(index, Graph::predecessors, reaches, |at| self.overwrites(at, register));
        self.is_start(index) || !found.is_empty()
    }

    /// Whether control may enter the text at a node of the graph. The node of returns collects those of callees in the
    /// text; a call of another function is an access of its own.
    fn is_start(&self, at: usize) -> bool {
        let returns = self.function.instructions.len();
        at == 0 || at != returns && self.flow.predecessors(at).next().is_none()
    }

    /// The instructions that may read the value that a register has before the text, in address order.
    pub fn uses_from_start(&self, register: Register) -> Vec<usize> {
        let starts = (0..self.flow.nodes()).filter(|at| self.is_start(*at)).map(|at| at as u32);
        let reads = |at: usize| self.accessed(at, register, false);
        let overwrites = |at: usize| self.overwrites(at, register);
        self.flow.search_from(starts.collect(), Graph::successors, reads, overwrites)
    }

    /// All instructions that share values of a register with one of its accesses: the definitions and their
    /// uses.
    pub fn web(&self, index: usize, register: Register, is_write: bool) -> Vec<usize> {
        let definitions = if is_write { vec![index] } else { self.definitions(index, register) };
        let mut all: Vec<usize> = Vec::new();
        if !is_write && self.is_from_start(index, register) {
            all.extend(self.uses_from_start(register));
        }
        all.extend(definitions.iter().take(MOST).flat_map(|definition| self.uses(*definition, register)));
        all.extend(definitions);
        all.push(index);
        all.sort_unstable();
        all.dedup();
        all
    }
}
