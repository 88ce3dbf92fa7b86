//! Recognizes patterns of memory accesses that the sanitizer's reports mention.

use rustc_hash::FxHashSet;
use warplens_hir::cfg::Cfg;

use super::computed_addresses::computed_addresses;
use super::passed_on::passed_on;
use super::rounded_stores::rounded_stores;
use super::updates::updates;
use super::value_flow::{UseKind, ValueFlow, blocks_before};
use crate::program::{Address, AtomicOp, Function, Op, Patterns, Space};

pub(super) fn patterns(function: &Function, cfg: &Cfg) -> Patterns {
    Patterns {
        cas_loads: cas_loads(function, cfg),
        polls: polls(function, cfg),
        updates: updates(function, cfg),
        passed_on: passed_on(function, cfg),
        computed_addresses: computed_addresses(function),
        rounded_stores: rounded_stores(function),
    }
}

/// Plain loads whose value is only input to a compare-and-swap, which detects a stale value.
fn cas_loads(function: &Function, cfg: &Cfg) -> Vec<u32> {
    let swaps = function.tables.atomics.iter().filter(|atomic| atomic.op == AtomicOp::CompareSwap);
    let swapped: FxHashSet<(Address, u32)> =
        swaps.map(|atomic| (atomic.address, atomic.ty.bytes() as u32)).collect();
    if swapped.is_empty() {
        return Vec::new();
    }
    let plain_load = |pc: &u32| {
        let access = function.plain_access(*pc, Op::load);
        access.is_some_and(|access| swapped.contains(&(access.address, access.size)))
    };
    (0..function.code.len() as u32)
        .filter(plain_load)
        .filter(|&load| only_prepares_swap(function, cfg, load))
        .collect()
}

/// Strong loads whose value may control which lanes run.
fn polls(function: &Function, cfg: &Cfg) -> Vec<u32> {
    let is_strong_load = |pc: &u32| {
        matches!(function.code[*pc as usize].op, Op::Load(_)) && function.orders[*pc as usize].strong
    };
    let may_control = |load: &u32| {
        let uses = ValueFlow::uses(function, cfg, *load);
        uses.iter().any(|found| match found.kind {
            UseKind::Control => true,
            UseKind::Other => is_followed_no_further(function, found.pc),
            UseKind::Compare | UseKind::Swap => false,
        })
    };
    (0..function.code.len() as u32).filter(is_strong_load).filter(may_control).collect()
}

/// Whether a value that the instruction uses may return to one of the thread's registers, through local memory or a call.
fn is_followed_no_further(function: &Function, pc: u32) -> bool {
    let instruction = &function.code[pc as usize];
    match instruction.op {
        Op::Store(id) => {
            let space = function.tables[id].space;
            !function.orders[pc as usize].strong && matches!(space, Space::Local | Space::Generic)
        }
        Op::Load(_) | Op::Call(..) | Op::Return(_) | Op::Vote(_) | Op::Reduce(_) => true,
        _ => false,
    }
}

fn only_prepares_swap(function: &Function, cfg: &Cfg, load: u32) -> bool {
    let uses = ValueFlow::uses(function, cfg, load);
    let of_kind = |kind: UseKind| uses.iter().filter(move |found| found.kind == kind).map(|found| found.pc);
    let compared: FxHashSet<u32> = of_kind(UseKind::Compare).collect();
    let is_swap = |pc| compared.contains(&pc);
    let swaps = compared.iter().map(|&pc| cfg.block_of(pc));
    let before = blocks_before(cfg, swaps, cfg.block_of(load));
    let decides_swap = |pc: u32| {
        let control = matches!(function.code[pc as usize].op, Op::Branch(_) | Op::Exit | Op::Return(_));
        is_swap(pc) || control && before[cfg.block_of(pc).index()]
    };
    !compared.is_empty()
        && of_kind(UseKind::Other).next().is_none()
        && of_kind(UseKind::Swap).all(is_swap)
        && of_kind(UseKind::Control).all(decides_swap)
}
