//! Renaming: edits for every occurrence, or the reason why a name cannot be renamed.
//!
//! A register of a range (`%r5` of `%r<100>`) has no declaration of its own. Renaming it removes it from the range and adds
//! a declaration of the same type. Renaming the range at its declaration renames all its registers.

use text_size::TextSize;
use warplens_ide_db::{Database, File, FilePosition, Named, RenameTarget, Subject, TextEdit, names};

use crate::language::Editing;
use crate::rename_error::RenameError;

/// The name that a rename at an offset would change.
pub(crate) fn prepare(
    db: &Database,
    file: File,
    editing: &Editing,
    offset: TextSize,
) -> Result<RenameTarget, RenameError> {
    let (position, named) = target(db, file, editing, offset)?;
    let text = &position.item.text(db).0[named.range];
    Ok(RenameTarget { range: position.in_file(named.range), placeholder: text.to_owned() })
}

/// The edits of a rename, in text order.
pub(crate) fn rename(
    db: &Database,
    file: File,
    editing: &Editing,
    offset: TextSize,
    name: &str,
) -> Result<Vec<TextEdit>, RenameError> {
    let (position, named) = target(db, file, editing, offset)?;
    let mut edits = (editing.rename)(&position, &named, name)?;
    edits.sort_by_key(|edit| edit.range.start());
    Ok(edits)
}

/// The name that can be renamed at an offset.
fn target<'db>(
    db: &'db Database,
    file: File,
    editing: &Editing,
    offset: TextSize,
) -> Result<(FilePosition<'db>, Named), RenameError> {
    let position = FilePosition::new(db, file, offset).ok_or(RenameError::Nothing)?;
    let named = names::named(&position).ok_or(RenameError::Nothing)?;
    match &named.subject {
        // Registers of WAVE have no declaration.
        Subject::Local(_) if editing.renames_undeclared => Ok((position, named)),
        Subject::Special(name) => Err(RenameError::Predefined(name.to_string())),
        subject if names::declarations(&position, subject).is_empty() => {
            Err(RenameError::Undeclared(position.item.text(db).0[named.range].to_owned()))
        }
        _ => Ok((position, named)),
    }
}

#[cfg(test)]
mod tests;
