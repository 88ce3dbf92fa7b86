//! Punctuation, which the languages share.

use crate::SyntaxKind;
use crate::T;

/// The token of a punctuation character by itself.
#[inline]
pub(crate) fn single(byte: u8) -> Option<SyntaxKind> {
    Some(match byte {
        b';' => T![;],
        b',' => T![,],
        b':' => T![:],
        b'.' => T![.],
        b'(' => T!['('],
        b')' => T![')'],
        b'[' => T!['['],
        b']' => T![']'],
        b'{' => T!['{'],
        b'}' => T!['}'],
        b'<' => T![<],
        b'>' => T![>],
        b'@' => T![@],
        b'!' => T![!],
        b'|' => T![|],
        b'&' => T![&],
        b'^' => T![^],
        b'~' => T![~],
        b'+' => T![+],
        b'-' => T![-],
        b'*' => T![*],
        b'/' => T![/],
        b'%' => T![%],
        b'?' => T![?],
        b'=' => T![=],
        _ => return None,
    })
}
