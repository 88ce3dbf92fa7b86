//! Applies edits to a text.

use warplens_ide::{TextEdit, TextRange, TextSize};

/// The text after the edits, which must be in text order and not overlap.
pub(super) fn edited(text: &str, edits: &[TextEdit]) -> String {
    let mut edited = String::with_capacity(text.len() + text.len() / 8);
    let mut at = TextSize::new(0);
    for edit in edits {
        edited.push_str(&text[TextRange::new(at, edit.range.start())]);
        edited.push_str(&edit.insert);
        at = edit.range.end();
    }
    edited.push_str(&text[usize::from(at)..]);
    edited
}
