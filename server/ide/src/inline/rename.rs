//! Renaming: the name of an operand in its statement, or a name of PTX in the literals of its statement.

use text_size::{TextRange, TextSize};
use warplens_ide_db::{Database, Named, RenameTarget, TextEdit};
use warplens_ide_diagnostics::inline::{encode, mentions, placeholder};

use super::document::HostDocument;
use super::place::Place;
use super::ranges::text_range;
use crate::ptx::PTX;
use crate::rename;
use crate::rename_error::RenameError;

pub(crate) fn prepare(
    db: &Database,
    document: &HostDocument,
    offset: TextSize,
) -> Result<RenameTarget, RenameError> {
    let place = document.statement_at(offset).ok_or(RenameError::Nothing)?;
    let range = match operand(&place, offset)? {
        Some((_, ranges)) => {
            ranges.into_iter().find(|range| range.contains_inclusive(offset)).ok_or(RenameError::Nothing)?
        }
        None => {
            let position = place.position(db, offset).ok_or(RenameError::Nothing)?;
            let named = of_statement(db, &place, offset)?;
            place.host(position.in_file(named.range)).ok_or(RenameError::Nothing)?
        }
    };
    Ok(RenameTarget { range, placeholder: document.text[range].to_owned() })
}

pub(crate) fn rename(
    db: &Database,
    document: &HostDocument,
    offset: TextSize,
    name: &str,
) -> Result<Vec<TextEdit>, RenameError> {
    let place = document.statement_at(offset).ok_or(RenameError::Nothing)?;
    if let Some((index, ranges)) = operand(&place, offset)? {
        check_operand(&place, index, name)?;
        return Ok(ranges.into_iter().map(|range| TextEdit { range, insert: name.to_owned() }).collect());
    }
    let named = of_statement(db, &place, offset)?;
    let position = place.position(db, offset).ok_or(RenameError::Nothing)?;
    // What the user sees is the text of the literal: `%%p` is `%p`.
    let name = if place.statement.has_placeholders { name.replace("%%", "%") } else { name.to_owned() };
    let editing = PTX.editing.as_ref().ok_or(RenameError::Nothing)?;
    let edits = (editing.rename)(&position, &named, &name)?;
    let host = |edit: TextEdit| {
        let range = place.host(edit.range)?;
        Some(TextEdit { range, insert: encode(&edit.insert, place.statement, &document.text)? })
    };
    let mut edits: Vec<TextEdit> =
        edits.into_iter().map(host).collect::<Option<_>>().ok_or(RenameError::Nothing)?;
    edits.sort_by_key(|edit| edit.range.start());
    Ok(edits)
}

/// The operand that is named at an offset, and where its name is written: in its declaration and in placeholders.
///
/// # Errors
/// If the operand has a number, and no name.
fn operand(place: &Place<'_>, offset: TextSize) -> Result<Option<(usize, Vec<TextRange>)>, RenameError> {
    let Some(found) = place.operand_at(offset) else { return Ok(None) };
    let operand = &place.statement.operands[found.operand];
    let Some(name) = &operand.name else {
        return Err(RenameError::Numbered(placeholder(place.statement, found.operand)));
    };
    let text = &place.document.text;
    let within = |range: TextRange| {
        let at = text[range].find(name.as_str())?;
        Some(TextRange::at(range.start() + TextSize::of(&text[range][..at]), TextSize::of(name.as_str())))
    };
    let declared = within(text_range(operand.range.clone())).into_iter();
    let uses = place.placeholders().filter(|(index, _)| *index == found.operand);
    let mut ranges: Vec<_> = declared.chain(uses.filter_map(|(_, range)| within(range))).collect();
    ranges.sort_by_key(|range| range.start());
    Ok(Some((found.operand, ranges)))
}

/// Refuses a name that is none, or that another operand has.
fn check_operand(place: &Place<'_>, index: usize, name: &str) -> Result<(), RenameError> {
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !is_name {
        let rule = "have letters, digits and `_`, and do not start with a digit";
        return Err(RenameError::Invalid { name: name.to_owned(), rule });
    }
    let mut others = place.statement.operands.iter().enumerate().filter(|(other, _)| *other != index);
    if others.any(|(_, other)| other.name.as_deref() == Some(name)) {
        return Err(RenameError::Taken { scope: "statement already has an operand", name: name.to_owned() });
    }
    Ok(())
}

/// The name of PTX at an offset, if no other statement of the file means it too.
fn of_statement(db: &Database, place: &Place<'_>, offset: TextSize) -> Result<Named, RenameError> {
    let position = place.position(db, offset).ok_or(RenameError::Nothing)?;
    let named = rename::target(&position, PTX.editing.as_ref().ok_or(RenameError::Nothing)?)?;
    let name = &position.text()[named.range];
    let mut others = place.document.statements.iter().filter(|other| other.range != place.statement.range);
    if others.any(|other| mentions(other, name)) {
        return Err(RenameError::OtherStatement(name.to_owned()));
    }
    Ok(named)
}
