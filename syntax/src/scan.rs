//! The interface of a language's item scanner, which [`ItemList`](crate::ItemList) drives.
//!
//! A scanner finds where the item that starts at a given offset ends, without building tokens. It must be a
//! function of the text alone: the same text from the same start gives the same result, whatever precedes it.
//! It returns how far it looked ahead, which determines the items that an edit can change.

use std::cell::OnceCell;
use std::ops::Range;

use memchr::memmem;

/// The kind of an item, judged by its first words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ItemKind {
    /// `.version`, `.target`, `.file`, `.section`, ...
    Directive,
    /// A variable of the module.
    Variable,
    /// A function that only device code calls.
    Function,
    /// A function that the host launches.
    Kernel,
    /// Trivia at the end of the file, or text that fits nowhere.
    Other,
}

/// Where a block comment ends.
pub enum CommentEnd {
    /// At this offset in the given text.
    At(usize),
    /// After the given text.
    Later,
    /// Nowhere: the comment ends with its line.
    Never,
}

/// Caches where block comments end in one text, so that many unterminated comments do not each search it
/// again.
#[derive(Default)]
pub(crate) struct CommentEnds {
    last: OnceCell<Option<usize>>,
    later: OnceCell<bool>,
}

impl CommentEnds {
    /// The end of the comment that opens at `open`, if the text contains it.
    pub(crate) fn of(&self, text: &[u8], open: usize) -> Option<usize> {
        let last = (*self.last.get_or_init(|| memmem::rfind(text, b"*/")))?;
        let inside = open + 2;
        let length = if inside <= last { memmem::find(&text[inside..], b"*/") } else { None };
        length.map(|length| inside + length + 2)
    }
}

/// Answers the scanner's questions about comments and about the text after the given one.
pub struct Tail<'a> {
    pub(crate) known: &'a CommentEnds,
    /// Whether a `*/` occurs after the given text.
    pub(crate) comment_ends_later: &'a dyn Fn() -> bool,
}

impl Tail<'_> {
    /// Where the comment that opens at `open` ends.
    pub fn comment_end(&self, text: &[u8], open: usize) -> CommentEnd {
        match self.known.of(text, open) {
            Some(end) => CommentEnd::At(end),
            None if *self.known.later.get_or_init(self.comment_ends_later) => CommentEnd::Later,
            None => CommentEnd::Never,
        }
    }
}

/// An item found by a scanner; all offsets are in the scanned text.
#[derive(Debug)]
pub struct Scanned {
    /// Where the item ends; always after its start.
    pub end: usize,
    /// The result stays valid while the text before this offset is unchanged. Past the end of the text if the
    /// scanner has reached that end.
    pub examined: usize,
    /// What the item is, judged by its first words.
    pub kind: ItemKind,
    /// The range of the declared name.
    pub name: Option<Range<usize>>,
    /// Whether a block comment in the item has no end in the whole file, and so ends with its line.
    pub open_comment: bool,
}

impl Scanned {
    /// An item of any kind that ends with the text.
    pub(crate) fn to_end(text: &str) -> Scanned {
        Scanned {
            end: text.len(),
            examined: text.len() + 1,
            kind: ItemKind::Other,
            name: None,
            open_comment: false,
        }
    }
}

/// Finds the end of the item that starts at `start`, which is before the end of `text`.
pub type Scan = fn(text: &str, start: usize, tail: &Tail<'_>) -> Scanned;
