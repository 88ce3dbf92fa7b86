//! `asm-volatile`: an instruction with an effect, in a statement that the compiler may delete, merge or move.

use warplens_host::Dialect;
use warplens_ide_db::{Diagnostic, Severity};

use super::accesses::Accesses;
use super::effects::{Effect, effect};
use super::ranges::diagnostic;
use crate::codes;

/// Reports at most one problem, and returns whether there is one.
pub(super) fn check(accesses: &Accesses<'_>, found: &mut Vec<Diagnostic>) -> bool {
    let statement = accesses.statement;
    let Some(denial) = &statement.denial else { return false };
    let is_denied = |effect| match statement.dialect {
        // `register_only` is about memory.
        Dialect::PtxAsm => matches!(effect, Effect::Changes | Effect::State),
        Dialect::Gcc => match effect {
            Effect::Changes => true,
            Effect::Memory | Effect::State => !statement.clobbers_memory(),
            Effect::Load | Effect::None => false,
        },
        _ => matches!(effect, Effect::Changes | Effect::Memory | Effect::State),
    };
    let mut effects = accesses.instructions().map(|it| (it, effect(accesses.function, it)));
    let Some((instruction, effect)) = effects.find(|(_, effect)| is_denied(*effect)) else { return false };
    let what = match effect {
        Effect::Memory => "has an effect on memory",
        Effect::State => "does more than give a result",
        _ => "may give another result each time",
    };
    let why = match statement.dialect {
        Dialect::Gcc => format!(
            "`{}` {what}, but without `volatile` the compiler may delete the statement or merge it with another; {}",
            instruction.mnemonic(),
            denial.remedy
        ),
        _ => format!(
            "`{}` {what}, but {} lets the compiler delete, merge or move the statement; {}",
            instruction.mnemonic(),
            denial.text,
            denial.remedy
        ),
    };
    // A load that orders others may be wanted once.
    let severity = if instruction.opcode() == "ld" { Severity::Hint } else { Severity::Warning };
    found.push(diagnostic(&denial.range, severity, codes::ASM_VOLATILE, why));
    true
}
