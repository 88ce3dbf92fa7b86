//! `unmatched-token`: a `SYNC`, `BRK` or `CONT` without a token.

use warplens_hir::sass::{FlowGraph, Function, flow};
use warplens_ide_db::Problem;
use warplens_isa::sass::Flow;

use crate::codes;

pub(super) fn check(function: &Function, problems: &mut Vec<Problem>) {
    for index in FlowGraph::new(function).unbalanced {
        let instruction = &function.instructions[index as usize];
        if flow(instruction) != Flow::Pop {
            continue;
        }
        let opens = match instruction.opcode.as_str() {
            "SYNC" => "SSY",
            "BRK" => "PBK",
            "CONT" => "PCNT",
            _ => continue,
        };
        let message =
            format!("no token for this `{}`: there is not a `{opens}` on a path to it", instruction.opcode);
        problems.push(Problem::warning(instruction.opcode_range, codes::UNMATCHED_TOKEN, message));
    }
}
