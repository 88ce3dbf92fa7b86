//! A position in a file, relative to its item. Features at one position depend on one item only.

use text_size::{TextRange, TextSize};
use warplens_syntax::{Language, SyntaxKind, SyntaxNode, SyntaxToken};

use crate::db::{Database, File, Item, items};

/// An offset of a file, relative to its item.
#[derive(Clone, Copy)]
pub struct FilePosition<'db> {
    pub file: File,
    /// The index of the item in the file.
    pub index: usize,
    pub item: Item<'db>,
    /// The start of the item in the file.
    pub start: TextSize,
    /// The offset, relative to the item.
    pub offset: TextSize,
    /// The number of spaces between the item and the position, if that is after the item on the same line.
    pub spaces: TextSize,
}

impl<'db> FilePosition<'db> {
    /// The position of an offset; `None` in an empty file and beyond the end.
    pub fn new(db: &'db Database, file: File, offset: TextSize) -> Option<FilePosition<'db>> {
        let list = file.document(db).items();
        if offset > list.text_len() {
            return None;
        }
        let index = list.item_at(offset)?;
        let start = list.start_of(index);
        let text = &list.items()[index].text;
        let is_between = |before: &str| before.bytes().all(|byte| matches!(byte, b' ' | b'\t'));
        let starts_with_space = || text.starts_with(|c: char| c.is_ascii_whitespace());
        let before = text.get(..usize::from(offset - start)).unwrap_or_default();
        // On the last line of an item, the user refers to that item rather than to the spaces before the next one.
        if index > 0 && starts_with_space() && is_between(before) {
            let (index, end) = (index - 1, start);
            let start = list.start_of(index);
            return Some(FilePosition {
                file,
                index,
                item: items(db, file)[index],
                start,
                offset: end - start,
                spaces: offset - end,
            });
        }
        let mut offset = usize::from(offset - start);
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let offset = TextSize::try_from(offset).ok()?;
        Some(FilePosition { file, index, item: items(db, file)[index], start, offset, spaces: 0.into() })
    }

    pub fn language(&self, db: &Database) -> Language {
        self.item.language(db)
    }

    /// A range of the item as a range of the file.
    pub fn in_file(&self, range: TextRange) -> TextRange {
        range + self.start
    }

    /// The token at the position; of two adjacent tokens the more likely one.
    pub fn token(&self, db: &Database) -> Option<SyntaxToken> {
        if self.spaces > 0.into() {
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

/// The token that covers the byte at `offset`. (rowan's own search visits every child; this one is a binary search
/// in each node.)
pub fn token_covering(tree: &SyntaxNode, offset: TextSize) -> Option<SyntaxToken> {
    let byte = TextRange::at(offset, 1.into());
    if !tree.text_range().contains_range(byte) {
        return None;
    }
    tree.covering_element(byte).into_token()
}

/// The token before another one. (rowan's own stops at an empty node, which error recovery creates.)
pub fn token_before(tree: &SyntaxNode, token: &SyntaxToken) -> Option<SyntaxToken> {
    token_covering(tree, token.text_range().start().checked_sub(1.into())?)
}

/// How likely the user refers to this token of two adjacent ones.
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
