//! `asm-operand-index`: a placeholder without an operand.

use warplens_host::{Dialect, Statement};
use warplens_ide_db::{Diagnostic, Severity};

use super::placeholders::{PartKind, parts};
use super::ranges::text_range;
use crate::codes;

/// `%r1` with operands: nvcc reads the letter as a modifier of operand 1, and has none.
fn modifiers(statement: &Statement) -> Vec<Diagnostic> {
    let text = &statement.template.text;
    if statement.dialect != Dialect::Gcc || !statement.has_placeholders {
        return Vec::new();
    }
    let plain = parts(statement).into_iter().filter(|part| part.kind == PartKind::Text);
    let mut found = Vec::new();
    for part in plain {
        for (at, _) in text[part.range.clone()].match_indices('%') {
            let at = part.range.start + at;
            let name = &text[at + 1..];
            let length = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(name.len());
            let name = &name[..length];
            let is_modifier = name.len() > 1
                && name.starts_with(|c: char| c.is_ascii_alphabetic())
                && name[1..].bytes().all(|byte| byte.is_ascii_digit());
            let Some(host) = statement.template.to_host(at..at + 1 + length).filter(|_| is_modifier) else {
                continue;
            };
            let message = format!(
                "nvcc takes `%{name}` for an operand with the modifier `{}`; write `%%{name}`",
                &name[..1]
            );
            found.push(Diagnostic::new(
                text_range(&host),
                Severity::Error,
                codes::ASM_OPERAND_INDEX,
                message,
            ));
        }
    }
    found
}

pub(super) fn check(statement: &Statement, found: &mut Vec<Diagnostic>) {
    found.extend(modifiers(statement));
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
