//! The tokens of Rust.

use crate::text::{char_end, is_name, line_end, name_end, nested_comment_end};
use crate::tokens::{Kind, Token};

pub(super) fn lex(source: &str) -> Vec<Token> {
    let bytes = source.as_bytes();
    let (mut tokens, mut at) = (Vec::new(), 0);
    while let Some(byte) = bytes.get(at) {
        let (kind, end) = match byte {
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at = line_end(bytes, at);
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = nested_comment_end(bytes, at, [b"/*", b"*/"]);
                continue;
            }
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            b'"' => (Kind::String, string_end(bytes, at)),
            b'\'' => match character_end(source, at) {
                Some(end) => (Kind::Char, end),
                None => (Kind::Punctuation(b'\''), at + 1),
            },
            b'0'..=b'9' => (Kind::Number, name_end(bytes, at)),
            _ if is_name(*byte) => {
                let end = name_end(bytes, at);
                let is_prefix = matches!(&bytes[at..end], b"b" | b"c" | b"r" | b"br" | b"cr");
                let is_raw = is_prefix && bytes[end - 1] == b'r';
                match bytes.get(end) {
                    Some(b'"' | b'#') if is_raw => match raw_end(bytes, end) {
                        Some(end) => (Kind::String, end),
                        None => (Kind::Name, end),
                    },
                    Some(b'"') if is_prefix => (Kind::String, string_end(bytes, end)),
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

fn string_end(bytes: &[u8], open: usize) -> usize {
    let mut at = open + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The end of `r#"…"#`, whose first `#` or quote is at `at`. `None` for a raw name: `r#type`.
fn raw_end(bytes: &[u8], at: usize) -> Option<usize> {
    let hashes = bytes[at..].iter().take_while(|byte| **byte == b'#').count();
    let open = at + hashes;
    bytes.get(open).filter(|byte| **byte == b'"')?;
    let close = [b"\"", &*vec![b'#'; hashes]].concat();
    let found = memchr::memmem::find(&bytes[open + 1..], &close);
    Some(found.map_or(bytes.len(), |found| open + 1 + found + close.len()))
}

/// The end of a character; `None` for a lifetime.
fn character_end(source: &str, at: usize) -> Option<usize> {
    let bytes = source.as_bytes();
    if bytes.get(at + 1) == Some(&b'\\') {
        let rest = bytes.get(at + 3..)?;
        return rest.iter().take(12).position(|byte| *byte == b'\'').map(|close| at + 3 + close + 1);
    }
    let end = char_end(source, (at + 1).min(bytes.len()));
    (bytes.get(end) == Some(&b'\'')).then_some(end + 1)
}
