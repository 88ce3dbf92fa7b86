//! Statements that a text can have but machine code cannot.

use super::destinations;
use super::model::{Function, Instruction};
use super::operand::{Condition, Operand, Value};

impl Function {
    /// The name of a test of the condition code that does not exist: `FOO` in `BRA CC.FOO, 0x10`.
    pub fn unknown_test<'f>(&'f self, instruction: &'f Instruction) -> Option<&'f str> {
        let operand = self.operands(instruction).iter().find_map(|operand| match &operand.value {
            Value::UnknownTest(name) => Some(name.as_str()),
            _ => None,
        });
        operand.or_else(|| {
            // `CSETP.GE.AND P0, PT, CC, PT` has it among its modifiers.
            let first = self.modifiers(instruction).first().map(|word| word.text.as_str())?;
            let tests = matches!(instruction.opcode.as_str(), "CSET" | "CSETP");
            let is_known = matches!(first, "AND" | "OR" | "XOR" | "BF") || Condition::parse(first).is_some();
            (tests && !is_known).then_some(first)
        })
    }

    /// A carry that a sum reads without `.X`. `!PT` and `PT` are no carry.
    pub fn carry_without_x(&self, instruction: &Instruction) -> Option<&Operand> {
        let adds =
            matches!(instruction.opcode.as_str(), "IADD3" | "UIADD3" | "IMAD" | "UIMAD" | "LEA" | "ULEA");
        if !adds || !self.generation.has_convergence_barriers() || self.has_modifier(instruction, "X") {
            return None;
        }
        let operands = self.operands(instruction);
        let written = destinations(instruction, operands);
        let mut sources = operands.iter().enumerate().filter(|(at, _)| written >> at & 1 == 0);
        let is_carry = |operand: &Operand| {
            operand.register().is_some_and(|register| register.is_predicate() && !register.is_constant())
        };
        sources.find(|(_, operand)| is_carry(operand)).map(|(_, operand)| operand)
    }
}
