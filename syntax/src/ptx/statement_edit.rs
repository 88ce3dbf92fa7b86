//! Edits of whole statements in a body, after which the item around them ends where it did: the scanner need not look at a long
//! function again for each letter.
//!
//! A line that ends with a `;`, and has no brace, string or comment, leaves the scanner at the start of a statement, with as many
//! open braces as before, whatever precedes the line. So one such line can replace another.

use std::ops::Range;

use memchr::{memchr, memmem, memrchr};

use super::scan::LOOK_AHEAD;
use super::words;
use crate::ItemKind;
use crate::scan::ItemEdit;

/// Whether the item ends where it did, with another name or kind of item in no case.
pub(super) fn keeps_item(edit: &ItemEdit<'_>) -> bool {
    let lines = lines_around(edit.text, &edit.range);
    let rest = edit.text.len() - lines.end;
    if !matches!(edit.kind, ItemKind::Function | ItemKind::Kernel) || rest < LOOK_AHEAD {
        return false;
    }
    let old = &edit.text[lines.clone()];
    let new = [&edit.text[lines.start..edit.range.start], edit.insert, &edit.text[edit.range.end..lines.end]];
    is_statement(old) && is_statement(&new.concat()) && is_in_body(edit.text, lines.start)
}

/// The whole lines that a range touches.
fn lines_around(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = memrchr(b'\n', &text.as_bytes()[..range.start]).map_or(0, |before| before + 1);
    let end = memchr(b'\n', &text.as_bytes()[range.end..]).map_or(text.len(), |length| range.end + length);
    start..end
}

/// Whether lines end with a `;`, and have nothing that opens or closes something.
fn is_statement(lines: &str) -> bool {
    let is_plain = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || byte.is_ascii_whitespace()
            || matches!(byte, b'_' | b'$' | b'%' | b'.' | b',' | b';' | b':' | b'[' | b']' | b'(' | b')')
            || matches!(byte, b'+' | b'-' | b'*' | b'!' | b'|' | b'<' | b'>' | b'&' | b'~' | b'^' | b'@')
    };
    let has_structure = || {
        let words = lines.match_indices('.').map(|(at, _)| word_at(lines, at));
        lines.contains("@@") || words.into_iter().any(words::begins_item)
    };
    lines.trim_ascii_end().ends_with(';') && lines.bytes().all(is_plain) && !has_structure()
}

/// The `.word` at a dot.
fn word_at(text: &str, dot: usize) -> &str {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    let length = text.as_bytes()[dot + 1..].iter().take_while(|byte| is_word(byte)).count();
    &text[dot..=dot + length]
}

/// Whether a place is in the body of a function: after a line that starts with a brace. No comment goes on over lines.
fn is_in_body(text: &str, at: usize) -> bool {
    let Some(open) = memmem::find(&text.as_bytes()[..at], b"\n{") else { return false };
    // After a `=`, a brace opens a value.
    memchr(b'=', &text.as_bytes()[..open]).is_none() && memmem::find(text.as_bytes(), b"/*").is_none()
}
