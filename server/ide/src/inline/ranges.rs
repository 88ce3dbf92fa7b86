//! Ranges of a host file.

use std::ops::Range;

use text_size::{TextRange, TextSize};

/// A range of bytes as a [`TextRange`].
pub(super) fn text_range(range: Range<usize>) -> TextRange {
    let at = |offset: usize| TextSize::new(u32::try_from(offset).unwrap_or(u32::MAX));
    TextRange::new(at(range.start), at(range.end))
}
