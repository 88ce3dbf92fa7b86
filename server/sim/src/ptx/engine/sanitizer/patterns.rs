//! The patterns of memory accesses of a whole program, by statement.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ptx::program::{AtomicOp, Function, Op, Program};

/// The patterns that reports name.
#[derive(Debug, Default)]
pub(crate) struct ProgramPatterns {
    /// The sizes in bytes of loads whose value only compare-and-swap loops use.
    cas_loads: FxHashMap<u32, u32>,
    /// The sizes in bytes of the elements of atomics, if there are such loads.
    atomics: FxHashMap<u32, u32>,
    /// Strong loads whose value controls which lanes run.
    polls: FxHashSet<u32>,
    /// By store that completes an update: the load, and the atomic that does the same.
    updates: FxHashMap<u32, (u32, AtomicOp)>,
    /// `st.async`
    async_stores: FxHashSet<u32>,
}

impl ProgramPatterns {
    /// The patterns of a program of which only the loads that may poll are known.
    pub(crate) fn of_polls(polls: impl IntoIterator<Item = u32>) -> ProgramPatterns {
        ProgramPatterns { polls: polls.into_iter().collect(), ..ProgramPatterns::default() }
    }

    pub(super) fn new(program: &Program) -> ProgramPatterns {
        let mut patterns = ProgramPatterns::default();
        for function in &program.functions {
            let statement = |pc: u32| function.first_statement + pc;
            let loads = function.patterns.cas_loads.iter();
            let updates = function.patterns.updates.iter();
            patterns
                .updates
                .extend(updates.map(|update| (statement(update.store), (statement(update.load), update.op))));
            patterns.polls.extend(function.patterns.polls.iter().map(|&pc| statement(pc)));
            patterns.cas_loads.extend(loads.map(|&pc| (statement(pc), load_size(function, pc))));
        }
        for function in program.functions.iter().filter(|function| !function.tables.completions.is_empty()) {
            let all = function.code.iter().zip(function.first_statement..);
            let stores = all.filter(|(instruction, _)| instruction.op == Op::StoreAsync);
            patterns.async_stores.extend(stores.map(|(_, statement)| statement));
        }
        if !patterns.cas_loads.is_empty() {
            patterns.atomics = program.functions.iter().flat_map(atomics).collect();
        }
        patterns
    }

    /// Whether the statement is a strong load whose value controls which lanes run.
    pub(super) fn is_poll(&self, statement: u32) -> bool {
        self.polls.contains(&statement)
    }

    /// The atomic that does the same as the load, the operation and the store of one address that race.
    pub(super) fn atomic_of(&self, statements: [u32; 2]) -> Option<AtomicOp> {
        let [a, b] = statements;
        let update = |store: u32, other: u32| {
            let &(load, op) = self.updates.get(&store)?;
            (other == store || other == load).then_some(op)
        };
        update(a, b).or_else(|| update(b, a))
    }

    /// Whether the statement is `st.async`.
    pub(super) fn is_async_store(&self, statement: u32) -> bool {
        self.async_stores.contains(&statement)
    }

    /// Whether one statement is a load whose value only compare-and-swap loops use, and the other an atomic of its size.
    pub(super) fn is_repaired_by_swap(&self, statements: [u32; 2]) -> bool {
        let [a, b] = statements;
        let is_pair = |load: u32, atomic: u32| {
            self.cas_loads.get(&load).is_some_and(|size| self.atomics.get(&atomic) == Some(size))
        };
        is_pair(a, b) || is_pair(b, a)
    }
}

fn load_size(function: &Function, pc: u32) -> u32 {
    function.tables.accesses[function.code[pc as usize].s.a as usize].size
}

/// The atomics of a function, and the sizes of their elements.
fn atomics(function: &Function) -> impl Iterator<Item = (u32, u32)> + use<'_> {
    let atomics = function.code.iter().zip(function.first_statement..);
    atomics.filter(|(instruction, _)| instruction.op == Op::Atomic).map(|(instruction, statement)| {
        let atomic = &function.tables.atomics[instruction.s.a as usize];
        (statement, atomic.ty.bytes() as u32)
    })
}
