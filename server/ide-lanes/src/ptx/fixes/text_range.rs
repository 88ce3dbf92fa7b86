//! Ranges of text.

use std::ops::Range;

use text_size::{TextRange, TextSize};

/// A range of bytes as one of text.
pub(super) fn text_range(range: &Range<usize>) -> TextRange {
    let size = |offset: usize| TextSize::new(offset as u32);
    TextRange::new(size(range.start), size(range.end))
}
