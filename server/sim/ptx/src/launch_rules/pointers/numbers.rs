//! What kernels do with the numbers in their parameters that are no addresses.

use rustc_hash::{FxHashMap, FxHashSet};
use warplens_hir::ptx::Operand;

use super::flow::{Bodies, place_of};
use super::values::{Object, Place};

/// Instructions that compare their sources.
const COMPARISONS: [&str; 5] = ["setp", "set", "min", "max", "slct"];
/// Instructions whose result grows with a source.
const SCALINGS: [&str; 7] = ["cvt", "mul", "mad", "shl", "shr", "neg", "div"];

/// Numbers in parameters, by parameter and byte.
type Numbers = FxHashSet<(usize, u64)>;

/// The numbers that reach a comparison, as lengths and bounds do.
pub(super) fn compared(bodies: &Bodies<'_>) -> Numbers {
    let mut scaled: FxHashMap<Place, Numbers> = FxHashMap::default();
    let mut found = Numbers::default();
    for (number, function, instruction) in bodies.instructions() {
        let is_comparison = COMPARISONS.contains(&instruction.opcode());
        if !is_comparison && !SCALINGS.contains(&instruction.opcode()) {
            continue;
        }
        let Some((destination, sources)) = instruction.operands().split_first() else { continue };
        let register = |operand: &Operand| place_of(function, number, *operand);
        let mut numbers: Numbers = sources.iter().flat_map(|source| held(bodies, number, *source)).collect();
        numbers.extend(sources.iter().filter_map(|source| scaled.get(&register(source)?)).flatten());
        if is_comparison {
            found.extend(numbers);
        } else if let Some(register) = register(destination) {
            scaled.entry(register).or_default().extend(numbers);
        }
    }
    found
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
