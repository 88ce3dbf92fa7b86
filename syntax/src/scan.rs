//! The interface of a language's item scanner, which [`ItemList`](crate::ItemList) drives.
//!
//! A scanner finds where the item that starts at a given place ends, without building tokens. It must be
//! a function of the text alone: the same text from the same start gives the same result, whatever precedes
//! it. It returns how far it looked ahead, which determines the items that an edit can change.

use std::cell::OnceCell;
use std::ops::Range;

use memchr::memmem;

use crate::checkpoints::{Checkpoint, EditedItem};

/// The kind of an item, by its first words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ItemKind {
    /// `.version`, `.target`, `.file`, `.section`, ...
    Directive,
    /// A variable of the module.
    Variable,
    /// A device function.
    Function,
    /// A kernel.
    Kernel,
    /// Trivia at the end of the file, or text that fits nowhere.
    Other,
}

/// Where a block comment ends.
pub enum CommentEnd {
    /// Here, in the given text.
    At(usize),
    /// After the given text.
    Later,
    /// Nowhere: the comment ends with its line.
    Never,
}

/// A cache of the ends of block comments in one text, so that many unterminated comments do not search it
/// again and again.
#[derive(Default)]
pub(crate) struct CommentEnds {
    last: OnceCell<Option<usize>>,
    later: OnceCell<bool>,
}

impl CommentEnds {
    /// The end of the comment that opens at `open`, if it is in the text.
    pub(crate) fn of(&self, text: &[u8], open: usize) -> Option<usize> {
        let last = (*self.last.get_or_init(|| memmem::rfind(text, b"*/")))?;
        let inside = open + 2;
        let length = if inside <= last { memmem::find(&text[inside..], b"*/") } else { None };
        length.map(|length| inside + length + 2)
    }
}

/// Queries of the scanner about comments and about the text after the given one.
pub struct Tail<'a> {
    pub(crate) known: &'a CommentEnds,
    /// Whether there is a `*/` after the given text.
    pub(crate) comment_ends_later: &'a dyn Fn() -> bool,
}

impl Tail<'_> {
    /// The end of the comment that opens at `open`.
    pub fn comment_end(&self, text: &[u8], open: usize) -> CommentEnd {
        match self.known.of(text, open) {
            Some(end) => CommentEnd::At(end),
            None if *self.known.later.get_or_init(self.comment_ends_later) => CommentEnd::Later,
            None => CommentEnd::Never,
        }
    }
}

/// An item found by a scanner; all positions are in the scanned text.
#[derive(Debug)]
pub struct Scanned {
    /// Where the item ends; more than where it starts.
    pub end: usize,
    /// The result is valid as long as the text before this offset is unchanged; past the end of the text if the
    /// scanner has reached that end.
    pub examined: usize,
    /// The kind of the item.
    pub kind: ItemKind,
    /// The range of its name.
    pub name: Option<Range<usize>>,
    /// Whether a block comment in it has no end in the whole file, and so ends with its line.
    pub open_comment: bool,
    /// Places in it from which a [`Rescan`] can go on; a scanner without one gives none.
    pub checkpoints: Vec<Checkpoint>,
}

/// Finds the end of the item that starts at `start`; `start` is not the end of `text`.
pub type Scan = fn(text: &str, start: usize, tail: &Tail<'_>) -> Scanned;

/// Scans an item again after an edit strictly inside it; `None` if it may end elsewhere, or depend on other text, than before.
pub type Rescan = fn(item: &EditedItem<'_>, tail: &Tail<'_>) -> Option<Rescanned>;

/// What an edit changed of an item that ends where it did.
#[derive(Debug)]
pub struct Rescanned {
    /// The kind, and the range of the name; `None` if they are the same as before.
    pub head: Option<(ItemKind, Option<Range<usize>>)>,
    /// The number of bytes that were scanned.
    pub scanned: usize,
    /// As in [`Scanned`], of the scanned text.
    pub open_comment: bool,
    /// Those of the whole item.
    pub checkpoints: Vec<Checkpoint>,
}
