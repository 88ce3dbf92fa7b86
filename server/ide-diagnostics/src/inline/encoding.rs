//! PTX as a host file writes it: the inverse of decoding a template.

use warplens_host::{Dialect, PieceKind, Statement};

use super::module::register;

/// Text of the PTX document as the host file writes it in the literals of a statement: `%laneid` is `%%laneid`, the register of an
/// operand its placeholder. `None` if it is not known how the literal writes a character.
pub fn encode(text: &str, statement: &Statement, host: &str) -> Option<String> {
    let template = in_template(text, statement);
    let mut encoded = String::with_capacity(template.len());
    for c in template.chars() {
        match is_plain(statement.dialect, c) {
            true => encoded.push(c),
            false => encoded += written(statement, host, c)?,
        }
    }
    Some(encoded)
}

/// Text of the PTX document as the template writes it.
fn in_template(text: &str, statement: &Statement) -> String {
    if !statement.has_placeholders {
        return text.to_owned();
    }
    let mut encoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some((length, index)) = operand_at(rest, statement) {
            encoded += &placeholder(statement, index);
            rest = &rest[length..];
            continue;
        }
        encoded.push(first);
        if is_doubled(statement.dialect, first) {
            encoded.push(first);
        }
        rest = &rest[first.len_utf8()..];
    }
    encoded
}

/// Whether a character means itself in every literal of the hosts. Braces and dollars do not in Python and Julia.
fn is_plain(dialect: Dialect, c: char) -> bool {
    match c {
        '"' | '\'' | '\\' | '\n' => false,
        '{' | '}' | '$' => matches!(dialect, Dialect::Gcc | Dialect::Rust | Dialect::PtxAsm),
        _ => true,
    }
}

/// How the literals of a statement write a character that they already contain.
fn written<'h>(statement: &Statement, host: &'h str, c: char) -> Option<&'h str> {
    let template = &statement.template;
    template.text.match_indices(c).find_map(|(at, _)| {
        let piece = template.piece_at(at)?;
        let is_known = match piece.kind {
            PieceKind::Copied => true,
            PieceKind::Decoded => piece.template.len() == c.len_utf8(),
            PieceKind::Hole => false,
        };
        let range = template.to_host(at..at + c.len_utf8())?;
        is_known.then(|| host.get(range)).flatten()
    })
}

/// How the template writes an operand.
pub fn placeholder(statement: &Statement, index: usize) -> String {
    let name = &statement.operands[index].name;
    match (statement.dialect, name) {
        (Dialect::Gcc | Dialect::PtxAsm, Some(name)) => format!("%[{name}]"),
        (Dialect::Gcc | Dialect::PtxAsm, None) => format!("%{index}"),
        (Dialect::Rust, Some(name)) => format!("{{{name}}}"),
        (Dialect::Rust, None) => format!("{{{index}}}"),
        (Dialect::Triton | Dialect::Cute | Dialect::Llvm, _) => format!("${index}"),
    }
}

/// Whether a template doubles a character that is no placeholder.
fn is_doubled(dialect: Dialect, c: char) -> bool {
    match dialect {
        Dialect::Gcc | Dialect::PtxAsm => c == '%',
        Dialect::Rust => matches!(c, '{' | '}'),
        Dialect::Triton | Dialect::Cute | Dialect::Llvm => c == '$',
    }
}

/// The operand whose register the text starts with, and the length of the name.
fn operand_at(text: &str, statement: &Statement) -> Option<(usize, usize)> {
    if !text.starts_with(['%', '$']) {
        return None;
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let length = 1 + text[1..].find(|c| !is_name(c)).unwrap_or(text.len() - 1);
    let name = &text[..length];
    let index = (0..statement.operands.len()).find(|index| register(statement, *index) == name)?;
    Some((length, index))
}
