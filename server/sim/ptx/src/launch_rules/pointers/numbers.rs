//! What kernels do with the numbers in their parameters that are no addresses.

use rustc_hash::{FxHashMap, FxHashSet};
use warplens_hir::ptx::Operand;

use super::flow::Bodies;
use super::places::{Object, Place, place_of};

/// Instructions that compare their sources.
const COMPARISONS: [&str; 5] = ["setp", "set", "min", "max", "slct"];
/// Instructions whose result grows with a source.
const SCALINGS: [&str; 7] = ["cvt", "mul", "mad", "shl", "shr", "neg", "div"];

/// Numbers in parameters, by parameter and byte.
type Numbers = FxHashSet<(usize, u64)>;

/// The numbers that reach a comparison, as lengths and bounds do. Goes from the comparisons back to what their sources were scaled
/// from.
pub(super) fn compared(bodies: &Bodies<'_>) -> Numbers {
    let mut scaled: FxHashMap<Place, Vec<Sources<'_>>> = FxHashMap::default();
    let mut pending = Vec::new();
    for (number, function, instruction) in bodies.instructions() {
        let Some((destination, operands)) = instruction.operands().split_first() else { continue };
        let sources = Sources { function: number, operands };
        if COMPARISONS.contains(&instruction.opcode()) {
            pending.push(sources);
        } else if SCALINGS.contains(&instruction.opcode())
            && let Some(register) = place_of(function, number, *destination)
        {
            scaled.entry(register).or_default().push(sources);
        }
    }
    let mut found = Numbers::default();
    while let Some(Sources { function, operands }) = pending.pop() {
        for &operand in operands {
            found.extend(held(bodies, function, operand));
            let register = place_of(bodies.functions[function], function, operand);
            pending.extend(register.and_then(|register| scaled.remove(&register)).into_iter().flatten());
        }
    }
    found
}

/// The sources of an instruction, and the number of its function.
struct Sources<'f> {
    function: usize,
    operands: &'f [Operand],
}

/// The numbers of bits by which something is shifted, as the logarithms of sizes are.
pub(super) fn exponents(bodies: &Bodies<'_>) -> Numbers {
    let shifts = bodies.instructions().filter(|(.., it)| matches!(it.opcode(), "shl" | "shr"));
    let counts = shifts.filter_map(|(number, _, it)| Some((number, *it.operands().get(2)?)));
    counts.flat_map(|(number, count)| held(bodies, number, count)).collect()
}

fn held(bodies: &Bodies<'_>, function: usize, operand: Operand) -> impl Iterator<Item = (usize, u64)> {
    bodies.held(function, operand).iter().filter_map(|value| match value.object {
        Object::Pointee(param, at) => Some((param, at)),
        _ => None,
    })
}
