//! Completions: those of PTX as the literal writes them, with the operands of the statement first.

use text_size::{TextRange, TextSize};
use warplens_host::Dialect;
use warplens_ide_db::{CompletionItem, CompletionKind, Database};
use warplens_ide_diagnostics::inline::{encode, placeholder, register, register_type};

use super::document::HostDocument;
use super::place::Place;
use crate::completion;
use crate::ptx::PTX;
use crate::snippet::Snippet;

/// How far before a literal its statement may start, for a statement that is not known to be PTX yet.
const MOST_BEFORE: usize = 2_000;

/// The completions in the statement at an offset.
pub(crate) fn completions(db: &Database, document: &HostDocument, offset: TextSize) -> Vec<CompletionItem> {
    let Some(place) = document.statement_at(offset) else { return Vec::new() };
    if let Some(typed) = typed_placeholder(&place, offset) {
        return operands(&place, typed);
    }
    let Some(position) = place.position(db, offset) else { return Vec::new() };
    let proposed = completion::completions_at(&position, &PTX, |label| operand_of(&place, label).is_some());
    proposed.into_iter().filter_map(|item| in_host(&place, offset, item)).collect()
}

/// The text with an instruction inserted at the offset, if the offset may be in a statement whose own text does not show yet that
/// it is PTX.
pub(crate) fn text_with_instruction(document: &HostDocument, offset: TextSize) -> Option<String> {
    let (text, at) = (&document.text, usize::from(offset));
    let before = &text[text.floor_char_boundary(at.saturating_sub(MOST_BEFORE))..at];
    let is_gpu = document.host.is_of_gpus() || !document.statements.is_empty();
    let is_new =
        is_gpu && document.statement_at(offset).is_none() && document.host.may_have_statements(before);
    is_new.then(|| [&text[..at], ";mov.u32 x;", &text[at..]].concat())
}

/// The range of a placeholder whose number or name is being typed: `%`, `%[x`, `{x`, `$1`.
fn typed_placeholder(place: &Place<'_>, offset: TextSize) -> Option<TextRange> {
    let statement = place.statement;
    if !statement.has_placeholders || statement.operands.is_empty() {
        return None;
    }
    let start = place
        .pieces()
        .iter()
        .rev()
        .find(|piece| piece.host.start < usize::from(offset) && usize::from(offset) <= piece.host.end)?;
    let line = &place.document.text[start.host.start..usize::from(offset)];
    let before = line.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let typed = &line[before.len()..];
    let is_number = typed.bytes().all(|byte| byte.is_ascii_digit());
    let opening = match statement.dialect {
        Dialect::Gcc | Dialect::PtxAsm if before.ends_with("%[") => "%[",
        Dialect::Gcc | Dialect::PtxAsm if is_number && is_single(before, '%') => "%",
        Dialect::Rust if is_single(before, '{') => "{",
        Dialect::Triton | Dialect::Cute | Dialect::Llvm if before.ends_with("${") => "${",
        Dialect::Triton | Dialect::Cute | Dialect::Llvm if is_number && is_single(before, '$') => "$",
        _ => return None,
    };
    let length = TextSize::of(opening) + TextSize::of(typed);
    Some(TextRange::at(offset - length, length))
}

/// Whether a text ends with an odd number of a character: two mean the character itself.
fn is_single(text: &str, c: char) -> bool {
    (text.len() - text.trim_end_matches(c).len()) % 2 == 1
}

/// The operands of a statement.
fn operands(place: &Place<'_>, replace: TextRange) -> Vec<CompletionItem> {
    let item = |index: usize| {
        let label = placeholder(place.statement, index);
        CompletionItem {
            detail: Some(detail(place, index)),
            kind: CompletionKind::Register,
            snippet: Snippet::text(&label).snippet(),
            plain: label.clone(),
            label,
            replace,
            sort: format!("{index:05}"),
            explain: None,
            deprecated: false,
            continues: false,
            moves: None,
        }
    };
    (0..place.statement.operands.len()).map(item).collect()
}

/// The constraint and the expression of an operand.
fn detail(place: &Place<'_>, index: usize) -> String {
    let operand = &place.statement.operands[index];
    let ty = register_type(place.statement, operand).unwrap_or("constant");
    match &operand.expression {
        Some(expression) => format!("{ty} {expression}"),
        None => ty.to_owned(),
    }
}

/// An item of PTX as the literal writes it; `None` if it cannot be written there.
fn in_host(place: &Place<'_>, offset: TextSize, item: CompletionItem) -> Option<CompletionItem> {
    let replace = match item.replace.is_empty() {
        true => TextRange::empty(offset),
        false => place.host(item.replace)?,
    };
    if item.kind == CompletionKind::Function {
        // The functions of other statements.
        return None;
    }
    let operand = operand_of(place, &item.label);
    let detail = operand.map(|index| detail(place, index)).or(item.detail);
    let item = CompletionItem { detail, replace, moves: None, ..item };
    if item.plain != item.label {
        // What the user fills in is no part of the literal yet.
        return (!item.snippet.contains(['\n', '%', '"', '\\'])).then_some(item);
    }
    let plain = encode(&item.plain, place.statement, &place.document.text)?;
    let snippet = Snippet::text(&plain).snippet();
    Some(CompletionItem { label: plain.clone(), snippet, plain, ..item })
}

fn operand_of(place: &Place<'_>, name: &str) -> Option<usize> {
    (0..place.statement.operands.len()).find(|index| register(place.statement, *index) == name)
}
