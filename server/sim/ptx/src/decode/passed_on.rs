//! Loads whose value only memory accesses use, for races with values that are not used.

use rustc_hash::{FxHashMap, FxHashSet};
use warplens_hir::cfg::Cfg;
use warplens_sim_cuda::sanitizer::used_lanes::UsedLanes;

use super::passes::settles;
use crate::program::{Function, Guard, Mixing, Op, Passing, ReadKind};

/// Maximum number of such loads in a function.
const MAX_LOADS: usize = 256;

/// Plain loads whose value is used, and only by memory accesses, with these accesses: a lane that executes none of them does not
/// use the value. After an exchange, nor does a warp.
pub(super) fn passed_on(function: &Function, cfg: &Cfg) -> Vec<(u32, Vec<(u32, UsedLanes)>)> {
    let all = 0..function.code.len() as u32;
    let has_guards = || {
        all.clone().any(|pc| {
            function.code[pc as usize].op.is_access() && function.code[pc as usize].guard != Guard::ALWAYS
        })
    };
    if cfg.blocks().len() == 1 && !has_guards() {
        // All lanes execute everything.
        return Vec::new();
    }
    let Some(decisive) = decisive(function) else { return Vec::new() };
    let is_passed_on = |pc: &u32| {
        matches!(function.code[*pc as usize].op, Op::Load(_))
            && !function.orders[*pc as usize].strong
            && function.writes_of(*pc).iter().all(|&register| !decisive[register as usize])
    };
    let loads: Vec<u32> = all.clone().filter(is_passed_on).take(MAX_LOADS).collect();
    if loads.is_empty() {
        return Vec::new();
    }
    let mut readers: Vec<Vec<u32>> = vec![Vec::new(); function.frame.registers.len()];
    for pc in all {
        function.flow.reads_of(pc).iter().for_each(|read| readers[read.register as usize].push(pc));
    }
    let with_uses = |load: u32| (load, accesses(function, load, &readers));
    loads.into_iter().map(with_uses).filter(|(_, accesses)| !accesses.is_empty()).collect()
}

/// The accesses that use a load's value, or a value computed from it.
fn accesses(function: &Function, load: u32, readers: &[Vec<u32>]) -> Vec<(u32, UsedLanes)> {
    let (mut seen, mut accesses) = (FxHashSet::default(), FxHashMap::default());
    let mut work: Vec<_> =
        function.writes_of(load).iter().map(|&register| (register, UsedLanes::Own)).collect();
    while let Some((register, lanes)) = work.pop() {
        if !seen.insert((register, lanes)) {
            continue;
        }
        for &pc in &readers[register as usize] {
            let op = function.code[pc as usize].op;
            let lanes = if exchanges(op) { UsedLanes::Warp } else { lanes };
            match op.is_access() {
                true => {
                    let known = accesses.entry(pc).or_insert(lanes);
                    *known = lanes.max(*known);
                }
                false => work.extend(function.writes_of(pc).iter().map(|&register| (register, lanes))),
            }
        }
    }
    let mut accesses: Vec<_> = accesses.into_iter().collect();
    accesses.sort_unstable();
    accesses
}

/// Whether the operation computes from values of all lanes of the warp, and reaches no other warp.
fn exchanges(op: Op) -> bool {
    op.exchange().is_some() || matches!(op, Op::MatrixProduct(_) | Op::MatrixTranspose)
}

/// The registers whose value may decide more than what memory accesses read and write: guards, branches, calls, other warps.
/// `None` if the function needs too many passes.
fn decisive(function: &Function) -> Option<Vec<bool>> {
    let mut decisive = vec![false; function.frame.registers.len()];
    for formal in &function.returns {
        let is_it = |place| formal.at == Passing::Register(place);
        let registers = function.frame.registers.iter().zip(&mut decisive);
        registers.filter(|(register, _)| is_it(register.place)).for_each(|(_, decisive)| *decisive = true);
    }
    let is_settled = settles(|| {
        let mut changed = false;
        for pc in (0..function.code.len() as u32).rev() {
            let op = function.code[pc as usize].op;
            let computes = function.flow.mixing_of(pc) != Mixing::Defined || exchanges(op);
            let passes_on = match computes {
                true => function.writes_of(pc).iter().all(|&register| !decisive[register as usize]),
                false => op.is_access(),
            };
            let decides = |part| matches!(part, ReadKind::Guard | ReadKind::Members);
            let mut mark = |register: u32| {
                changed |= !std::mem::replace(&mut decisive[register as usize], true);
            };
            for read in function.flow.reads_of(pc).iter().filter(|read| !passes_on || decides(read.part)) {
                mark(read.register);
            }
            if matches!(op, Op::Call(..)) {
                function.registers_of(pc).iter().for_each(|&register| mark(register));
            }
        }
        changed
    });
    is_settled.then_some(decisive)
}
