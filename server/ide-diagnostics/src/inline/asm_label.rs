//! `asm-label`: a label, register or variable that exists twice when the function is inlined twice.

use warplens_hir::ptx::SymbolKind;
use warplens_ide_db::Severity;

use super::accesses::Accesses;
use super::found::{About, Found};
use super::placeholders::{PartKind, parts};
use super::ptx_problems::uses_of;
use super::ranges::diagnostic;
use crate::codes;

pub(super) fn check(accesses: &Accesses<'_>, found: &mut Vec<Found>) {
    let function = accesses.function;
    let unique =
        parts(accesses.statement).iter().any(|part| matches!(part.kind, PartKind::Unique | PartKind::Hole));
    if unique {
        return;
    }
    for symbol in function.symbols() {
        // Only the scope of the function itself is shared.
        if function.scopes()[symbol.scope.index()].parent.is_some() {
            continue;
        }
        let what = match symbol.kind {
            SymbolKind::Label { .. } => "label",
            SymbolKind::Register { .. } | SymbolKind::RegisterRange { .. } => "register",
            // Kernels set memory aside that they address otherwise.
            SymbolKind::Variable(_) if uses_of(accesses.statement, &symbol.name) > 1 => "variable",
            _ => continue,
        };
        // The registers of the operands are not in the host file.
        let Some(host) = accesses.host(symbol.range) else { continue };
        let message = format!(
            "the {what} `{}` is in no scope of its own, so a second copy of the statement declares it again: inlined or unrolled code does not assemble; put the statement in braces",
            symbol.name
        );
        let diagnostic = diagnostic(&host, Severity::Warning, codes::ASM_LABEL, message);
        let about = match symbol.kind {
            SymbolKind::Label { .. } => About::Statement,
            _ => {
                About::Declared { name: symbol.name.to_string(), function: accesses.statement.place.function }
            }
        };
        found.push(Found { diagnostic, about });
    }
}
