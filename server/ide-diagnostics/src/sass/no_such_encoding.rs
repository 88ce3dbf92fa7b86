//! `no-such-encoding`: an instruction that cannot be encoded with its test, operand or modifier.

use text_size::TextRange;
use warplens_hir::sass::{Constant, Function, Immediate, Instruction, Operand, Value, flow, joins};
use warplens_ide_db::Problem;
use warplens_isa::sass::{self as isa, Flow};

use super::field_width;
use super::signed_hex::signed_hex;
use crate::codes;

/// `stated` says whether the listing has a target; without one, the limits that depend on it are not known.
pub(super) fn check(function: &Function, index: usize, stated: bool, problems: &mut Vec<Problem>) {
    let instruction = &function.instructions[index];
    let mut report = |range: TextRange, message: String| {
        problems.push(Problem::warning(range, codes::NO_SUCH_ENCODING, message));
    };
    if let Some((range, name)) = unknown_test(function, instruction) {
        report(range, format!("`{name}` is not a test of the condition code"));
    }
    if let Some((operand, modifier)) = function.carry_without_x(instruction) {
        let opcode = &instruction.opcode;
        report(operand.range, format!("`{opcode}` takes a carry operand only with `.{modifier}`"));
    }
    if let Some((range, why)) = function.misstated_operand(instruction) {
        report(range, why);
    }
    if let Some((range, why)) = misstated_control(function, instruction) {
        report(range, why);
    }
    for word in function.modifiers(instruction) {
        if let Some(why) = lacks(function, instruction, &word.text) {
            report(word.range, format!("`{}` has no `.{}`{why}", instruction.opcode, word.text));
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
    field_width::check(function, instruction, stated, &mut report);
    if let Some((range, message)) = target_too_wide(function, index) {
        report(range, message);
    }
}

/// What instructions of control flow cannot have: a guard before a push, a test that names none, a constant as the target of
/// `BRA` since Volta.
fn misstated_control(function: &Function, instruction: &Instruction) -> Option<(TextRange, String)> {
    let opcode = &instruction.opcode;
    let operands = function.operands(instruction);
    let flow = flow(instruction);
    if let Some(guard) = instruction.guard.filter(|_| flow == Flow::Push) {
        return Some((
            guard.range,
            format!("`{opcode}` has no guard: it pushes its token for all active lanes"),
        ));
    }
    if matches!(flow, Flow::Branch | Flow::IndirectBranch)
        && let Some(test) = operands.iter().find(|operand| operand.value == Value::Flags)
    {
        let why = "`CC` is the condition code and no test of it: name one, such as `CC.EQ`";
        return Some((test.range, why.to_owned()));
    }
    let target = operands.last().filter(|operand| matches!(operand.value, Value::Constant(_)))?;
    (opcode == "BRA" && function.generation.has_convergence_barriers())
        .then(|| (target.range, "`BRA` takes its target from a constant only before Volta".to_owned()))
}

fn unknown_test<'f>(function: &'f Function, instruction: &'f Instruction) -> Option<(TextRange, &'f str)> {
    let name = function.unknown_test(instruction)?;
    let operand = |operand: &&Operand| matches!(operand.value, Value::UnknownTest(_));
    let range = function.operands(instruction).iter().find(operand).map(|operand| operand.range);
    let of_modifier = || Some(function.modifiers(instruction).iter().find(|word| word.text == name)?.range);
    Some((range.or_else(of_modifier)?, name))
}

/// Why the instruction cannot have this modifier, if it cannot. The tables have all modifiers of control flow; of other instructions, more may
/// exist.
fn lacks(function: &Function, instruction: &Instruction, modifier: &str) -> Option<&'static str> {
    let entry = isa::opcode(&instruction.opcode)?;
    let is_known = entry.modifier(modifier).is_some() || modifier.starts_with('?');
    let is_earlier = !function.generation.has_convergence_barriers();
    let of_depth = matches!(modifier, "INC" | "DEC" | "NOINC" | "NODEC");
    match flow(instruction) {
        _ if joins(function, instruction) && modifier == "S" => None,
        _ if modifier == "S" && !is_known => Some(": only Fermi and Kepler join with it"),
        Flow::Branch | Flow::IndirectBranch if modifier == "LMT" && !is_earlier => {
            Some(": it existed only before Volta")
        }
        Flow::Next if modifier == "X" && !is_known && entry.category.id == "move" => {
            Some(": it has no carry")
        }
        Flow::Next if instruction.opcode == "NOP" && modifier == "U" => {
            Some(": only branches to a fixed target do")
        }
        Flow::Next | Flow::Trap | Flow::WarpSync => None,
        _ if is_known => None,
        Flow::Call | Flow::Return if of_depth => None,
        Flow::Branch | Flow::IndirectBranch if matches!(modifier, "INC" | "DEC") => None,
        Flow::BarrierSet | Flow::BarrierSync | Flow::BarrierBreak
            if matches!(modifier, "RECONVERGENT" | "RELIABLE") =>
        {
            None
        }
        _ if matches!(modifier, "U" | "LMT") => Some(": only branches to a fixed target do"),
        _ => Some(""),
    }
}

/// A bank has 5 bits, an offset 16.
fn constant_too_wide(constant: &Constant) -> Option<String> {
    if let Some(bank) = constant.bank.filter(|bank| *bank > 31) {
        return Some(format!("a constant bank has 5 bits, and {bank:#x} does not fit: the last one is 0x1f"));
    }
    let is_negative = constant.bank.is_none() && constant.descriptor.is_none() && constant.symbol.is_none();
    if is_negative {
        return Some("the number of a constant bank is not negative".to_owned());
    }
    let lowest = if constant.register.is_some() { -0x8000 } else { 0 };
    let fits = (lowest..=0xffff).contains(&constant.offset);
    let offset = constant.offset;
    (!fits).then(|| {
        format!("the offset in a constant bank has 16 bits, and {} does not fit", signed_hex(offset))
    })
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
    let message = || {
        format!("the target of `{}` has {bits}, and {} does not fit", instruction.opcode, signed_hex(number))
    };
    (!(range.0..=range.1).contains(&number)).then(|| (operand.range, message()))
}

type Field = (&'static str, (i64, i64));

const SIGNED_24: Field = ("24 bits with a sign", (-0x80_0000, 0x7f_ffff));
const SIGNED_32: Field = ("32 bits with a sign", (-0x8000_0000, 0x7fff_ffff));
const UNSIGNED_32: Field = ("32 bits", (0, 0xffff_ffff));
