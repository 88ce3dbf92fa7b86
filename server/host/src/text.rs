//! What the scanners share: names, offsets of a text, and the text of literals.

use std::ops::Range;

use crate::template::Template;

/// Whether this byte may continue a name. Bytes of characters outside ASCII do.
pub(crate) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// The end of the name that starts at `at`.
pub(crate) fn name_end(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|byte| is_name(**byte)).count()
}

/// The end of the line at `at`, before its line end.
pub(crate) fn line_end(bytes: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |found| at + found)
}

/// The length of the line end at `at`: CR LF is one. 0 if there is none.
pub(crate) fn newline(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at..) {
        Some([b'\r', b'\n', ..]) => 2,
        Some([b'\n', ..]) => 1,
        _ => 0,
    }
}

/// The end of the character at `at`.
pub(crate) fn char_end(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.chars().next()).map_or(text.len(), |c| at + c.len_utf8())
}

/// Adds the text of a literal, in which CR LF is one line end. `decode` adds what starts with a `special` byte and returns where that ends;
/// `None` if the byte stands for itself.
pub(crate) fn decode_special(
    source: &str,
    range: Range<usize>,
    special: &[u8],
    template: &mut Template,
    mut decode: impl FnMut(u8, usize, &mut Template) -> Option<usize>,
) {
    let (bytes, mut at) = (source.as_bytes(), range.start);
    while at < range.end {
        let rest = &bytes[at..range.end];
        let plain = rest.iter().position(|byte| *byte == b'\r' || special.contains(byte));
        let next = at + plain.unwrap_or(rest.len());
        template.copy(&source[at..next], at);
        at = next;
        let Some(&byte) = bytes[..range.end].get(at) else { return };
        let end = match byte {
            b'\r' if newline(bytes, at) == 2 => {
                template.decode("\n", at..at + 2);
                Some(at + 2)
            }
            b'\r' => None,
            _ => decode(byte, at, template),
        };
        at = end.unwrap_or_else(|| {
            template.copy(&source[at..at + 1], at);
            at + 1
        });
    }
}

/// The character of the escape whose backslash is at `at`, and where the escape ends; `None` if its letter stands for itself. `\x` has at
/// most `most` digits.
pub(crate) fn escaped(source: &str, at: usize, end: usize, most: usize) -> Option<(char, usize)> {
    let digits = |from: usize, most: usize, radix: u32| {
        let rest = source.get(from..end).unwrap_or_default();
        let digits = rest.chars().take(most).take_while(|c| c.is_digit(radix)).count();
        (u32::from_str_radix(&rest[..digits], radix).unwrap_or(0), from + digits)
    };
    let letter = source.as_bytes().get(at + 1).filter(|_| at + 1 < end)?;
    let (value, next) = match letter {
        b'n' => (10, at + 2),
        b't' => (9, at + 2),
        b'r' => (13, at + 2),
        b'a' => (7, at + 2),
        b'b' => (8, at + 2),
        b'f' => (12, at + 2),
        b'v' => (11, at + 2),
        b'x' => digits(at + 2, most, 16),
        b'u' => digits(at + 2, 4, 16),
        b'U' => digits(at + 2, 8, 16),
        b'0'..=b'7' => digits(at + 1, 3, 8),
        _ => return None,
    };
    Some((char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER), next))
}

/// The end of a comment that starts at `start` and may contain others.
pub(crate) fn nested_comment_end(bytes: &[u8], start: usize, [open, close]: [&[u8; 2]; 2]) -> usize {
    let (mut depth, mut at) = (0usize, start);
    while at < bytes.len() {
        let rest = &bytes[at..];
        (depth, at) = if rest.starts_with(open) {
            (depth + 1, at + 2)
        } else if rest.starts_with(close) {
            (depth - 1, at + 2)
        } else {
            (depth, at + 1)
        };
        if depth == 0 {
            return at;
        }
    }
    at
}
