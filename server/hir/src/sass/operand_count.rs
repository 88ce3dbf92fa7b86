//! How many operands an instruction has. The counts leave predicates out, because some are optional.

use text_size::TextRange;
use warplens_isa::sass::{self as isa, PredicateOperand};

use super::model::{Function, Instruction};
use super::operand::{Operand, Value};
use super::register::Register;

impl Function {
    /// Whether an instruction stands for a line that looks like one and is not read.
    pub fn is_unread(&self, instruction: &Instruction) -> bool {
        let is_line =
            |operand: &Operand| operand.value == Value::Unknown && operand.range == instruction.opcode_range;
        self.operands(instruction).first().is_some_and(is_line)
    }

    /// Where and why no machine code has the operands of an instruction or its guard: one is missing or too many, or a
    /// register stands where a predicate belongs. `None` for opcodes whose operands are not counted.
    pub fn misstated_operand(&self, instruction: &Instruction) -> Option<(TextRange, String)> {
        if let Some(guard) = instruction.guard.filter(|guard| !guard.register.is_predicate()) {
            return Some((guard.range, format!("a guard is a predicate, and `{}` is none", guard.register)));
        }
        let operands = self.operands(instruction);
        if let Some(cut) = operands.last().filter(|operand| operand.range.is_empty()) {
            let why = "no operand follows the comma: write all operands of an instruction on its line";
            return Some((cut.range, why.to_owned()));
        }
        if let Some(operand) = operands.iter().find(|operand| operand.value == Value::Unknown) {
            let why = match self.is_unread(instruction) {
                true => {
                    "the line of this instruction is not read: end the instruction with `;`, and remove what stands before it"
                }
                false => "this is not an operand of any instruction",
            };
            return Some((operand.range, why.to_owned()));
        }
        let entry = isa::opcode(&instruction.opcode)?;
        let opcode = entry.opcode;
        let is_predicate = |operand: &Operand| operand.register().is_some_and(Register::is_predicate);
        let first = operands.first()?;
        if entry.predicate == PredicateOperand::Destination && !is_predicate(first) {
            return Some((first.range, format!("`{opcode}` writes a predicate, and this is none")));
        }
        let mut counted: Vec<&Operand> = operands.iter().filter(|operand| !is_predicate(operand)).collect();
        if entry.predicate == PredicateOperand::Selector && counted.len() == operands.len() {
            let why = format!("`{opcode}` chooses by a predicate, and there is none");
            return Some((instruction.opcode_range, why));
        }
        let (least, most) = (usize::from(entry.operand_count.0), usize::from(entry.operand_count.1));
        if most == 0 {
            return None;
        }
        let is_mask = |operand: &&Operand| matches!(operand.value, Value::Immediate(_));
        if entry.byte_mask && counted.len() == most + 1 && counted.last().is_some_and(is_mask) {
            counted.pop();
        }
        let count = counted.len();
        let limits = if least == most { most.to_string() } else { format!("{least} to {most}") };
        let why = |range: TextRange| {
            (range, format!("`{opcode}` has {limits} operands other than predicates, and here are {count}"))
        };
        match count {
            _ if count < least => Some(why(instruction.opcode_range)),
            _ if count > most => Some(why(counted[most].range)),
            _ => None,
        }
    }
}
