//! `no-such-encoding`: an instruction that cannot be encoded with its test, operand or modifier.

use text_size::TextRange;
use warplens_hir::sass::{Constant, Function, Immediate, Instruction, Operand, Value, flow};
use warplens_ide_db::Problem;
use warplens_isa::sass::Flow;

use crate::codes;

pub(super) fn check(function: &Function, index: usize, problems: &mut Vec<Problem>) {
    let instruction = &function.instructions[index];
    let mut report = |range: TextRange, message: String| {
        problems.push(Problem::warning(range, codes::NO_SUCH_ENCODING, message));
    };
    if let Some((range, name)) = unknown_test(function, instruction) {
        report(range, format!("`{name}` is not a test of the condition code"));
    }
    if let Some(operand) = function.carry_without_x(instruction) {
        let opcode = &instruction.opcode;
        report(operand.range, format!("`{opcode}` takes a carry operand only with `.X`"));
    }
    for word in function.modifiers(instruction) {
        if lacks(function, instruction, &word.text) {
            let opcode = &instruction.opcode;
            report(
                word.range,
                format!("`{opcode}` has no `.{}`: only branches to a fixed target do", word.text),
            );
        }
    }
    for operand in function.operands(instruction) {
        let too_wide = match &operand.value {
            Value::Constant(constant) => constant_too_wide(constant),
            _ => None,
        };
        if let Some(message) = too_wide {
            report(operand.range, message);
        }
    }
    if let Some((range, message)) = target_too_wide(function, index) {
        report(range, message);
    }
}

fn unknown_test<'f>(function: &'f Function, instruction: &'f Instruction) -> Option<(TextRange, &'f str)> {
    let name = function.unknown_test(instruction)?;
    let operand = |operand: &&Operand| matches!(operand.value, Value::UnknownTest(_));
    let range = function.operands(instruction).iter().find(operand).map(|operand| operand.range);
    let of_modifier = || Some(function.modifiers(instruction).first()?.range);
    Some((range.or_else(of_modifier)?, name))
}

/// Whether an instruction that controls the flow has not got this modifier of branches.
fn lacks(function: &Function, instruction: &Instruction, modifier: &str) -> bool {
    let is_earlier = !function.generation.has_convergence_barriers();
    match flow(instruction) {
        Flow::Branch => false,
        Flow::IndirectBranch => modifier == "U",
        Flow::Call | Flow::Return | Flow::Push | Flow::Pop | Flow::Exit => {
            is_earlier && matches!(modifier, "U" | "LMT")
        }
        _ => false,
    }
}

/// A bank has 5 bits, an offset 16.
fn constant_too_wide(constant: &Constant) -> Option<String> {
    if let Some(bank) = constant.bank.filter(|bank| *bank > 31) {
        return Some(format!("a constant bank has 5 bits, and {bank:#x} does not fit: the last one is 0x1f"));
    }
    let lowest = if constant.register.is_some() { -0x8000 } else { 0 };
    let fits = (lowest..=0xffff).contains(&constant.offset);
    let offset = constant.offset;
    (!fits).then(|| format!("the offset in a constant bank has 16 bits, and {} does not fit", shown(offset)))
}

/// Before Volta, relative targets have 24 bits with a sign, absolute ones 32 bits, with a sign after a register.
fn target_too_wide(function: &Function, index: usize) -> Option<(TextRange, String)> {
    let instruction = &function.instructions[index];
    if function.generation.has_convergence_barriers() {
        return None;
    }
    let operand = function.operands(instruction).last()?;
    let is_absolute = instruction.opcode.starts_with('J');
    let next = i64::from(function.next_address(index));
    let (number, (bits, range)) = match (&operand.value, flow(instruction)) {
        (Value::RegisterTarget(target), Flow::IndirectBranch) => {
            (target.offset, if is_absolute { SIGNED_32 } else { SIGNED_24 })
        }
        (_, flow) if !matches!(flow, Flow::Branch | Flow::Call | Flow::Push) => return None,
        (Value::Relative(offset), _) => (*offset, SIGNED_24),
        (Value::Absolute(address), _) => (*address, UNSIGNED_32),
        (Value::Immediate(Immediate::Integer(address)), _) if is_absolute => (*address, UNSIGNED_32),
        (Value::Immediate(Immediate::Integer(address)), _) => (address.saturating_sub(next), SIGNED_24),
        _ => return None,
    };
    let message =
        || format!("the target of `{}` has {bits}, and {} does not fit", instruction.opcode, shown(number));
    (!(range.0..=range.1).contains(&number)).then(|| (operand.range, message()))
}

type Field = (&'static str, (i64, i64));

const SIGNED_24: Field = ("24 bits with a sign", (-0x80_0000, 0x7f_ffff));
const SIGNED_32: Field = ("32 bits with a sign", (-0x8000_0000, 0x7fff_ffff));
const UNSIGNED_32: Field = ("32 bits", (0, 0xffff_ffff));

fn shown(number: i64) -> String {
    let sign = if number < 0 { "-" } else { "" };
    format!("{sign}{:#x}", number.unsigned_abs())
}
