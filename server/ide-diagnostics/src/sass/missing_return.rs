//! `missing-return`: control that continues after the last instruction.

use warplens_hir::sass::{Function, flow, is_unconditional, joins};
use warplens_ide_db::Problem;
use warplens_isa::sass::Flow;

use crate::codes;

/// Checks a function whose text has its end.
pub(super) fn check(function: &Function) -> Option<Problem> {
    let last = function.instructions.iter().rev().find(|instruction| instruction.opcode != "NOP")?;
    let ends = match flow(last) {
        Flow::Branch | Flow::IndirectBranch | Flow::Exit | Flow::Return | Flow::Pop => {
            is_unconditional(function, last)
        }
        Flow::Trap | Flow::Call => true,
        _ => joins(function, last),
    };
    let message = "control reaches the end of the function: there is not an `EXIT`, `RET` or branch after it";
    (!ends).then(|| Problem::warning(last.opcode_range, codes::MISSING_RETURN, message))
}
