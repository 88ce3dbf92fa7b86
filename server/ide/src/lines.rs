//! Line numbers of an item in its file.

use text_size::{TextRange, TextSize};
use warplens_ide_db::markdown::code;
use warplens_ide_db::{Database, File, FilePosition};

pub(crate) struct Lines<'t> {
    pub(crate) text: &'t str,
    first: usize,
    /// The end of each line, relative to the item.
    ends: Vec<TextSize>,
}

impl<'t> Lines<'t> {
    pub(crate) fn before(position: &FilePosition<'t>) -> Lines<'t> {
        Lines::of_item(position.db, position.file, position.index)
    }

    pub(crate) fn of_item(db: &'t Database, file: File, index: usize) -> Lines<'t> {
        let items = file.document(db).items();
        let newlines = |text: &str| text.bytes().filter(|byte| *byte == b'\n').count();
        let first = 1 + items.iter().take(index).map(|item| newlines(&item.text)).sum::<usize>();
        let text = &*items[index].text;
        let ends = text.match_indices('\n').map(|(at, _)| TextSize::of(&text[..=at])).collect();
        Lines { text, first, ends }
    }

    /// A part of the item with its line.
    pub(crate) fn quoted(&self, range: TextRange) -> String {
        format!("{} in line {}", code(self.text[range].trim()), self.number(range.start()))
    }

    /// The number of the line of an offset, from 1.
    pub(crate) fn number(&self, offset: TextSize) -> usize {
        self.first + self.ends.partition_point(|end| *end <= offset)
    }
}
