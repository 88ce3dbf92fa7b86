//! Classes of bytes.

pub(super) fn indentation(line: &[u8]) -> usize {
    line.iter().take_while(|byte| is_space(**byte)).count()
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
