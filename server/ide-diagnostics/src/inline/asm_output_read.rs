//! `asm-output-read`: an output that is read before it is written.

use warplens_hir::ptx::{Operand, Role};
use warplens_host::Direction;
use warplens_ide_db::{Diagnostic, Severity};

use super::accesses::{Access, Accesses};
use super::ranges::diagnostic;
use crate::codes;

pub(super) fn check(accesses: &Accesses<'_>, found: &mut Vec<Diagnostic>) {
    let statement = accesses.statement;
    if !accesses.is_certain() {
        return;
    }
    let all = accesses.all();
    let labels: Vec<_> = accesses.function.labels().collect();
    for (index, operand) in statement.operands.iter().enumerate() {
        let is_tied = statement.operands.iter().any(|other| other.tied() == Some(index));
        if operand.direction != Direction::Output || is_tied {
            continue;
        }
        let mut own = all.iter().filter(|access| access.operand == index);
        let reads = |access: &&Access| access.role == Role::Read || accumulates(accesses, access.instruction);
        let Some(read) = own.clone().find(reads) else { continue };
        let is_written_before =
            own.any(|access| access.role != Role::Read && access.instruction < read.instruction);
        // After a label, the order of the text is not that of the run.
        let may_follow = labels.iter().any(|label| label.target.index() <= read.instruction);
        if is_written_before
            || may_follow
            || read.is_guarded && !labels.is_empty()
            || is_cleared(accesses, read.instruction, index)
        {
            continue;
        }
        let constraint = operand.constraint.trim_start_matches('=');
        let fix = match statement.dialect {
            warplens_host::Dialect::Gcc => format!("write `\"+{constraint}\"`"),
            warplens_host::Dialect::PtxAsm => format!("write `inout(\"+{constraint}\")`"),
            warplens_host::Dialect::Rust => format!("write `inout({constraint})`"),
            _ => format!("add an input with the constraint `{index}`"),
        };
        let message = format!(
            "{} is read before it is written, but is an output only: its old value is not passed in; {fix}",
            accesses.name(index)
        );
        found.push(diagnostic(&read.range, Severity::Error, codes::ASM_OUTPUT_READ, message));
    }
}

/// Whether the instruction adds to its result: a `wgmma` whose `scale-d` is not the constant 0.
fn accumulates(accesses: &Accesses<'_>, instruction: usize) -> bool {
    let Some(instruction) = accesses.function.instructions().nth(instruction) else { return false };
    if instruction.opcode() != "wgmma" || !instruction.has("mma_async") {
        return false;
    }
    let scale = if instruction.has("sp") { 5 } else { 3 };
    match instruction.operands().get(scale) {
        Some(Operand::Constant(id)) => accesses.function.constant(*id).as_integer() != Some(0),
        scale => scale.is_some(),
    }
}

/// Whether the instruction gives the same for any value: `xor a, a, a`.
fn is_cleared(accesses: &Accesses<'_>, instruction: usize, operand: usize) -> bool {
    let Some(instruction) = accesses.function.instructions().nth(instruction) else { return false };
    let reads = accesses.function.names_of(instruction).filter(|name| name.role == Role::Read);
    matches!(instruction.opcode(), "xor" | "sub")
        && reads.filter(|name| accesses.operand(name) == Some(operand)).count() == 2
}
