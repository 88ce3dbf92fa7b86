//! `asm-input-written`: an input that the template writes.

use warplens_host::{Dialect, Direction};
use warplens_ide_db::{Diagnostic, Severity};

use super::accesses::Accesses;
use super::ranges::diagnostic;
use crate::codes;

pub(super) fn check(accesses: &Accesses<'_>, found: &mut Vec<Diagnostic>) {
    let operands = &accesses.statement.operands;
    let mut reported = Vec::new();
    for access in accesses.all().into_iter().filter(|access| access.role.writes()) {
        let operand = &operands[access.operand];
        let is_input = operand.direction == Direction::Input && operand.tied().is_none();
        if !is_input || operand.constraint.is_empty() || reported.contains(&access.operand) {
            continue;
        }
        reported.push(access.operand);
        let remedy = match accesses.statement.dialect {
            Dialect::Gcc => "make it an output with `+`",
            Dialect::Rust | Dialect::PtxAsm => "make it an `inout`",
            _ => "copy it to a register first",
        };
        let message = format!(
            "{} is written, but is an input: the compiler assumes that it keeps its value; {remedy}",
            accesses.name(access.operand)
        );
        found.push(diagnostic(&access.range, Severity::Error, codes::ASM_INPUT_WRITTEN, message));
    }
}
