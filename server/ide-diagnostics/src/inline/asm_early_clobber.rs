//! `asm-early-clobber`: an output that is written before the last input is read, and may share its register.

use warplens_hir::ptx::Role;
use warplens_host::{Dialect, Direction};
use warplens_ide_db::{Diagnostic, Severity};

use super::accesses::Accesses;
use super::module::register_type;
use super::ranges::diagnostic;
use crate::codes;

pub(super) fn check(accesses: &Accesses<'_>, found: &mut Vec<Diagnostic>) {
    let statement = accesses.statement;
    let has_early = matches!(
        statement.dialect,
        Dialect::Gcc | Dialect::PtxAsm | Dialect::Cute | Dialect::Llvm | Dialect::Triton
    );
    if !accesses.is_certain() || !has_early {
        return;
    }
    let all = accesses.all();
    for (index, operand) in statement.operands.iter().enumerate() {
        if operand.direction != Direction::Output || operand.is_early() {
            continue;
        }
        let first = all
            .iter()
            .filter(|access| access.operand == index && access.role.writes())
            .map(|access| access.instruction)
            .min();
        let Some(first) = first else { continue };
        let ty = register_type(statement, operand);
        let later = all.iter().find(|access| {
            let input = &statement.operands[access.operand];
            let is_alike = input.direction == Direction::Input && register_type(statement, input) == ty;
            is_alike && access.role == Role::Read && access.instruction > first
        });
        if let Some(later) = later {
            let message = format!(
                "{} is written before {} is read for the last time, so both may get the same register; write `=&`",
                accesses.name(index),
                accesses.name(later.operand)
            );
            found.push(diagnostic(&operand.range, Severity::Hint, codes::ASM_EARLY_CLOBBER, message));
        }
    }
}
