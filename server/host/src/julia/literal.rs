//! The text of Julia's literals.

use std::ops::Range;

use super::lexer::interpolation_end;
use crate::template::Template;
use crate::text::{char_end, decode_special, escaped, is_name, name_end, newline};
use crate::tokens::{Kind, Token, span};

/// The text of an expression: literals joined with `*`. Everything else is a hole.
pub(super) fn text_of(source: &str, tokens: &[Token]) -> Template {
    let mut template = Template::default();
    for part in tokens.split(|token| token.is(b'*')) {
        match part {
            [token] if token.kind == Kind::String => decode(source, *token, &mut template),
            _ => span(part).into_iter().for_each(|range| template.hole(range)),
        }
    }
    template
}

fn decode(source: &str, token: Token, template: &mut Template) {
    let text = token.text(source);
    let Some(quote) = text.find('"') else { return };
    let is_triple = text[quote..].starts_with("\"\"\"");
    let length = if is_triple { 3 } else { 1 };
    let start = token.start + quote + length;
    let closes = text.len() >= quote + 2 * length && text.ends_with(&text[quote..quote + length]);
    let end = if closes { token.end - length } else { token.end };
    let is_raw = quote > 0;
    if !is_triple {
        return line(source, start..end.max(start), is_raw, template);
    }
    // The first line end is dropped, and so is the indentation that all lines have, the last one with the quotes too.
    let first = start + newline(source.as_bytes(), start);
    let indent = indentation(&source[first..end.max(first)], first > start);
    let mut at = first;
    let mut is_first = first == start;
    while at < end {
        let line_end = memchr::memchr(b'\n', &source.as_bytes()[at..end]).map_or(end, |found| at + found + 1);
        let skipped = if is_first { 0 } else { indent.min(spaces(&source[at..line_end])) };
        line(source, at + skipped..line_end, is_raw, template);
        (at, is_first) = (line_end, false);
    }
}

fn spaces(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

fn indentation(text: &str, counts_first: bool) -> usize {
    let count = text.split('\n').count();
    let lines = text.split('\n').enumerate().skip(usize::from(!counts_first));
    let counted = lines.filter(|(index, line)| !line.trim().is_empty() || index + 1 == count);
    counted.map(|(_, line)| spaces(line)).min().unwrap_or(0)
}

/// Adds the text of a part of a literal.
fn line(source: &str, range: Range<usize>, is_raw: bool, template: &mut Template) {
    let (bytes, end) = (source.as_bytes(), range.end);
    decode_special(source, range, b"\\$", template, |byte, at, template| match byte {
        b'\\' if !is_raw || bytes.get(at + 1) == Some(&b'"') => Some(escape(source, at, end, template)),
        b'$' if !is_raw => {
            let next = match bytes.get(at + 1) {
                Some(b'(') => interpolation_end(bytes, at + 1),
                Some(byte) if is_name(*byte) => name_end(bytes, at + 1),
                _ => at + 1,
            };
            template.hole(at..next.min(end));
            Some(next.min(end))
        }
        _ => None,
    });
}

fn escape(source: &str, at: usize, end: usize, template: &mut Template) -> usize {
    let bytes = source.as_bytes();
    let line = newline(bytes, at + 1);
    if line > 0 {
        let next = at + 1 + line;
        return (next + spaces(&source[next.min(end)..end])).min(end);
    }
    let next = char_end(source, at + 1).min(end);
    if let Some((c, next)) = escaped(source, at, end, 2) {
        template.decode(c.encode_utf8(&mut [0; 4]), at..next);
        return next;
    }
    template.decode(&source[(at + 1).min(next)..next], at..next);
    next.max(at + 1)
}
