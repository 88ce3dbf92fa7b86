//! `asm-convergent`: an option that lets the compiler move an instruction that lanes must execute together.

use warplens_ide_db::{Diagnostic, Severity};

use super::accesses::Accesses;
use super::effects::is_convergent;
use super::ranges::diagnostic;
use crate::codes;

pub(super) fn check(accesses: &Accesses<'_>, found: &mut Vec<Diagnostic>) {
    let mut options = accesses.statement.options.iter();
    let Some((name, range)) = options.find(|(option, _)| option == "may_diverge") else { return };
    let Some(instruction) = accesses.instructions().find(|instruction| is_convergent(*instruction)) else {
        return;
    };
    let message = format!(
        "`{}` must be executed by its lanes together, but `{name}` lets the compiler move it into divergent code; remove it",
        instruction.mnemonic()
    );
    found.push(diagnostic(range, Severity::Error, codes::ASM_CONVERGENT, message));
}
