//! What a comment says about a run: the values of operands and the warps, `// @try { a = 1, b = "iota", warps = 4 }`.

use warplens_host::{Direction, Operand, Statement};
use warplens_ide_diagnostics::inline::register;

/// The tag of the comment.
const TAG: &str = "@try";

/// The most warps of a block.
const MAX_WARPS: usize = 32;

/// What a comment says about a run.
pub(super) struct Given {
    pub(super) warps: usize,
    pub(super) values: Vec<GivenValue>,
}

/// A value by the name of its operand, both as written.
pub(super) struct GivenValue {
    pub(super) name: String,
    pub(super) value: String,
}

/// The values for a statement: in a comment on its first or last line, or alone on the lines before.
///
/// # Errors
/// If the comment is no table, or there cannot be so many warps.
pub(super) fn given(text: &str, statement: &Statement) -> Result<Given, String> {
    let mut given = Given { warps: 1, values: Vec::new() };
    let Some(comment) = comment(text, statement) else { return Ok(given) };
    let malformed = || format!("`{TAG}` needs a table: write `// {TAG} {{ a = 1, b = \"iota\" }}`");
    let rest = comment.trim_start();
    let table = rest.strip_prefix('{').ok_or_else(malformed)?;
    let end = matching_brace(table).ok_or_else(malformed)?;
    let pairs = split(&table[..end], ',').into_iter().filter(|pair| !pair.trim().is_empty());
    for pair in pairs {
        let (name, value) = pair.split_once('=').ok_or_else(malformed)?;
        let (name, value) = (name.trim().trim_matches('"').to_owned(), value.trim().to_owned());
        if name == "warps" && operand_named(statement, &name).is_none() {
            let warps = value.parse().ok().filter(|warps| (1..=MAX_WARPS).contains(warps));
            given.warps =
                warps.ok_or_else(|| format!("`{TAG}`: `warps` must be a number from 1 to {MAX_WARPS}"))?;
        } else {
            given.values.push(GivenValue { name, value });
        }
    }
    Ok(given)
}

/// The text after the tag.
fn comment<'t>(text: &'t str, statement: &Statement) -> Option<&'t str> {
    let line_start = text[..statement.range.start].rfind('\n').map_or(0, |at| at + 1);
    let after_tag = |line: &'t str| line.split_once(TAG).map(|(_, rest)| rest);
    let is_comment =
        |line: &&str| ["//", "#", "/*", "*"].iter().any(|mark| line.trim_start().starts_with(mark));
    let first = text[line_start..].lines().next().unwrap_or_default();
    let last = text[statement.range.end..].lines().next().unwrap_or_default();
    let mut before = text[..line_start].lines().rev().take_while(is_comment);
    before.find_map(after_tag).or_else(|| after_tag(first)).or_else(|| after_tag(last))
}

/// The position of the `}` that closes a table.
fn matching_brace(text: &str) -> Option<usize> {
    let mut depth = 1;
    let mut quoted = false;
    text.char_indices().find_map(|(at, c)| {
        match c {
            '"' => quoted = !quoted,
            '{' | '[' if !quoted => depth += 1,
            '}' | ']' if !quoted => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })
}

/// The parts between separators outside of quotes and brackets.
fn split(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut quoted) = (Vec::new(), 0, 0, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '{' | '[' if !quoted => depth += 1,
            '}' | ']' if !quoted => depth -= 1,
            c if c == separator && depth == 0 && !quoted => {
                parts.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// The operands that a name denotes: by its name in the template, its number, or its expression. An operand that is read and written,
/// or tied to another one, is the input.
pub(super) fn operand_named(statement: &Statement, name: &str) -> Option<usize> {
    let number = name.trim_start_matches(['%', '$', '{']).trim_end_matches('}').parse().ok();
    let is_input = |operand: &Operand| operand.direction != Direction::Output;
    let mut inputs = statement.operands.iter().enumerate().filter(|(_, operand)| is_input(operand));
    let is_named = |index: usize, operand: &Operand| {
        number == Some(index)
            || operand.name.as_deref() == Some(name)
            || operand.expression.as_deref() == Some(name)
            || register(statement, index) == name
    };
    inputs.find(|(index, operand)| is_named(*index, operand)).map(|(index, _)| index)
}
