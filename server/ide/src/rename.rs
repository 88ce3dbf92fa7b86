//! Renaming: every occurrence, or a clear reason why not.
//!
//! A register of a range (`%r5` of `%r<100>`) has no declaration of its own. Renaming it takes it out of the range: it gets
//! one, of the same type. Renaming the range at its declaration renames all its registers.

mod ptx;
mod wave;

use smol_str::SmolStr;
use text_size::TextSize;
use warplens_ide_db::answer::{RenameTarget, TextEdit};
use warplens_ide_db::db::{Database, File};
use warplens_ide_db::languages::Known;
use warplens_ide_db::names;
use warplens_ide_db::names::{Named, Subject};
use warplens_ide_db::position::FilePosition;

/// What a rename at an offset would rename.
pub(crate) fn prepare(db: &Database, file: File, offset: TextSize) -> Result<RenameTarget, String> {
    let (position, named) = target(db, file, offset)?;
    let text = &position.item.text(db).0[named.range];
    Ok(RenameTarget { range: position.in_file(named.range), placeholder: text.to_owned() })
}

/// The edits of a rename, in the order of the text.
pub(crate) fn rename(
    db: &Database,
    file: File,
    offset: TextSize,
    name: &str,
) -> Result<Vec<TextEdit>, String> {
    let (position, named) = target(db, file, offset)?;
    let mut edits = match Known::of(position.language(db)) {
        Known::Ptx => ptx::rename(db, &position, &named, name)?,
        Known::Wave => wave::rename(db, &position, &named, name)?,
    };
    edits.sort_by_key(|edit| edit.range.start());
    Ok(edits)
}

/// What can be renamed at an offset.
fn target<'db>(
    db: &'db Database,
    file: File,
    offset: TextSize,
) -> Result<(FilePosition<'db>, Named), String> {
    let nothing = || "there is no name here that could be renamed".to_owned();
    let position = FilePosition::new(db, file, offset).ok_or_else(nothing)?;
    let named = names::named(db, &position).ok_or_else(nothing)?;
    match &named.subject {
        // A register of WAVE, which nobody declares.
        Subject::Local(_) if position.language(db) == warplens_syntax::wave::LANGUAGE => {
            Ok((position, named))
        }
        Subject::Special(name) => Err(format!("`{name}` belongs to the machine; it cannot be renamed")),
        subject if names::declarations(db, &position, subject).is_empty() => {
            let text: SmolStr = position.item.text(db).0[named.range].into();
            Err(format!("`{text}` is declared nowhere in this file, so it cannot be renamed here"))
        }
        _ => Ok((position, named)),
    }
}

#[cfg(test)]
mod tests;
