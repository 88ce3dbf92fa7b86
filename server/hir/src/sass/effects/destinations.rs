//! The operands that an instruction writes.

use warplens_isa::sass::{self as isa, Writes};

use crate::sass::model::Instruction;
use crate::sass::operand::{Operand, Value};
use crate::sass::register::{Register, RegisterFile};

/// One bit for each operand that is a destination.
pub fn destinations(instruction: &Instruction, operands: &[Operand]) -> u32 {
    let opcode = instruction.opcode.as_str();
    let writes = isa::opcode(opcode).map_or(Writes::Registers, |entry| entry.writes);
    let is_predicate = |operand: &Operand| {
        operand.register().is_some_and(Register::is_predicate) && !operand.not && operand.is_plain()
    };
    match writes {
        Writes::Nothing => 0,
        Writes::Predicates => leading(operands, 0, if opcode == "FCHK" { 1 } else { 2 }, is_predicate),
        Writes::Registers => {
            let votes = matches!(opcode, "VOTE" | "VOTEU");
            let mut found = leading(operands, 0, if votes { 1 } else { 8 }, is_predicate);
            let first = found.trailing_ones() as usize;
            if votes && first > 0 {
                return found;
            }
            let Some(operand) = operands.get(first) else { return found };
            match operand.value {
                Value::Register(register) if !register.is_predicate() => found |= 1 << first,
                // `BMOV B0, R1`, `R2P PR, R0`: the destination is not a register of a lane.
                _ => return found,
            }
            if LATER_PREDICATES.contains(&opcode) {
                let limit = if votes { 1 } else { 2 };
                found |= leading(operands, first + 1, limit, is_predicate);
            }
            // From Volta on, a texture result may have two halves in separate registers.
            let is_general = |operand: &&Operand| {
                operand.register().is_some_and(|register| register.file == RegisterFile::General)
            };
            // `LDG.E.ENL2.256 R8, R4, [..]` has both halves of its result.
            if opcode == "LDG" && operands.get(first + 1).is_some_and(|operand| is_general(&operand)) {
                found |= 1 << (first + 1);
            }
            let is_texture = matches!(opcode, "TEX" | "TLD" | "TLD4" | "TMML" | "TXD" | "TXQ");
            if is_texture && operands.iter().filter(is_general).count() > 3 {
                found |= 1 << (first + 1);
            }
            found
        }
    }
}

/// The operands from `from` on that a test accepts, at most `limit` of them.
fn leading(operands: &[Operand], from: usize, limit: usize, accepts: impl Fn(&Operand) -> bool) -> u32 {
    let count = operands.iter().skip(from).take(limit).take_while(|operand| accepts(operand)).count();
    ((1_u32 << count.min(16)) - 1) << from.min(15)
}

/// The opcodes whose predicates after the destination register are destinations too.
const LATER_PREDICATES: &[&str] = &[
    "B2R", "FLO", "IADD", "IADD3", "IMAD", "IMNMX", "LEA", "LOP3", "UFLO", "UIADD3", "UIMAD", "UIMNMX",
    "ULEA", "ULOP3", "UVIMNMX", "VIADD", "VIMNMX", "VIMNMX3", "VOTE", "VOTEU",
];
