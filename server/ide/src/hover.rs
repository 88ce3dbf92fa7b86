//! Hovers: instructions as written, modifiers, names with their declarations, numbers.

use smol_str::SmolStr;
use warplens_ide_db::{FilePosition, Hover};

use crate::language::LanguageSupport;

/// The file that a document was generated from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedSource {
    /// Extension of the file, which may be next to the document.
    pub extension: &'static str,
    /// Paths that the document states.
    pub files: Vec<SmolStr>,
}

pub(crate) fn hover(position: &FilePosition<'_>, support: &LanguageSupport) -> Option<Hover> {
    let (range, markdown) = (support.hover)(position)?;
    Some(Hover { range: position.in_file(range), markdown })
}

/// The file whose text would make the hover at a position more precise.
pub(crate) fn wanted(position: &FilePosition<'_>, support: &LanguageSupport) -> Option<WantedSource> {
    let source = support.source_hover?;
    Some(WantedSource { extension: source.extension, files: (source.files)(position)? })
}

pub(crate) fn hover_with(
    position: &FilePosition<'_>,
    support: &LanguageSupport,
    text: &str,
) -> Option<Hover> {
    let (range, markdown) = (support.source_hover?.hover)(position, text)?;
    Some(Hover { range: position.in_file(range), markdown })
}

#[cfg(test)]
mod tests;
