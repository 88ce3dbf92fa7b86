//! Which parameters are compared with something, as lengths and bounds are.

use rustc_hash::{FxHashMap, FxHashSet};
use warplens_hir::ptx::{Function, Operand};

use super::flow::Origins;
use super::nodes::node_of;
use super::params;

/// Instructions that compare their sources.
const COMPARISONS: [&str; 5] = ["setp", "set", "min", "max", "slct"];
/// Instructions whose result grows with their source.
const SCALINGS: [&str; 7] = ["cvt", "mul", "mad", "shl", "shr", "neg", "div"];

/// The numbers in the parameters of an entry, by parameter and byte, that reach a comparison.
pub(super) fn compared(entry: &Function, origins: &FxHashMap<usize, Origins>) -> FxHashSet<(usize, u64)> {
    let mut scaled: FxHashMap<usize, FxHashSet<(usize, u64)>> = FxHashMap::default();
    let mut found = FxHashSet::default();
    for instruction in entry.instructions() {
        let Some((destination, sources)) = instruction.operands().split_first() else { continue };
        let of = |operand: &Operand| node_of(entry, *operand);
        let params: FxHashSet<_> = sources
            .iter()
            .filter_map(of)
            .flat_map(|node| {
                params(origins.get(&node)).chain(scaled.get(&node).into_iter().flatten().copied())
            })
            .collect();
        if COMPARISONS.contains(&instruction.opcode()) {
            found.extend(params);
        } else if SCALINGS.contains(&instruction.opcode())
            && let Some(node) = of(destination)
        {
            scaled.entry(node).or_default().extend(params);
        }
    }
    found
}
