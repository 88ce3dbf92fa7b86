//! What of a template belongs to the template language: operands, and doubled characters.

use std::ops::Range;

use warplens_host::{Dialect, Statement, Template};

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub range: Range<usize>,
    pub kind: PartKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartKind {
    /// PTX as it is.
    Text,
    /// The operand with this number or name; `None` if there is none.
    Operand(Option<usize>),
    /// `%%`, `{{`: one character.
    Character(&'static str),
    /// `%=`: a number that differs in each copy.
    Unique,
    Hole,
}

/// The parts of a statement's template, in text order and without gaps.
pub fn parts(statement: &Statement) -> Vec<Part> {
    let text = &statement.template.text;
    let (mut parts, mut plain, mut at) = (Vec::new(), 0, 0);
    let mut implicit = 0;
    let push_text = |parts: &mut Vec<Part>, range: Range<usize>| {
        if !range.is_empty() {
            parts.push(Part { range, kind: PartKind::Text });
        }
    };
    while at < text.len() {
        let Some((length, kind)) = special(statement, &text[at..], &mut implicit) else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
            continue;
        };
        push_text(&mut parts, plain..at);
        parts.push(Part { range: at..at + length, kind });
        at += length;
        plain = at;
    }
    push_text(&mut parts, plain..text.len());
    parts
}

/// What starts the text, and its length, if it belongs to the template language.
fn special(statement: &Statement, text: &str, implicit: &mut usize) -> Option<(usize, PartKind)> {
    if text.starts_with(Template::HOLE) {
        return Some((Template::HOLE.len_utf8(), PartKind::Hole));
    }
    if !statement.has_placeholders {
        return None;
    }
    match statement.dialect {
        Dialect::Gcc | Dialect::PtxAsm => percent(statement, text.strip_prefix('%')?),
        Dialect::Triton | Dialect::Cute | Dialect::Llvm => dollar(statement, text.strip_prefix('$')?),
        Dialect::Rust => brace(statement, text, implicit),
    }
}

/// `%0`, `%[x]`, `%%`, `%=`, without the first character.
fn percent(statement: &Statement, rest: &str) -> Option<(usize, PartKind)> {
    if let Some(named) = rest.strip_prefix('[') {
        let name = &named[..named.find(']')?];
        return Some((name.len() + 3, PartKind::Operand(by_name(statement, name))));
    }
    match rest.as_bytes().first()? {
        b'%' => Some((2, PartKind::Character("%"))),
        b'=' => Some((2, PartKind::Unique)),
        _ => number(statement, rest).map(|(digits, kind)| (digits + 1, kind)),
    }
}

/// `$0`, `${0}`, `${0:x}`, `$$`, without the first character.
fn dollar(statement: &Statement, rest: &str) -> Option<(usize, PartKind)> {
    if let Some(braced) = rest.strip_prefix('{') {
        let inside = &braced[..braced.find('}')?];
        let length = inside.len() + 3;
        if inside.starts_with(':') {
            return Some((length, PartKind::Unique));
        }
        return number(statement, inside).map(|(_, kind)| (length, kind));
    }
    if rest.starts_with('$') {
        return Some((2, PartKind::Character("$")));
    }
    number(statement, rest).map(|(digits, kind)| (digits + 1, kind))
}

/// `{0}`, `{x}`, `{}`, `{{`, `}}`.
fn brace(statement: &Statement, text: &str, implicit: &mut usize) -> Option<(usize, PartKind)> {
    if text.starts_with("{{") {
        return Some((2, PartKind::Character("{")));
    }
    if text.starts_with("}}") {
        return Some((2, PartKind::Character("}")));
    }
    let inside = text.strip_prefix('{')?;
    let inside = &inside[..inside.find('}')?];
    let name = inside.split(':').next().unwrap_or_default().trim();
    let operand = if name.is_empty() {
        *implicit += 1;
        Some(*implicit - 1).filter(|index| *index < statement.operands.len())
    } else if let Ok(index) = name.parse() {
        Some(index).filter(|index| *index < statement.operands.len())
    } else {
        by_name(statement, name)
    };
    Some((inside.len() + 2, PartKind::Operand(operand)))
}

fn number(statement: &Statement, rest: &str) -> Option<(usize, PartKind)> {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let index: usize = rest[..digits].parse().ok()?;
    Some((digits, PartKind::Operand(Some(index).filter(|index| *index < statement.operands.len()))))
}

fn by_name(statement: &Statement, name: &str) -> Option<usize> {
    statement.operands.iter().position(|operand| operand.name.as_deref() == Some(name))
}
