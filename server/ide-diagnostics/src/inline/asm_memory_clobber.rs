//! `asm-memory-clobber`: a store or a barrier in a statement that does not tell the compiler about memory.

use warplens_host::Dialect;
use warplens_ide_db::{Diagnostic, Severity};

use super::accesses::Accesses;
use super::effects::{Effect, effect, reads_memory};
use super::ranges::diagnostic;
use crate::codes;

pub(super) fn check(accesses: &Accesses<'_>, found: &mut Vec<Diagnostic>) {
    let statement = accesses.statement;
    let first = |wanted: &[Effect]| {
        let mut instructions = accesses.instructions();
        instructions.find(|instruction| wanted.contains(&effect(accesses.function, *instruction)))
    };
    let option = |name: &str| statement.options.iter().find(|(option, _)| option == name);
    match statement.dialect {
        Dialect::PtxAsm => {
            let Some((name, range)) = option("register_only") else { return };
            let Some(instruction) = first(&[Effect::Memory, Effect::Load]) else { return };
            let message = format!(
                "`{}` accesses memory, but `{name}` says that the statement does not; remove it",
                instruction.mnemonic()
            );
            found.push(diagnostic(range, Severity::Warning, codes::ASM_MEMORY_CLOBBER, message));
        }
        Dialect::Rust => {
            let nomem = option("nomem");
            let Some((name, _)) = nomem.or_else(|| option("readonly")) else { return };
            let load =
                || accesses.instructions().find(|instruction| nomem.is_some() && reads_memory(*instruction));
            let written = first(&[Effect::Memory]);
            let Some(instruction) = written.or_else(load) else { return };
            let Some(host) = accesses.mnemonic(instruction) else { return };
            let mnemonic = instruction.mnemonic();
            let message = match written {
                Some(_) => format!(
                    "`{mnemonic}` has an effect on memory, but `{name}` says that the statement has none; remove it"
                ),
                None => format!(
                    "`{mnemonic}` reads memory, but `{name}` says that the statement accesses none; write `readonly`"
                ),
            };
            found.push(diagnostic(&host, Severity::Warning, codes::ASM_MEMORY_CLOBBER, message));
        }
        Dialect::Triton => {}
        _ if statement.clobbers_memory() => {}
        _ => {
            let Some(instruction) = first(&[Effect::Memory]) else { return };
            let Some(host) = accesses.mnemonic(instruction) else { return };
            let message = format!(
                "`{}` has an effect on memory, but the statement has no clobber `\"memory\"`: the compiler may move other accesses across it; add it",
                instruction.mnemonic()
            );
            let is_gcc = statement.dialect == Dialect::Gcc;
            // Without outputs, a statement counts as volatile.
            let severity = if statement.volatile || statement.denial.is_none() || !is_gcc {
                Severity::Hint
            } else {
                Severity::Warning
            };
            found.push(diagnostic(&host, severity, codes::ASM_MEMORY_CLOBBER, message));
        }
    }
}
