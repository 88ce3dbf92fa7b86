//! Hovers: instructions as written, modifiers, names with their declarations, numbers.

use text_size::TextSize;
use warplens_ide_db::answer::Hover;
use warplens_ide_db::db::{Database, File, FilePosition};

use crate::language::LanguageSupport;

/// The hover at an offset.
pub(crate) fn hover(
    db: &Database,
    file: File,
    support: &dyn LanguageSupport,
    offset: TextSize,
) -> Option<Hover> {
    let position = FilePosition::new(db, file, offset)?;
    let (range, markdown) = support.hover(db, &position)?;
    Some(Hover { range: position.in_file(range), markdown })
}

#[cfg(test)]
mod tests;
