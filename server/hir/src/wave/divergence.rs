//! Barriers that only some lanes of a wave reach. Values from memory, or from a function of another file, are
//! not assumed to differ, so every report has a cause in the text.

use super::model::{Code, Instruction};
use super::problem::{Problem, ProblemKind};
use super::uniformity::Uniformity;

/// Adds the barriers under divergence to the problems of a kernel. Outside all constructs lanes are
/// converged, except in a function.
pub(crate) fn check(code: &mut Code) {
    let first_label = code.labels.first().map_or(code.instructions.len(), |label| label.before as usize);
    let mut places = code.instructions.iter().zip(&code.parents).enumerate();
    let may_diverge = places.any(|(at, (instruction, parent))| {
        is_barrier(instruction) && (parent.is_some() || at >= first_label)
    });
    if may_diverge {
        let found = divergent_barriers(code);
        code.problems.extend(found);
    }
}

fn is_barrier(instruction: &Instruction) -> bool {
    instruction.name() == "barrier"
}

fn divergent_barriers(code: &Code) -> Vec<Problem> {
    let analysis = Uniformity::of(code);
    let Some(mut walk) = analysis.last_walk() else { return Vec::new() };
    let mut found = Vec::new();
    for (at, instruction) in code.instructions.iter().enumerate() {
        walk.advance_to(at);
        if is_barrier(instruction)
            && let Some(at) = walk.diverges_at(at)
        {
            let diverges_at = code.instructions[at].mnemonic_range;
            let kind = ProblemKind::DivergentBarrier { diverges_at };
            found.push(Problem { range: instruction.mnemonic_range, kind });
        }
        walk.step(at);
    }
    found
}
