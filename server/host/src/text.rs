//! What the scanners share: names, and offsets of a text.

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
