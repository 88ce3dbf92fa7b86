//! The patterns of the memory accesses in a PTX program.

use warplens_sim_cuda::sanitizer::patterns::ProgramPatterns;

use crate::program::{Function, Op, Program};

pub(crate) fn program_patterns(program: &Program) -> ProgramPatterns {
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

fn load_size(function: &Function, pc: u32) -> u32 {
    function.tables.accesses[function.code[pc as usize].s.a as usize].size
}

/// The atomics of a function, with the sizes of their elements.
fn atomics(function: &Function) -> impl Iterator<Item = (u32, u32)> + use<'_> {
    let atomics = function.code.iter().zip(function.first_statement..);
    atomics.filter(|(instruction, _)| instruction.op == Op::Atomic).map(|(instruction, statement)| {
        let atomic = &function.tables.atomics[instruction.s.a as usize];
        (statement, atomic.ty.bytes() as u32)
    })
}
