//! `asm-operand-index`: a placeholder without an operand.

use warplens_host::{Dialect, Statement};
use warplens_ide_db::{Diagnostic, Severity};

use super::placeholders::{PartKind, parts};
use super::ranges::diagnostic;
use crate::codes;

/// `%r1` with operands: nvcc reads the letter as a modifier of operand 1, and has none.
fn modifiers(statement: &Statement) -> Vec<Diagnostic> {
    if statement.dialect != Dialect::Gcc || !statement.has_placeholders {
        return Vec::new();
    }
    let text = &statement.template.text;
    let plain =
        parts(statement).into_iter().filter(|part| part.kind == PartKind::Text).map(|part| part.range);
    let percents =
        plain.flat_map(|range| text[range.clone()].match_indices('%').map(move |(at, _)| range.start + at));
    let problem = |at: usize| {
        let name = modified(&text[at + 1..])?;
        let host = statement.template.to_host(at..at + 1 + name.len())?;
        let message = format!(
            "nvcc takes `%{name}` for an operand with the modifier `{}`; write `%%{name}`",
            &name[..1]
        );
        Some(diagnostic(&host, Severity::Error, codes::ASM_OPERAND_INDEX, message))
    };
    percents.filter_map(problem).collect()
}

/// The name at the start of a text, if it is a letter and a number.
fn modified(text: &str) -> Option<&str> {
    let length = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let name = &text[..length];
    let number = name.strip_prefix(|c: char| c.is_ascii_alphabetic())?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(name)
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
        found.push(diagnostic(&host, Severity::Error, codes::ASM_OPERAND_INDEX, message));
    }
}
