//! Hovers: instructions as written, modifiers, names with their declarations, numbers.

mod ptx;
mod wave;

use text_size::TextSize;
use warplens_ide_db::answer::Hover;
use warplens_ide_db::db::{Database, File};
use warplens_ide_db::languages::Known;
use warplens_ide_db::position::FilePosition;

/// The hover at an offset.
pub(crate) fn hover(db: &Database, file: File, offset: TextSize) -> Option<Hover> {
    let position = FilePosition::new(db, file, offset)?;
    let (range, markdown) = match Known::of(position.language(db)) {
        Known::Ptx => ptx::hover(db, &position)?,
        Known::Wave => wave::hover(db, &position)?,
    };
    Some(Hover { range: position.in_file(range), markdown })
}

#[cfg(test)]
mod tests;
