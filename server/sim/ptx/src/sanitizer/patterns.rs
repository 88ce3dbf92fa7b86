//! The patterns of the memory accesses in a PTX program.

use warplens_sim_cuda::sanitizer::patterns::ProgramPatterns;

use crate::program::{BarrierKind, Function, Op, Program, Rows, TensorOp};

/// The patterns that the checks need.
pub(crate) fn program_patterns(program: &Program, races: bool) -> ProgramPatterns {
    let mut patterns = ProgramPatterns::default();
    for function in &program.functions {
        let statement = |pc: u32| function.first_statement + pc;
        patterns.units.extend(units(function));
        let loads = function.patterns.cas_loads.iter();
        let updates = function.patterns.updates.iter();
        patterns
            .updates
            .extend(updates.map(|update| (statement(update.store), (statement(update.load), update.op))));
        patterns.polls.extend(function.patterns.polls.iter().map(|&pc| statement(pc)));
        patterns
            .computed_addresses
            .extend(function.patterns.computed_addresses.iter().map(|&pc| statement(pc)));
        let rounded = function.patterns.rounded_stores.iter();
        patterns.rounded_stores.extend(rounded.map(|&(pc, ty)| (statement(pc), ty)));
        if races {
            patterns.accumulating.extend(accumulating(function));
            for (load, uses) in &function.patterns.passed_on {
                patterns.uses.add(statement(*load), uses.iter().map(|&(pc, lanes)| (statement(pc), lanes)));
            }
        }
        patterns.awaits_phases |= function.tables.mbarriers.iter().any(|mbarrier| mbarrier.action.waits());
        patterns.is_relaxed |= is_relaxed(function);
        let size = |pc: u32| Some(function.tables[function.code[pc as usize].op.load()?].size);
        patterns.cas_loads.extend(loads.filter_map(|&pc| Some((statement(pc), size(pc)?))));
    }
    for function in program.functions.iter().filter(|function| !function.tables.async_stores.is_empty()) {
        let all = function.code.iter().zip(function.first_statement..);
        let stores = all.filter(|(instruction, _)| matches!(instruction.op, Op::StoreAsync(_)));
        patterns.async_stores.extend(stores.map(|(_, statement)| statement));
    }
    if !patterns.cas_loads.is_empty() {
        patterns.atomics = program.functions.iter().flat_map(atomics).collect();
    }
    patterns
}

/// Whether threads may synchronize by relaxed accesses or arrivals.
fn is_relaxed(function: &Function) -> bool {
    let accesses = function.orders.iter().any(|order| order.strong && !(order.acquire || order.release));
    accesses
        || function.tables.barriers.iter().any(|barrier| barrier.kind == BarrierKind::ClusterArriveRelaxed)
}

/// The bytes of an element, for the statements of a function that tell the type of what they access.
fn units(function: &Function) -> impl Iterator<Item = (u32, u32)> + use<'_> {
    let (code, tables) = (function.code.iter().zip(function.first_statement..), &function.tables);
    code.filter_map(|(instruction, statement)| {
        let unit = match instruction.op {
            Op::Load(id) | Op::Store(id) => tables[id].size,
            Op::Atomic(id) if tables[id].ty.is_packed() => return None,
            Op::Atomic(id) => tables[id].ty.bytes() as u32,
            Op::StoreAsync(id) => tables[id].0.size,
            Op::AtomicAsync(id) => tables[id].0.ty.bytes() as u32,
            Op::MatrixAccess(id) if tables[id].rows == Rows::Halves => 2,
            Op::MatrixAccess(_) => 1,
            Op::FragmentAccess(id) => (tables[id].matrix.bits / 8).max(1),
            Op::BulkCopy(id) => tables[id].reduction?.1.bytes() as u32,
            Op::Tensor(id) => match &tables[id] {
                TensorOp::Product(product) => (product.factors[0].bits() / 8).max(1),
                _ => return None,
            },
            _ => return None,
        };
        Some((statement, unit))
    })
}

/// The statements of a function that accumulate in memory.
fn accumulating(function: &Function) -> impl Iterator<Item = u32> + use<'_> {
    let code = function.code.iter().zip(function.first_statement..);
    code.filter_map(|(instruction, statement)| {
        let op = match instruction.op {
            Op::Atomic(id) => Some(function.tables[id].op),
            Op::BulkCopy(id) => function.tables[id].reduction.map(|(op, _)| op),
            Op::Tensor(id) => match &function.tables[id] {
                TensorOp::Copy(copy) => copy.reduction,
                _ => None,
            },
            _ => None,
        };
        op.filter(|op| op.accumulates()).map(|_| statement)
    })
}

/// The atomics of a function, with the sizes of their elements.
fn atomics(function: &Function) -> impl Iterator<Item = (u32, u32)> + use<'_> {
    let atomics = function.code.iter().zip(function.first_statement..);
    atomics.filter_map(|(instruction, statement)| match instruction.op {
        Op::Atomic(id) => Some((statement, function.tables[id].ty.bytes() as u32)),
        _ => None,
    })
}
