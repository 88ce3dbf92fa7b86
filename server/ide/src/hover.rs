//! Hovers: instructions as written, modifiers, names with their declarations, numbers.

use warplens_ide_db::{FilePosition, Hover};

use crate::language::LanguageSupport;

/// The hover at a position.
pub(crate) fn hover(position: &FilePosition<'_>, support: &LanguageSupport) -> Option<Hover> {
    let (range, markdown) = (support.hover)(position)?;
    Some(Hover { range: position.in_file(range), markdown })
}

#[cfg(test)]
mod tests;
