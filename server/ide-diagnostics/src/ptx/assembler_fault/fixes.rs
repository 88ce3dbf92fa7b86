//! Equivalent statements that every version assembles right, checked by `warplens compare --ptxas` with ptxas 12.9.

use text_size::TextRange;
use warplens_hir::ptx::{Function, Instruction, InstructionId, Operand};
use warplens_ide_db::ItemFix;

use super::patterns::Found;

/// The fix of a pattern; none if a statement of it has an unusual operand.
pub(super) fn fix(found: &Found, at: Instruction<'_>, function: &Function, text: &str) -> Option<ItemFix> {
    match found {
        Found::Rotation { shifts: [left, _], amount, .. } => {
            let factor = 1u64 << amount;
            let shift = function.instruction(*left);
            let suffix = if factor > i64::MAX as u64 { "U" } else { "" };
            let [destination, value] = registers(function, shift, text, [0, 1])?;
            let statement = format!("mul.lo.u64 {destination}, {value}, {factor}{suffix}");
            let title = format!("Multiply by {factor} instead of shifting left by {amount}");
            Some(ItemFix::new(title).replace(code(shift, text)?, statement))
        }
        Found::PackedSum => None,
        Found::Maximum { negations, .. } => negate(negations, function, text),
        Found::Saturation { negation } => negate(&[*negation], function, text),
        Found::Selection { .. } => {
            let statement = code(at, text)?;
            let rest = text.get(std::ops::Range::<usize>::from(statement))?.strip_prefix("slct.s32")?;
            let fix = ItemFix::new("Select with `slct.b32.s32`, which tests the negated number");
            Some(fix.replace(statement, format!("slct.b32{rest}")))
        }
        Found::SaturatedSum { .. } => {
            let opcode = at.opcode();
            let statement = code(at, text)?;
            let rest = text.get(std::ops::Range::<usize>::from(statement))?;
            let rest = rest.strip_prefix(opcode)?.strip_prefix(".sat.s32")?;
            let title = format!("Use `v{opcode}`, which stays an instruction of its own");
            Some(ItemFix::new(title).replace(statement, format!("v{opcode}.s32.s32.s32.sat{rest}")))
        }
    }
}

/// Negations that the assembler does not take into other instructions.
fn negate(negations: &[InstructionId], function: &Function, text: &str) -> Option<ItemFix> {
    let mut fix = ItemFix::new("Negate with `sub.u32`, which stays an instruction of its own");
    for at in negations {
        let (range, statement) = negation(function, *at, text)?;
        fix = fix.replace(range, statement);
    }
    Some(fix)
}

fn negation(function: &Function, at: InstructionId, text: &str) -> Option<(TextRange, String)> {
    let instruction = function.instruction(at);
    let ty = if instruction.has("s16") { "u16" } else { "u32" };
    let is_register =
        |index: usize| matches!(instruction.operands().get(index), Some(Operand::Register { .. }));
    let value = if instruction.opcode() == "sub" || !is_register(1) { 2 } else { 1 };
    let [destination, value] = registers(function, instruction, text, [0, value])?;
    Some((code(instruction, text)?, format!("sub.{ty} {destination}, 0, {value}")))
}

/// The statement from its opcode on, without the semicolon.
fn code(instruction: Instruction<'_>, text: &str) -> Option<TextRange> {
    let whole = TextRange::new(instruction.opcode_range().start(), instruction.range().end());
    let written = text.get(std::ops::Range::<usize>::from(whole))?;
    let kept = written.trim_end_matches(|c: char| c == ';' || c.is_whitespace());
    Some(TextRange::at(whole.start(), text_size::TextSize::of(kept)))
}

fn registers<'t>(
    function: &Function,
    instruction: Instruction<'_>,
    text: &'t str,
    indices: [usize; 2],
) -> Option<[&'t str; 2]> {
    let register = |index: usize| {
        let Operand::Register { name, component: None } = instruction.operands().get(index)? else {
            return None;
        };
        text.get(std::ops::Range::<usize>::from(function.name(*name).range))
    };
    Some([register(indices[0])?, register(indices[1])?])
}
