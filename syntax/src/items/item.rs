//! An item: a part of the text with what the scanner found out about it.

use std::sync::{Arc, OnceLock};

use memchr::memmem;
use smol_str::SmolStr;

use crate::scan::{ItemKind, Scanned};

/// An item with the trivia before it.
#[derive(Debug, Clone)]
pub struct Item {
    /// What the item is, judged by its first words.
    pub kind: ItemKind,
    /// The name that the item declares, if any.
    pub name: Option<SmolStr>,
    /// The item's text; two items with the same pointer are the same item.
    pub text: Arc<str>,
    /// The number of bytes after the item that the scanner examined; the end of the file counts as one.
    pub(super) lookahead: u32,
    pub(super) open_comment: bool,
    /// Whether the text contains `*/`. Cached, because an open comment anywhere before queries all items.
    has_comment_end: OnceLock<bool>,
}

impl PartialEq for Item {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.name == other.name && self.text == other.text
    }
}

impl Eq for Item {}

impl Item {
    pub(super) fn new(text: &str, start: usize, scanned: Scanned) -> Item {
        Item {
            kind: scanned.kind,
            name: scanned.name.map(|name| SmolStr::new(&text[name])),
            text: Arc::from(&text[start..scanned.end]),
            lookahead: (scanned.examined.max(scanned.end) - scanned.end) as u32,
            open_comment: scanned.open_comment,
            has_comment_end: OnceLock::new(),
        }
    }

    pub(super) fn has_comment_end(&self) -> bool {
        *self.has_comment_end.get_or_init(|| memmem::find(self.text.as_bytes(), b"*/").is_some())
    }
}
