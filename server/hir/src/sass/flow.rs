//! Where control continues after an instruction.

use super::model::{Function, Instruction};

/// Whether the last operand of an instruction is a target.
pub(super) fn has_target(function: &Function, instruction: &Instruction) -> bool {
    match instruction.opcode.as_str() {
        "BRA" | "BRX" | "BRXU" | "JMP" | "JMX" | "JMXU" | "CAL" | "JCAL" | "CALL" | "RET" | "SSY" | "PBK"
        | "PCNT" | "PRET" | "PLONGJMP" | "PEXIT" | "BSSY" => true,
        "WARPSYNC" => function.has_modifier(instruction, "COLLECTIVE"),
        _ => false,
    }
}
