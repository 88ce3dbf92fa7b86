//! What the text of a function shows about its resources and its cost.

use warplens_hir::sass::{Facts, FlowGraph, Function, Liveness};

/// `38 registers (peak at 0x1a0)`, `2 barriers`, `stack 16`, `3 spill stores`, `3 reloads`
pub(super) fn summary(function: &Function, facts: &Facts) -> Vec<String> {
    let flow = FlowGraph::new(function);
    let liveness = Liveness::new(function, &flow);
    let mut parts = Vec::new();
    if let Some((count, at)) = liveness.peak() {
        let address = function.instructions[at].address;
        let allocated = facts.registers.map_or_else(String::new, |allocated| format!(" of {allocated}"));
        parts.push(format!("{count}{allocated} registers alive (peak at 0x{address:x})"));
    }
    let count = |opcodes: &[&str]| {
        function.instructions.iter().filter(|it| opcodes.contains(&it.opcode.as_str())).count()
    };
    let mut add = |count: u32, one: &str, many: &str| {
        if count > 0 {
            parts.push(format!("{count} {}", if count == 1 { one } else { many }));
        }
    };
    add(facts.barriers.unwrap_or_default(), "block barrier", "block barriers");
    add(facts.stack_bytes.unwrap_or_default(), "byte of stack", "bytes of stack");
    add(facts.shared_bytes.unwrap_or_default(), "byte of shared memory", "bytes of shared memory");
    add(count(&["STL"]) as u32, "store to local memory", "stores to local memory");
    add(count(&["LDL"]) as u32, "load from local memory", "loads from local memory");
    parts
}
