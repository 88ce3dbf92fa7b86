//! Definitions and uses of registers along the paths of a function.

use super::effects::{Accesses, accesses};
use super::flow::FlowGraph;
use super::model::Function;
use super::register::Register;

/// At most this many definitions are followed to their uses.
const MOST: usize = 64;

/// The accesses of all instructions of a function, and the paths between them.
pub struct Reaching<'f> {
    function: &'f Function,
    flow: &'f FlowGraph,
    accesses: Vec<Accesses>,
}

impl<'f> Reaching<'f> {
    #[must_use]
    pub fn new(function: &'f Function, flow: &'f FlowGraph) -> Reaching<'f> {
        let accesses = function.instructions.iter().map(|it| accesses(function, it)).collect();
        Reaching { function, flow, accesses }
    }

    #[must_use]
    pub fn accesses(&self, index: usize) -> &Accesses {
        &self.accesses[index]
    }

    fn accessed(&self, index: usize, register: Register, is_write: bool) -> bool {
        let accesses = self.accesses.get(index);
        accesses.is_some_and(|all| all.iter().any(|it| it.is_write == is_write && it.covers(register)))
    }

    /// The instructions whose write to a register may reach an instruction, in address order. A guarded write
    /// does not hide earlier ones.
    #[must_use]
    pub fn definitions(&self, index: usize, register: Register) -> Vec<usize> {
        let ends = |at: usize| self.function.instructions[at].guard.is_none_or(|guard| guard.is_always());
        self.search(
            self.flow.predecessors(index).collect(),
            |at| self.accessed(at, register, true),
            |at| self.accessed(at, register, true) && ends(at),
            |at| self.flow.predecessors(at).collect(),
        )
    }

    /// The instructions that may read the value that an instruction writes to a register, in address order.
    #[must_use]
    pub fn uses(&self, index: usize, register: Register) -> Vec<usize> {
        let ends = |at: usize| self.function.instructions[at].guard.is_none_or(|guard| guard.is_always());
        self.search(
            self.flow.successors(index).collect(),
            |at| self.accessed(at, register, false),
            |at| self.accessed(at, register, true) && ends(at),
            |at| self.flow.successors(at).collect(),
        )
    }

    /// All instructions that share values of a register with one of its accesses: the definitions and their
    /// uses.
    #[must_use]
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

    fn search(
        &self,
        mut open: Vec<usize>,
        is_found: impl Fn(usize) -> bool,
        is_end: impl Fn(usize) -> bool,
        next: impl Fn(usize) -> Vec<usize>,
    ) -> Vec<usize> {
        let mut seen = vec![false; self.flow.nodes()];
        let mut found = Vec::new();
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            if is_found(at) {
                found.push(at);
            }
            if !is_end(at) {
                open.extend(next(at));
            }
        }
        found.sort_unstable();
        found
    }
}
