//! Classes of bytes.

/// The length of the white space at the start. It includes what copying from a web page or a terminal adds: no-break
/// spaces and colors.
pub(super) fn indentation(line: &[u8]) -> usize {
    let mut length = 0;
    loop {
        length += line[length..].iter().take_while(|byte| is_space(**byte)).count();
        match &line[length..] {
            [0xc2, 0xa0, ..] => length += 2,
            [0xe2, 0x80, 0xaf, ..] => length += 3,
            [0x1b, b'[', rest @ ..] => match rest.iter().position(|byte| !matches!(byte, b'0'..=b'9' | b';'))
            {
                Some(end) if rest[end] == b'm' => length += end + 3,
                _ => return length,
            },
            _ => return length,
        }
    }
}

/// The text without white space at its ends.
pub(super) fn trim(text: &[u8]) -> &[u8] {
    let mut text = &text[indentation(text)..];
    loop {
        text = text.trim_ascii_end();
        let at = match text {
            [.., 0xc2, 0xa0] => text.len() - 2,
            [.., 0xe2, 0x80, 0xaf] => text.len() - 3,
            [.., b'm'] => match memchr::memrchr(0x1b, text) {
                Some(at) if at + indentation(&text[at..]) == text.len() => at,
                _ => return text,
            },
            _ => return text,
        };
        text = &text[..at];
    }
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0xc)
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether a byte belongs to a symbol: `.L_x_0`, `$k$helper`.
pub(super) fn is_symbol(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'.' | b'$')
}

/// Whether only a comment, or nothing, follows.
pub(super) fn ends_here(rest: &[u8]) -> bool {
    let rest = &rest[indentation(rest)..];
    rest.is_empty() || rest.starts_with(b"//") || rest.starts_with(b"/*")
}
