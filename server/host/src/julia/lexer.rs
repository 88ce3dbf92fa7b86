//! The tokens of Julia.

use crate::text::{char_end, is_name, line_end, name_end, nested_comment_end};
use crate::tokens::{Kind, Token};

pub(super) fn lex(source: &str) -> Vec<Token> {
    let bytes = source.as_bytes();
    let (mut tokens, mut at): (Vec<Token>, usize) = (Vec::new(), 0);
    while let Some(byte) = bytes.get(at) {
        let (kind, end) = match byte {
            b'#' if bytes.get(at + 1) == Some(&b'=') => {
                at = nested_comment_end(bytes, at, [b"#=", b"=#"]);
                continue;
            }
            b'#' => {
                at = line_end(bytes, at);
                continue;
            }
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            b'"' | b'`' => (Kind::String, string_end(bytes, at, false)),
            // After a value, `'` transposes it.
            b'\'' if !ends_value(tokens.last(), at) => (Kind::Char, quoted_end(source, at)),
            b'0'..=b'9' => (Kind::Number, name_end(bytes, at)),
            _ if is_name(*byte) => {
                let end = name_end(bytes, at);
                match bytes.get(end) {
                    Some(b'"') => (Kind::String, string_end(bytes, end, true)),
                    _ => (Kind::Name, end),
                }
            }
            _ => (Kind::Punctuation(*byte), at + 1),
        };
        tokens.push(Token { kind, start: at, end });
        at = end;
    }
    tokens
}

fn ends_value(last: Option<&Token>, at: usize) -> bool {
    last.is_some_and(|last| {
        let is_value =
            matches!(last.kind, Kind::Name | Kind::Number | Kind::Punctuation(b')' | b']' | b'}' | b'\''));
        last.end == at && is_value
    })
}

/// The end of the string whose quote is at `open`. `$(…)` may contain quotes.
fn string_end(bytes: &[u8], open: usize, is_raw: bool) -> usize {
    let quote = bytes[open];
    let length = if bytes[open..].starts_with(&[quote; 3]) { 3 } else { 1 };
    let mut at = open + length;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'$' if !is_raw && bytes.get(at + 1) == Some(&b'(') => at = interpolation_end(bytes, at + 1),
            _ if *byte == quote && (length == 1 || bytes[at..].starts_with(&[quote; 3])) => {
                return at + length;
            }
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The end of `(…)` in a string.
pub(super) fn interpolation_end(bytes: &[u8], open: usize) -> usize {
    let (mut depth, mut at) = (0usize, open);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b'\n' => return at,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return at;
        }
    }
    at
}

/// The end of a character. A lone quote is a character of its own.
fn quoted_end(source: &str, at: usize) -> usize {
    let bytes = source.as_bytes();
    let escaped = usize::from(bytes.get(at + 1) == Some(&b'\\'));
    let inner = char_end(source, (at + 1 + escaped).min(bytes.len()));
    let rest = &bytes[inner.min(bytes.len())..];
    match rest.iter().take(12).position(|byte| *byte == b'\'') {
        Some(close) if close == 0 || escaped > 0 => inner + close + 1,
        _ => at + 1,
    }
}
