//! Sequences of instructions that compilers emit for one operation.

use warplens_isa::sass::{self as isa, Sequence};

use super::model::{Destination, Function, Instruction};
use super::operand::{Immediate, Value};
use super::register::Register;

/// The smallest constant that counts as a magic number.
const LARGE: u64 = 1 << 20;

pub fn sequence_at(function: &Function, index: usize) -> Option<&'static Sequence> {
    let begun = isa::sequences().iter().find(|sequence| begins(function, index, sequence))?;
    // If the first step is executed twice in a row, for example to exchange both words of a pair, the
    // sequence begins only once.
    let again = index.checked_sub(1).is_some_and(|before| begins(function, before, begun));
    (!again).then_some(begun)
}

fn begins(function: &Function, index: usize, sequence: &Sequence) -> bool {
    let Some((first, rest)) = sequence.steps.split_first() else { return false };
    let begin = &function.instructions[index];
    if !fits(function, begin, begin, first) {
        return false;
    }
    let end = (index + usize::from(sequence.window)).min(function.instructions.len());
    let mut following = function.instructions[index + 1..end].iter();
    rest.iter().all(|step| following.any(|instruction| fits(function, begin, instruction, step)))
}

fn fits(function: &Function, begin: &Instruction, instruction: &Instruction, step: &str) -> bool {
    step.split('|').any(|one| is_one(function, begin, instruction, one))
}

fn is_one(function: &Function, begin: &Instruction, instruction: &Instruction, pattern: &str) -> bool {
    if let Some(pattern) = pattern.strip_suffix('^') {
        return reads_upper_word(function, begin, instruction)
            && is_one(function, begin, instruction, pattern);
    }
    let (pattern, operand) = pattern.split_once('=').map_or((pattern, None), |(a, b)| (a, Some(b)));
    let (pattern, large) = pattern.strip_suffix('#').map_or((pattern, false), |pattern| (pattern, true));
    let mut words = pattern.split('.');
    words.next() == Some(instruction.opcode.as_str())
        && words.all(|word| function.has_modifier(instruction, word))
        && (!large || has_large_immediate(function, instruction))
        && operand.is_none_or(|operand| has_operand(function, instruction, operand))
}

fn has_large_immediate(function: &Function, instruction: &Instruction) -> bool {
    function.operands(instruction).iter().any(|operand| match operand.value {
        Value::Immediate(Immediate::Integer(number)) => number.unsigned_abs() >= LARGE,
        _ => false,
    })
}

fn reads_upper_word(function: &Function, writer: &Instruction, instruction: &Instruction) -> bool {
    let first = |instruction: &Instruction| function.operands(instruction).first()?.register();
    let Some(destination) = first(writer) else { return false };
    let upper = Register::new(destination.file, destination.number.saturating_add(1));
    function.operands(instruction).iter().skip(1).any(|operand| operand.register() == Some(upper))
}

fn has_operand(function: &Function, instruction: &Instruction, wanted: &str) -> bool {
    function.operands(instruction).iter().any(|operand| match &operand.value {
        Value::Special(name) => name == wanted,
        Value::Register(register) => {
            let suffix = function.suffixes(operand).iter().map(|word| format!(".{}", word.text));
            format!("{register}{}", suffix.collect::<String>()) == wanted
        }
        _ => false,
    })
}

/// Whether an instruction is padding: a branch to itself, or a `NOP` after one.
pub fn is_padding(function: &Function, index: usize) -> bool {
    let to_itself = |at: usize| {
        let instruction = &function.instructions[at];
        instruction.opcode == "BRA"
            && instruction.guard.is_none()
            && instruction.destination == Destination::Instruction(at as u32)
    };
    let nops = function.instructions[..=index].iter().rev().take_while(|it| it.opcode == "NOP").count();
    to_itself(index) || nops > 0 && index.checked_sub(nops).is_some_and(to_itself)
}
