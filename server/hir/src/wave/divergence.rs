//! Barriers that only some lanes of a wave come to. What comes from memory or from a caller is not taken to differ, so
//! nothing is said without a reason that stands in the text.

use super::model::{Code, Instruction};
use super::problem::{Problem, ProblemKind};
use super::uniformity::{Uniformity, Variance, Walk};

/// Adds the barriers under divergence to the problems of a kernel. Outside of every construct lanes are together.
pub(crate) fn check(code: &mut Code) {
    let mut inside = code.instructions.iter().zip(&code.parents).filter(|(_, parent)| parent.is_some());
    if inside.any(|(instruction, _)| is_barrier(instruction)) {
        let found = barriers_apart(code);
        code.problems.extend(found);
    }
}

fn is_barrier(instruction: &Instruction) -> bool {
    instruction.name() == "barrier"
}

fn barriers_apart(code: &Code) -> Vec<Problem> {
    let analysis = Uniformity::of(code);
    let mut loops = Vec::new();
    let Some(mut walk) = analysis.last_walk(&mut loops) else { return Vec::new() };
    let mut found = Vec::new();
    for (at, instruction) in code.instructions.iter().enumerate() {
        if is_barrier(instruction)
            && let Some(parts) = parted(&walk, at)
        {
            let parts = code.instructions[parts].mnemonic_range;
            let kind = ProblemKind::DivergentBarrier { parts };
            found.push(Problem { range: instruction.mnemonic_range, kind });
        }
        walk.step(at);
    }
    found
}

/// The outermost `if`, `break` or `continue` that keeps lanes away from an instruction.
fn parted(walk: &Walk<'_>, at: usize) -> Option<usize> {
    walk.open.iter().find_map(|open| match walk.trips(open) {
        Some(trips) => match trips.apart(at)? {
            (Variance::Varies, leaves) => Some(leaves as usize),
            _ => None,
        },
        None => (open.parts == Variance::Varies).then_some(open.at),
    })
}
