//! Renaming: edits for every occurrence, or the reason why a name cannot be renamed.
//!
//! A register of a range (`%r5` of `%r<100>`) has no declaration of its own. Renaming it removes it from the range and adds
//! a declaration of the same type. Renaming the range at its declaration renames all its registers.

use warplens_ide_db::{FilePosition, Named, RenameTarget, Subject, names};

use crate::language::Editing;
use crate::rename_error::RenameError;

pub(crate) fn prepare(position: &FilePosition<'_>, named: &Named) -> RenameTarget {
    let text = &position.text()[named.range];
    RenameTarget { range: position.in_file(named.range), placeholder: text.to_owned() }
}

/// The name that can be renamed at a position.
pub(crate) fn target(position: &FilePosition<'_>, editing: &Editing) -> Result<Named, RenameError> {
    let named = names::named(position).ok_or(RenameError::Nothing)?;
    match &named.subject {
        // Registers of WAVE have no declaration.
        Subject::Local(_) if editing.renames_undeclared => Ok(named),
        Subject::Special(name) => Err(RenameError::Predefined(name.to_string())),
        subject if names::declarations(position, subject).is_empty() => {
            Err(RenameError::Undeclared(position.text()[named.range].to_owned()))
        }
        _ => Ok(named),
    }
}

#[cfg(test)]
mod tests;
