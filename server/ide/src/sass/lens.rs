//! The resources of a function that its text shows, for a code lens and hovers.

use text_size::TextRange;
use warplens_hir::sass::{Facts, FlowGraph, Function, Liveness, RegisterFile, Target, accesses};
use warplens_ide_db::sass::{facts_of, sass_code, target_of};
use warplens_ide_db::{Database, File, count, placed_items};
use warplens_syntax::ItemKind;

pub(super) fn summaries(db: &Database, file: File) -> Vec<(TextRange, String)> {
    let mut lines = Vec::new();
    for (item, start) in placed_items(db, file).filter(|(item, _)| item.kind(db) == ItemKind::Kernel) {
        for function in &sass_code(db, item).functions {
            let Some(first) = function.instructions.first() else { continue };
            let name = function.name.as_ref().map_or(first.opcode_range, |name| name.range);
            let facts = facts_of(db, file, function);
            let parts = summary(function, &facts, target_of(db, item, function).as_ref());
            lines.push((name + start, parts.join(", ")));
        }
    }
    lines
}

/// `38 registers (peak at 0x1a0)`, `2 barriers`, `stack 16`, `3 spill stores`, `3 reloads`, `occupancy at most 50 %`
pub(super) fn summary(function: &Function, facts: &Facts, target: Option<&Target>) -> Vec<String> {
    let flow = FlowGraph::new(function);
    let liveness = Liveness::new(function, &flow);
    let mut parts = Vec::new();
    if let Some((alive, at)) = liveness.peak() {
        let address = function.instructions[at].address;
        let registers = facts.registers.unwrap_or_else(|| named(function));
        parts.push(format!("{registers} registers (peak {alive} at {address:#x})"));
        parts.extend(occupancy(registers, target));
    }
    let mut add = |number: u32, one: &str, many: &str| {
        if number > 0 {
            parts.push(count(number as usize, one, many));
        }
    };
    add(facts.barriers.unwrap_or_default(), "block barrier", "block barriers");
    add(facts.stack_bytes.unwrap_or_default(), "byte of stack", "bytes of stack");
    add(facts.shared_bytes.unwrap_or_default(), "byte of shared memory", "bytes of shared memory");
    let opcodes = |opcode: &str| function.instructions.iter().filter(|it| it.opcode == opcode).count() as u32;
    add(opcodes("STL"), "store to the stack", "stores to the stack");
    add(opcodes("LDL"), "load from the stack", "loads from the stack");
    parts
}

/// The number of general registers up to the highest one that the text names.
fn named(function: &Function) -> u32 {
    let all = function.instructions.iter().flat_map(|instruction| accesses(function, instruction));
    let general = all.filter(|access| access.register.file == RegisterFile::General);
    general.map(|it| u32::from(it.register.number) + u32::from(it.count)).max().unwrap_or_default()
}

/// The percentage of a multiprocessor's warps that fit if each thread has this many registers.
fn occupancy(registers: u32, target: Option<&Target>) -> Option<String> {
    let limits = warplens_isa::ptx::chip(target?.number)?.limits?;
    let warps = limits.warps_by_registers(registers.into());
    Some(format!("occupancy at most {} %", warps * 100 / u64::from(limits.warps_per_sm)))
}
