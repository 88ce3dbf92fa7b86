//! Statements that a text can have but machine code cannot.

use super::destinations;
use super::model::{Function, Instruction};
use super::operand::{Condition, Operand, Value};
use super::register::Register;

impl Function {
    /// The name of a test of the condition code that does not exist: `FOO` in `BRA CC.FOO, 0x10`.
    pub fn unknown_test<'f>(&'f self, instruction: &'f Instruction) -> Option<&'f str> {
        let operand = self.operands(instruction).iter().find_map(|operand| match &operand.value {
            Value::UnknownTest(name) => Some(name.as_str()),
            _ => None,
        });
        operand.or_else(|| {
            // `CSETP.GE.AND P0, PT, CC, PT` has it among its modifiers.
            let is_known = |word: &&str| {
                matches!(*word, "AND" | "OR" | "XOR" | "BF" | "S") || Condition::parse(word).is_some()
            };
            let tests = matches!(instruction.opcode.as_str(), "CSET" | "CSETP");
            let mut words = self.modifiers(instruction).iter().map(|word| word.text.as_str());
            words.find(|word| tests && !is_known(word))
        })
    }

    /// A carry that a sum reads without `.X`, or the result of the lower words that a comparison reads without `.EX`. `!PT` and
    /// `PT` are no carry. Returns the modifier with which the instruction reads it, too.
    pub fn carry_without_x(&self, instruction: &Instruction) -> Option<(&Operand, &'static str)> {
        // The modifier, and the predicates that the instruction reads before the carry.
        let (modifier, others) = match instruction.opcode.as_str() {
            "IADD" | "IADD3" | "UIADD3" | "IMAD" | "UIMAD" | "LEA" | "ULEA" => ("X", 0),
            "ISETP" | "UISETP" => ("EX", 1),
            _ => return None,
        };
        if !self.generation.has_convergence_barriers() || self.has_modifier(instruction, modifier) {
            return None;
        }
        let operands = self.operands(instruction);
        let written = destinations(instruction, operands);
        let mut sources = operands.iter().enumerate().filter(|(at, _)| written >> at & 1 == 0);
        let predicate = |operand: &&Operand| operand.register().is_some_and(Register::is_predicate);
        let mut predicates = sources.by_ref().map(|(_, operand)| operand).filter(predicate).skip(others);
        let is_carry =
            |operand: &&Operand| operand.register().is_some_and(|register| !register.is_constant());
        Some((predicates.find(is_carry)?, modifier))
    }
}
