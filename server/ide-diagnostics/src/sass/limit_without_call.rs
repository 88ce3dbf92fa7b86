//! `limit-without-call`: a branch with `.LMT` in a function without calls.

use warplens_hir::sass::{Function, Instruction};
use warplens_ide_db::Problem;

use crate::codes;

pub(super) fn check(function: &Function, instruction: &Instruction) -> Option<Problem> {
    if !function.has_modifier(instruction, "LMT") || sets_limit(function) {
        return None;
    }
    let message =
        "`.LMT` depends on the limit flag, which only a call or a PRET sets: this function has none";
    Some(Problem::hint(instruction.opcode_range, codes::LIMIT_WITHOUT_CALL, message))
}

fn sets_limit(function: &Function) -> bool {
    function.instructions.iter().any(|it| matches!(it.opcode.as_str(), "PRET" | "CAL" | "JCAL"))
}
