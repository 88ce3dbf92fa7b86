//! A place in a file as its item sees it. Features about one place look at one item only.

use text_size::{TextRange, TextSize};
use warplens_syntax::{Language, SyntaxKind, SyntaxNode, SyntaxToken};

use crate::db::{Database, File, Item, items};

/// An offset of a file, seen from its item.
#[derive(Clone, Copy)]
pub struct FilePosition<'db> {
    pub file: File,
    /// Which item of the file.
    pub index: usize,
    pub item: Item<'db>,
    /// Where the item starts in the file.
    pub start: TextSize,
    /// The offset, relative to the item.
    pub offset: TextSize,
    /// How many blanks lie between the item and the place, which is on the same line behind it.
    pub blanks: TextSize,
}

impl<'db> FilePosition<'db> {
    /// The place of an offset; `None` in an empty file and beyond the end.
    pub fn new(db: &'db Database, file: File, offset: TextSize) -> Option<FilePosition<'db>> {
        let list = file.document(db).items();
        if offset > list.text_len() {
            return None;
        }
        let index = list.item_at(offset)?;
        let start = list.start_of(index);
        let text = &list.items()[index].text;
        let is_between = |before: &str| before.bytes().all(|byte| matches!(byte, b' ' | b'\t'));
        let starts_blank = || text.starts_with(|c: char| c.is_ascii_whitespace());
        let before = text.get(..usize::from(offset - start)).unwrap_or_default();
        // On the line on which an item ends a person means that item rather than the blanks before the next one.
        if index > 0 && starts_blank() && is_between(before) {
            let (index, end) = (index - 1, start);
            let start = list.start_of(index);
            return Some(FilePosition {
                file,
                index,
                item: items(db, file)[index],
                start,
                offset: end - start,
                blanks: offset - end,
            });
        }
        let mut offset = usize::from(offset - start);
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let offset = TextSize::try_from(offset).ok()?;
        Some(FilePosition { file, index, item: items(db, file)[index], start, offset, blanks: 0.into() })
    }

    pub fn language(&self, db: &Database) -> Language {
        self.item.language(db)
    }

    /// A range of the item as a range of the file.
    pub fn in_file(&self, range: TextRange) -> TextRange {
        range + self.start
    }

    /// The token that the place touches; of two the one a person means.
    pub fn token(&self, db: &Database) -> Option<SyntaxToken> {
        if self.blanks > 0.into() {
            return None;
        }
        let tree = self.item.parse(db).syntax();
        let after = token_covering(&tree, self.offset);
        let before = self.offset.checked_sub(1.into()).and_then(|offset| token_covering(&tree, offset));
        match (before, after) {
            (Some(before), Some(after)) if weight(before.kind()) > weight(after.kind()) => Some(before),
            (before, after) => after.or(before),
        }
    }
}

/// The token that covers the byte at `offset`. (rowan's own search looks at every child; this one is a binary search
/// in each node.)
pub fn token_covering(tree: &SyntaxNode, offset: TextSize) -> Option<SyntaxToken> {
    let byte = TextRange::at(offset, 1.into());
    if !tree.text_range().contains_range(byte) {
        return None;
    }
    tree.covering_element(byte).into_token()
}

/// The token before another one. (rowan's own stops at an empty node, which recovery leaves.)
pub fn token_before(tree: &SyntaxNode, token: &SyntaxToken) -> Option<SyntaxToken> {
    token_covering(tree, token.text_range().start().checked_sub(1.into())?)
}

/// How likely a person who points between two tokens means this one.
fn weight(kind: SyntaxKind) -> u8 {
    use SyntaxKind::{COMMENT, DOT_WORD, FLOAT_NUMBER, IDENT, INT_NUMBER, STRING, WHITESPACE};
    match kind {
        IDENT => 4,
        DOT_WORD | INT_NUMBER | FLOAT_NUMBER | STRING => 3,
        WHITESPACE => 0,
        COMMENT => 1,
        _ => 2,
    }
}
