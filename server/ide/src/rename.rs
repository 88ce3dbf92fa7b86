//! Renaming: every occurrence, or a clear reason why not.
//!
//! A register of a range (`%r5` of `%r<100>`) has no declaration of its own. Renaming it takes it out of the range: it gets
//! one, of the same type. Renaming the range at its declaration renames all its registers.

mod ptx;
mod wave;

use smol_str::SmolStr;
use text_size::TextSize;
use warplens_syntax::Language;

use crate::answer::{RenameTarget, TextEdit};
use crate::db::{Database, File};
use crate::names::{self, Named, Subject};
use crate::place::Place;

/// What a rename at an offset would rename.
pub(crate) fn prepare(db: &Database, file: File, offset: TextSize) -> Result<RenameTarget, String> {
    let (place, named) = target(db, file, offset)?;
    let text = &place.item.text(db).0[named.range];
    Ok(RenameTarget { range: place.in_file(named.range), placeholder: text.to_owned() })
}

/// The edits of a rename, in the order of the text.
pub(crate) fn rename(
    db: &Database,
    file: File,
    offset: TextSize,
    name: &str,
) -> Result<Vec<TextEdit>, String> {
    let (place, named) = target(db, file, offset)?;
    let mut edits = match place.language(db) {
        Language::Ptx => ptx::rename(db, &place, &named, name)?,
        Language::Wave => wave::rename(db, &place, &named, name)?,
    };
    edits.sort_by_key(|edit| edit.range.start());
    Ok(edits)
}

/// What can be renamed at an offset.
fn target<'db>(db: &'db Database, file: File, offset: TextSize) -> Result<(Place<'db>, Named), String> {
    let nothing = || "there is no name here that could be renamed".to_owned();
    let place = Place::new(db, file, offset).ok_or_else(nothing)?;
    let named = names::named(db, &place).ok_or_else(nothing)?;
    match &named.subject {
        // A register of WAVE, which nobody declares.
        Subject::Local(_) if place.language(db) == Language::Wave => Ok((place, named)),
        Subject::Special(name) => Err(format!("`{name}` belongs to the machine; it cannot be renamed")),
        subject if names::declarations(db, &place, subject).is_empty() => {
            let text: SmolStr = place.item.text(db).0[named.range].into();
            Err(format!("`{text}` is declared nowhere in this file, so it cannot be renamed here"))
        }
        _ => Ok((place, named)),
    }
}

#[cfg(test)]
mod tests;
