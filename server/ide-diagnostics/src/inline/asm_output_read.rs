//! `asm-output-read`: an output that is read before it is written.

use warplens_hir::ptx::Role;
use warplens_host::Direction;
use warplens_ide_db::{Diagnostic, Severity};

use super::accesses::Accesses;
use super::ranges::text_range;
use crate::codes;

pub(super) fn check(accesses: &Accesses<'_>, found: &mut Vec<Diagnostic>) {
    let statement = accesses.statement;
    if !accesses.is_certain() {
        return;
    }
    let all = accesses.all();
    let has_labels = accesses.function.labels().next().is_some();
    for (index, operand) in statement.operands.iter().enumerate() {
        let is_tied = statement.operands.iter().any(|other| other.tied() == Some(index));
        if operand.direction != Direction::Output || is_tied {
            continue;
        }
        let mut own = all.iter().filter(|access| access.operand == index);
        let Some(read) = own.clone().find(|access| access.role == Role::Read) else { continue };
        let is_written_before =
            own.any(|access| access.role != Role::Read && access.instruction < read.instruction);
        if is_written_before || read.is_guarded && has_labels || is_cleared(accesses, read.instruction, index)
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
        found.push(Diagnostic::new(
            text_range(&read.range),
            Severity::Error,
            codes::ASM_OUTPUT_READ,
            message,
        ));
    }
}

/// Whether the instruction gives the same for any value: `xor a, a, a`.
fn is_cleared(accesses: &Accesses<'_>, instruction: usize, operand: usize) -> bool {
    let Some(instruction) = accesses.function.instructions().nth(instruction) else { return false };
    let reads = accesses.function.names_of(instruction).filter(|name| name.role == Role::Read);
    matches!(instruction.opcode(), "xor" | "sub")
        && reads.filter(|name| accesses.operand(name) == Some(operand)).count() == 2
}
