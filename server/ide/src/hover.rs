//! What is under the pointer, explained: instructions as written, modifiers, names with their declarations, numbers.

mod ptx;
mod wave;

use text_size::TextSize;
use warplens_syntax::Language;

use crate::answer::Hover;
use crate::db::{Database, File};
use crate::place::Place;

/// The explanation of what is at an offset.
pub(crate) fn hover(db: &Database, file: File, offset: TextSize) -> Option<Hover> {
    let place = Place::new(db, file, offset)?;
    let (range, markdown) = match place.language(db) {
        Language::Ptx => ptx::hover(db, &place)?,
        Language::Wave => wave::hover(db, &place)?,
    };
    Some(Hover { range: place.in_file(range), markdown })
}

#[cfg(test)]
mod tests;
