//! The tokens of Python and Mojo.

use crate::text::{is_name, line_end, name_end, newline};
use crate::tokens::{Kind, Token};

pub(crate) fn lex(source: &str) -> Vec<Token> {
    let bytes = source.as_bytes();
    let (mut tokens, mut at) = (Vec::new(), 0);
    while let Some(byte) = bytes.get(at) {
        let (kind, end) = match byte {
            b'#' => {
                at = line_end(bytes, at);
                continue;
            }
            b' ' | b'\t' | b'\r' | b'\n' | b'\\' => {
                at += 1;
                continue;
            }
            b'"' | b'\'' => (Kind::String, string_end(bytes, at)),
            b'0'..=b'9' => (Kind::Number, name_end(bytes, at)),
            _ if is_name(*byte) => {
                let end = name_end(bytes, at);
                let is_prefix = end - at <= 2
                    && bytes[at..end].iter().all(|byte| b"rRbBfFuUtT".contains(byte))
                    && matches!(bytes.get(end), Some(b'"' | b'\''));
                if is_prefix { (Kind::String, string_end(bytes, end)) } else { (Kind::Name, end) }
            }
            _ => (Kind::Punctuation(*byte), at + 1),
        };
        tokens.push(Token { kind, start: at, end });
        at = end;
    }
    tokens
}

/// The parts of a string literal: whether it has a prefix, and the range of its text.
pub(crate) struct Literal {
    pub(crate) is_raw: bool,
    pub(crate) is_format: bool,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Literal {
    pub(crate) fn new(source: &str, token: Token) -> Literal {
        let text = token.text(source);
        let quote = text.find(['"', '\'']).unwrap_or(0);
        let prefix = text[..quote].to_ascii_lowercase();
        let length = quotes(source.as_bytes(), token.start + quote);
        let start = (token.start + quote + length).min(token.end);
        let closes = text.len() >= quote + 2 * length && text.ends_with(&text[quote..quote + length]);
        let end = if closes { (token.end - length).max(start) } else { token.end };
        Literal { is_raw: prefix.contains('r'), is_format: prefix.contains(['f', 't']), start, end }
    }
}

/// Three for `"""`, one for `"`.
fn quotes(bytes: &[u8], at: usize) -> usize {
    let quote = bytes[at];
    if bytes.get(at + 1) == Some(&quote) && bytes.get(at + 2) == Some(&quote) { 3 } else { 1 }
}

/// The end of the string that opens at `at`. An unterminated one of one line ends with its line.
fn string_end(bytes: &[u8], open: usize) -> usize {
    let (quote, length) = (bytes[open], quotes(bytes, open));
    let mut at = open + length;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1 + newline(bytes, at + 1).max(1),
            b'\n' if length == 1 => return at,
            _ if *byte == quote && (length == 1 || bytes[at..].starts_with(&[quote; 3])) => {
                return at + length;
            }
            _ => at += 1,
        }
    }
    bytes.len()
}
