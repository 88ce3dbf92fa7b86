//! `asm-operand-index`: a placeholder without an operand.

use warplens_host::Statement;
use warplens_ide_db::{Diagnostic, Severity};

use super::placeholders::{PartKind, parts};
use super::ranges::text_range;
use crate::codes;

pub(super) fn check(statement: &Statement, found: &mut Vec<Diagnostic>) {
    if !statement.knows_operands {
        return;
    }
    for part in parts(statement).into_iter().filter(|part| part.kind == PartKind::Operand(None)) {
        let Some(host) = statement.template.to_host(part.range.clone()) else { continue };
        let text = &statement.template.text[part.range];
        let message = match statement.operands.len() {
            0 => format!("`{text}` names an operand, but the statement has none"),
            1 => format!("`{text}` names an operand that does not exist; the only one is number 0"),
            count => {
                format!("`{text}` names an operand that does not exist; they are numbered 0 to {}", count - 1)
            }
        };
        found.push(Diagnostic::new(text_range(&host), Severity::Error, codes::ASM_OPERAND_INDEX, message));
    }
}
