//! `barrier-not-set`: a `BSYNC` or `BREAK` of a barrier that is not set.

use warplens_hir::sass::{Function, Instruction, barrier, flow};
use warplens_ide_db::Problem;
use warplens_isa::sass::Flow;

use crate::codes;

/// A barrier that is set anywhere in the function counts as set, because a path may lead back.
pub(super) fn check(function: &Function, problems: &mut Vec<Problem>) {
    let is_use =
        |instruction: &Instruction| matches!(flow(instruction), Flow::BarrierSync | Flow::BarrierBreak);
    let bit = |number: u8| 1_u32.checked_shl(u32::from(number)).unwrap_or_default();
    let set = (function.instructions.iter().filter(|instruction| !is_use(instruction)))
        .filter_map(|instruction| barrier(function, instruction))
        .fold(0, |set, barrier| set | bit(barrier.number));
    for instruction in function.instructions.iter().filter(|instruction| is_use(instruction)) {
        let Some(barrier) = barrier(function, instruction) else { continue };
        if set & bit(barrier.number) == 0 {
            let message = format!("`{barrier}` is not set: there is not a `BSSY {barrier}` in this function");
            problems.push(Problem::warning(instruction.opcode_range, codes::BARRIER_NOT_SET, message));
        }
    }
}
