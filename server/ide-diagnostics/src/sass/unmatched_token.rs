//! `unmatched-token`: a `SYNC`, `.S`, `BRK` or `CONT` without a token.

use warplens_hir::sass::{FlowGraph, Function, flow, joins};
use warplens_ide_db::Problem;
use warplens_isa::sass::Flow;

use crate::codes;

pub(super) fn check(function: &Function, problems: &mut Vec<Problem>) {
    for index in FlowGraph::new(function).unbalanced {
        let instruction = &function.instructions[index as usize];
        let joins = joins(function, instruction);
        if flow(instruction) != Flow::Pop && !joins {
            continue;
        }
        let opens = match instruction.opcode.as_str() {
            _ if joins => "SSY",
            "SYNC" => "SSY",
            "BRK" => "PBK",
            "CONT" => "PCNT",
            _ => continue,
        };
        let shown = if joins { ".S" } else { &instruction.opcode };
        let message = format!("no token for this `{shown}`: there is not a `{opens}` on a path to it");
        problems.push(Problem::warning(instruction.opcode_range, codes::UNMATCHED_TOKEN, message));
    }
}
