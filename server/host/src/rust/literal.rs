//! The text of Rust's literals, and of `concat!`.

use crate::template::Template;
use crate::text::{char_end, decode_special, newline};
use crate::tokens::{Kind, Token, arguments, group_end, span};

/// Whether an argument of `asm!` is a part of its text.
pub(super) fn is_text(source: &str, tokens: &[Token]) -> bool {
    match tokens {
        [token] if token.kind == Kind::String => true,
        [name, bang, ..] if bang.is(b'!') => {
            matches!(name.text(source), "concat" | "stringify" | "include_str" | "env")
        }
        // A variable of a macro.
        [dollar, name] => dollar.is(b'$') && name.kind == Kind::Name,
        _ => false,
    }
}

/// How many `concat!` may be inside each other.
const MAX_DEPTH: u32 = 16;

pub(super) fn text_of(source: &str, tokens: &[Token], template: &mut Template) {
    add(source, tokens, MAX_DEPTH, template);
}

fn add(source: &str, tokens: &[Token], depth: u32, template: &mut Template) {
    match tokens {
        [token] if token.kind == Kind::String => decode(source, *token, template),
        [token] if matches!(token.kind, Kind::Number) => template.copy(token.text(source), token.start),
        [name, bang, open, ..]
            if depth > 0
                && bang.is(b'!')
                && name.text(source) == "concat"
                && matches!(open.kind, Kind::Punctuation(b'(' | b'[' | b'{')) =>
        {
            let end = group_end(tokens, 2);
            for part in arguments(&tokens[3..end.saturating_sub(1).max(3)]) {
                add(source, part, depth - 1, template);
            }
        }
        _ => span(tokens).into_iter().for_each(|range| template.hole(range)),
    }
}

pub(super) fn decode(source: &str, token: Token, template: &mut Template) {
    let text = token.text(source);
    let Some(quote) = text.find('"') else { return };
    let prefix = &text[..quote];
    let hashes = prefix.bytes().filter(|byte| *byte == b'#').count();
    let start = token.start + quote + 1;
    let closes = text.len() >= quote + 2 + hashes && text[..text.len() - hashes].ends_with('"');
    let end = if closes { token.end - 1 - hashes } else { token.end };
    let is_raw = prefix.contains('r');
    decode_special(source, start..end, b"\\", template, |_, at, template| {
        (!is_raw).then(|| escape(source, at, end, template))
    });
}

fn escape(source: &str, at: usize, end: usize, template: &mut Template) -> usize {
    let bytes = source.as_bytes();
    if newline(bytes, at + 1) > 0 {
        // The line end and the white space after it are dropped.
        let rest = &source[at + 1..end];
        return end - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
    }
    let hex = |digits: &str| u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
    let (c, next) = match bytes.get(at + 1).filter(|_| at + 1 < end) {
        Some(b'n') => (Some('\n'), at + 2),
        Some(b't') => (Some('\t'), at + 2),
        Some(b'r') => (Some('\r'), at + 2),
        Some(b'0') => (Some('\0'), at + 2),
        Some(b'x') => (source.get(at + 2..at + 4).and_then(hex), at + 4),
        Some(b'u') => {
            let close =
                source.get(at..end).and_then(|rest| rest.find('}')).map_or(end, |close| at + close + 1);
            (source.get(at + 3..close - 1).and_then(hex), close)
        }
        _ => (source.get(at + 1..end).and_then(|rest| rest.chars().next()), char_end(source, at + 1)),
    };
    let next = next.min(end);
    // An escape may end inside a character of a wrong literal.
    let next = (next..=end).find(|at| source.is_char_boundary(*at)).unwrap_or(end);
    let c = c.unwrap_or(char::REPLACEMENT_CHARACTER);
    template.decode(c.encode_utf8(&mut [0; 4]), at..next);
    next
}
