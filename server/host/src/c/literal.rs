//! String literals: where they end, and what they denote.

use crate::template::Template;
use crate::text::{char_end as text_char_end, escaped, newline};

/// The end of the string whose quote is at `quote`. An unterminated one ends with its line.
pub(super) fn end(bytes: &[u8], quote: usize) -> usize {
    quoted_end(bytes, quote, b'"')
}

pub(super) fn char_end(bytes: &[u8], quote: usize) -> usize {
    quoted_end(bytes, quote, b'\'')
}

fn quoted_end(bytes: &[u8], quote: usize, close: u8) -> usize {
    let mut at = quote + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1 + newline(bytes, at + 1).max(1),
            b'\n' => return at,
            _ if *byte == close => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The end of `R"delimiter(…)delimiter"`, whose quote is at `quote`.
pub(super) fn raw_end(bytes: &[u8], quote: usize) -> usize {
    let Some((open, close)) = delimiters(bytes, quote) else { return end(bytes, quote) };
    memchr::memmem::find(&bytes[open..], &close).map_or(bytes.len(), |found| open + found + close.len())
}

/// The start of the text of a raw string, and what ends it. A delimiter has at most 16 characters.
fn delimiters(bytes: &[u8], quote: usize) -> Option<(usize, Vec<u8>)> {
    let end = bytes.len().min(quote + 18);
    let length = bytes.get(quote + 1..end)?.iter().position(|byte| *byte == b'(')?;
    let delimiter = &bytes[quote + 1..quote + 1 + length];
    if delimiter.iter().any(|byte| matches!(byte, b' ' | b'"' | b')' | b'\\' | b'\n')) {
        return None;
    }
    Some((quote + 2 + length, [b")", delimiter, b"\""].concat()))
}

/// Adds what the literal from `start` to `end` denotes.
pub(super) fn decode(source: &str, start: usize, end: usize, template: &mut Template) {
    let bytes = source.as_bytes();
    let Some(quote) = memchr::memchr(b'"', &bytes[start..end]).map(|at| start + at) else { return };
    if quote > start
        && bytes[quote - 1] == b'R'
        && let Some((open, close)) = delimiters(bytes, quote)
    {
        return lines(source, open, end.saturating_sub(close.len()).max(open), template);
    }
    let close = if end > quote + 1 && bytes[end - 1] == b'"' { end - 1 } else { end };
    let mut at = quote + 1;
    while at < close {
        let plain = memchr::memchr2(b'\\', b'\n', &bytes[at..close]).map_or(close, |found| at + found);
        template.copy(&source[at..plain], at);
        at = plain;
        if at < close {
            let next = escape(source, at, close, template);
            at = next.max(at + 1).min(close);
        }
    }
}

/// Adds the text of several lines, whose CR LF is one line end.
pub(crate) fn lines(source: &str, start: usize, end: usize, template: &mut Template) {
    let mut at = start;
    while at < end {
        let cr = memchr::memmem::find(&source.as_bytes()[at..end], b"\r\n").map_or(end, |found| at + found);
        template.copy(&source[at..cr], at);
        at = cr;
        if at < end {
            template.decode("\n", at..at + 2);
            at += 2;
        }
    }
}

/// Adds what the escape at `at` denotes, and returns its end.
fn escape(source: &str, at: usize, end: usize, template: &mut Template) -> usize {
    let bytes = source.as_bytes();
    let spaces = bytes[at + 1..end].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let line = newline(bytes, at + 1 + spaces);
    if line > 0 {
        return at + 1 + spaces + line;
    }
    if at + 1 >= end {
        return end;
    }
    if let Some((c, next)) = escaped(source, at, end, 8) {
        template.decode(c.encode_utf8(&mut [0; 4]), at..next);
        return next;
    }
    let next = text_char_end(source, at + 1);
    template.decode(&source[at + 1..next], at..next);
    next
}
