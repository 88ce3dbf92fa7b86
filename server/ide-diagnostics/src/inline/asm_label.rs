//! `asm-label`: a label that exists twice when the function is inlined twice.

use warplens_ide_db::{Diagnostic, Severity};

use super::accesses::Accesses;
use super::placeholders::{PartKind, parts};
use super::ranges::text_range;
use crate::codes;

pub(super) fn check(accesses: &Accesses<'_>, found: &mut Vec<Diagnostic>) {
    let function = accesses.function;
    let unique =
        parts(accesses.statement).iter().any(|part| matches!(part.kind, PartKind::Unique | PartKind::Hole));
    if unique {
        return;
    }
    for label in function.labels() {
        let symbol = function.symbol(label.symbol);
        // Only the scope of the function itself is shared.
        if function.scopes()[symbol.scope.index()].parent.is_some() {
            continue;
        }
        let Some(host) = accesses.host(symbol.range) else { continue };
        let message = format!(
            "the label `{}` is in no scope of its own, so a second copy of the statement declares it again: inlined or unrolled code does not assemble; put the statement in braces",
            symbol.name
        );
        found.push(Diagnostic::new(text_range(&host), Severity::Warning, codes::ASM_LABEL, message));
    }
}
