//! Renaming in WAVE: kernels, labels, and registers within their kernel.
//!
//! The names of registers are predefined, so a register can only be exchanged for another one of its class, and only if
//! nothing else uses it: neither the launch, which sets registers before the first instruction, nor code in other kernels.

mod registers;

use warplens_ide_db::{FilePosition, Named, Namespace, Subject, TextEdit, items, module_uses, names};
use warplens_isa::wave as isa;

use crate::rename_error::RenameError;

pub(super) fn rename(
    position: &FilePosition<'_>,
    named: &Named,
    name: &str,
) -> Result<Vec<TextEdit>, RenameError> {
    match &named.subject {
        Subject::Module(namespace, old) => {
            check_syntax(name)?;
            if old != name {
                check_free(position, *namespace, name)?;
            }
        }
        Subject::Local(_) => registers::check(position, named, name)?,
        Subject::Special(_) => return Ok(Vec::new()),
    }
    let found = names::occurrences(position, &named.subject);
    Ok(found.into_iter().map(|found| TextEdit { range: found.range, insert: name.to_owned() }).collect())
}

fn check_free(position: &FilePosition<'_>, namespace: Namespace, name: &str) -> Result<(), RenameError> {
    let mut uses = items(position.db, position.file).iter().flat_map(|item| module_uses(position.db, *item));
    if uses.any(|have| have.namespace == namespace && have.name == name && have.declares()) {
        return Err(RenameError::Taken { scope: "file already has a", name: name.to_owned() });
    }
    Ok(())
}

/// Words that look like registers or scopes are always parsed as such.
fn check_syntax(name: &str) -> Result<(), RenameError> {
    let mut rest = name.chars();
    let starts_well = rest.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    if !starts_well || !rest.all(|c| c.is_alphanumeric() || c == '_') {
        let rule = "consist of letters, digits and `_`, and do not start with a digit";
        return Err(RenameError::Invalid { name: name.to_owned(), rule });
    }
    let looks_like_register =
        name.strip_prefix(['r', 'p']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if looks_like_register || name.starts_with("sr") {
        return Err(RenameError::Reserved { name: name.to_owned(), meaning: "read as a register" });
    }
    if isa::scope(name).is_some() {
        return Err(RenameError::Reserved { name: name.to_owned(), meaning: "a scope" });
    }
    Ok(())
}
