//! The edits of an item.

use text_size::TextRange;

/// Edits of an item's text, which do not touch each other.
pub(crate) type Edits = Vec<(TextRange, String)>;

/// Sorts the edits, and removes duplicates that several instructions request.
pub(super) fn in_order(edits: impl Iterator<Item = (TextRange, String)>) -> Edits {
    let mut edits: Edits = edits.collect();
    edits.sort_by_key(|(range, _)| (range.start(), range.end()));
    edits.dedup();
    edits
}
