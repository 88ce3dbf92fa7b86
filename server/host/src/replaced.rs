//! A replaced range of a file.

use std::ops::Range;

/// A replaced range of a file.
#[derive(Debug, Clone)]
pub struct Edit<'t> {
    pub removed: Range<usize>,
    pub inserted: &'t str,
}

impl Edit<'_> {
    /// A position after the edit, of one that is not inside of the removed range.
    pub fn moved(&self, at: usize) -> usize {
        if at < self.removed.end { at } else { at - self.removed.len() + self.inserted.len() }
    }

    pub(crate) fn moved_range(&self, range: &mut Range<usize>) {
        *range = self.moved(range.start)..self.moved(range.end);
    }
}
