//! Hovers of PTX.

use text_size::TextRange;
use warplens_hir::ptx::{DeclarationKind, FunctionKind};
use warplens_isa::ptx as isa;
use warplens_syntax::ast::AstNode;
use warplens_syntax::ptx::ast;
use warplens_syntax::{SyntaxKind, SyntaxToken};

use crate::db::{Database, ptx_header};
use crate::explain::ptx as explain;
use crate::module_target::module_target;
use crate::names::{self, Subject};
use crate::place::Place;
use crate::{declared, notation, occupancy};

pub(super) fn hover(db: &Database, place: &Place<'_>) -> Option<(TextRange, String)> {
    let token = place.token(db)?;
    if let Some(markdown) = word(&token) {
        let implied = occupancy_of(db, place, &token).unwrap_or_default();
        return Some((token.text_range(), markdown + &implied));
    }
    let named = names::named(db, place)?;
    let markdown = match &named.subject {
        Subject::Special(name) => explain::special_register(isa::special_register(name)?),
        Subject::Local(_) => declared::ptx::local(db, place)?,
        Subject::Module(_, name) => declared::ptx::of_module(db, place, name)?,
    };
    Some((named.range, markdown))
}

/// What the performance directives of a kernel imply together, where the token is one of them.
fn occupancy_of(db: &Database, place: &Place<'_>, token: &SyntaxToken) -> Option<String> {
    let directive = ast::FunctionDirective::cast(token.parent()?)?;
    let header = ptx_header(db, place.item);
    let Some(DeclarationKind::Function { kind: FunctionKind::Entry, signature, .. }) =
        header.declarations.first().map(|declaration| &declaration.kind)
    else {
        return None;
    };
    let word = directive.directive_token()?;
    let is_of_size = isa::directive(word.text()).is_some_and(|known| known.group == "performance");
    let implied = is_of_size.then(|| occupancy::markdown(signature, module_target(db, place.file)))??;
    Some(crate::explain::RULE.to_owned() + &implied)
}

/// The explanation of a word of the language; `None` where a name stands.
fn word(token: &SyntaxToken) -> Option<String> {
    match token.kind() {
        SyntaxKind::DOT_WORD => dot_word(token),
        SyntaxKind::INT_NUMBER | SyntaxKind::FLOAT_NUMBER => number(token.text()),
        SyntaxKind::STRING => pragma(token.text()),
        SyntaxKind::AT => explain::explain("@"),
        SyntaxKind::IDENT => opcode(token),
        _ => None,
    }
}

/// A string that `.pragma` knows.
fn pragma(string: &str) -> Option<String> {
    let name = string.trim_matches('"').split_whitespace().next()?;
    isa::pragma(name).and_then(|_| explain::explain(name))
}

/// The form written, where the token is its opcode.
fn opcode(token: &SyntaxToken) -> Option<String> {
    let instruction = ast::Instruction::cast(token.parent()?)?;
    let written = modifiers(&instruction);
    let written: Vec<&str> = written.iter().map(SyntaxToken::text).collect();
    let entries = explain::matching(token.text(), &written);
    let pages: Vec<String> = entries.iter().map(|entry| explain::instruction(entry, &written)).collect();
    (!pages.is_empty()).then(|| pages.join(crate::explain::RULE))
}

fn modifiers(instruction: &ast::Instruction) -> Vec<SyntaxToken> {
    instruction.modifiers().collect()
}

fn dot_word(token: &SyntaxToken) -> Option<String> {
    let parent = token.parent()?;
    if let Some(instruction) = ast::Instruction::cast(parent.clone()) {
        return modifier(&instruction, token.text());
    }
    match parent.kind() {
        SyntaxKind::MEMBER => component(&ast::Member::cast(parent)?),
        SyntaxKind::TYPE_NAME => explain::type_(token.text()),
        SyntaxKind::STATE_SPACE => explain::space(token.text()),
        _ => explain::explain(token.text()),
    }
}

/// A modifier in the form that it was written in.
fn modifier(instruction: &ast::Instruction, word: &str) -> Option<String> {
    let opcode = instruction.opcode_token()?;
    let written = modifiers(instruction);
    let written: Vec<&str> = written.iter().map(SyntaxToken::text).collect();
    let entry = *explain::matching(opcode.text(), &written).first()?;
    // Of a type or a space its own page says more than its place in the form.
    explain::type_(word)
        .or_else(|| explain::space(word))
        .or_else(|| {
            let meaning = explain::written_modifier(entry, word)?;
            Some(format!("{meaning}\n\nin `{}`: {}", entry.name, entry.summary))
        })
        .or_else(|| explain::explain(word))
}

/// `.x` of `%tid.x`: the register says what its components are.
fn component(member: &ast::Member) -> Option<String> {
    let name = member.base()?.ident_token()?;
    Some(explain::special_register(isa::special_register(name.text())?))
}

fn number(text: &str) -> Option<String> {
    let prefix = text.get(..2).unwrap_or_default();
    if matches!(prefix, "0f" | "0F") {
        return Some(notation::single(u32::from_str_radix(&text[2..], 16).ok()?));
    }
    if matches!(prefix, "0d" | "0D") {
        return Some(notation::double(u64::from_str_radix(&text[2..], 16).ok()?));
    }
    match integer(text) {
        Some(value) => Some(notation::integer(value)),
        None => Some(notation::double(text.parse::<f64>().ok()?.to_bits())),
    }
}

fn integer(text: &str) -> Option<u64> {
    let digits = text.strip_suffix('U').unwrap_or(text);
    let radix = |prefixes: [&str; 2]| prefixes.iter().find_map(|prefix| digits.strip_prefix(prefix));
    if let Some(digits) = radix(["0x", "0X"]) {
        return u64::from_str_radix(digits, 16).ok();
    }
    if let Some(digits) = radix(["0b", "0B"]) {
        return u64::from_str_radix(digits, 2).ok();
    }
    let octal = digits.len() > 1 && digits.starts_with('0');
    u64::from_str_radix(digits, if octal { 8 } else { 10 }).ok()
}
