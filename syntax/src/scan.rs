//! What a language's item scanner answers; [`ItemList`](crate::ItemList) drives it.
//!
//! A scanner finds where the item that starts at a given place ends, without building tokens. It must be
//! a function of the text alone: the same text from the same start gives the same answer, whatever came
//! before. It says how far it looked, so that an edit knows which items it can have changed.

use std::ops::Range;

use crate::ItemKind;

/// What the scanner may ask about text that it was not given.
pub(crate) struct Tail<'a> {
    /// Whether a `*/` stands after the given text; asked when a block comment does not end inside it.
    pub(crate) comment_ends_later: &'a dyn Fn() -> bool,
}

/// An item found by a scanner; all positions are in the scanned text.
#[derive(Debug)]
pub(crate) struct Scanned {
    /// Where the item ends; more than where it starts.
    pub(crate) end: usize,
    /// The answer holds as long as the text before this place stays; past the end of the text if the
    /// scanner saw that end.
    pub(crate) examined: usize,
    pub(crate) kind: ItemKind,
    /// Where its name stands.
    pub(crate) name: Option<Range<usize>>,
    /// Whether a block comment in it has no end in the whole file, and so ends with its line.
    pub(crate) open_comment: bool,
}

/// Finds the end of the item that starts at `start`; `start` is not the end of `text`.
pub(crate) type Scan = fn(text: &str, start: usize, tail: &Tail<'_>) -> Scanned;
