//! `opcode-of-other-target`: an opcode that the target of the listing does not have.

use warplens_hir::sass::{Function, Instruction};
use warplens_ide_db::Problem;
use warplens_isa::sass::{self as isa, Generation};

use crate::codes;

pub(super) fn check(function: &Function, instruction: &Instruction) -> Option<Problem> {
    isa::opcode(&instruction.opcode).filter(|entry| is_surely_missing(entry, function.generation))?;
    let message = format!(
        "`{}` is not an instruction of {:?} ({}): the target of this listing may be wrong",
        instruction.opcode,
        function.generation,
        function.generation.targets()
    );
    Some(Problem::warning(instruction.opcode_range, codes::OPCODE_OF_OTHER_TARGET, message))
}

/// Whether a generation does not have an opcode. The tables of the generations before Turing may be incomplete.
fn is_surely_missing(entry: &isa::Instruction, generation: Generation) -> bool {
    let is_sure = generation >= Generation::Turing
        || !generation.has_convergence_barriers()
            && entry.generations.iter().all(|other| other.has_convergence_barriers());
    is_sure && !entry.generations.is_empty() && !entry.generations.contains(&generation)
}
