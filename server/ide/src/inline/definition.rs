//! Definitions and occurrences: a placeholder and its operand lead to each other, other names are those of PTX.

use text_size::TextSize;
use warplens_ide_db::{Access, Database, Occurrence, Target};

use super::document::HostDocument;
use super::operands::Named;
use super::place::Place;
use super::ranges::text_range;
use crate::{definition, occurrences};

/// The operand of a placeholder, the placeholders of an operand, or the declarations of a name of PTX.
pub(crate) fn definition(db: &Database, document: &HostDocument, offset: TextSize) -> Vec<Target> {
    let Some(place) = document.statement_at(offset) else { return Vec::new() };
    match place.operand_at(offset) {
        Some(named) => of_operand(&place, &named),
        None => {
            let Some(position) = place.position(db, offset) else { return Vec::new() };
            definition::definition(&position)
                .into_iter()
                .filter_map(|target| in_host(&place, target))
                .collect()
        }
    }
}

fn of_operand(place: &Place<'_>, named: &Named) -> Vec<Target> {
    let file = place.document.id;
    if named.is_placeholder {
        let operand = &place.statement.operands[named.operand];
        let full = text_range(operand.range.clone());
        return vec![Target { file, full, focus: place.constraint(operand) }];
    }
    let placeholders = place.placeholders().filter(|(operand, _)| *operand == named.operand);
    placeholders.map(|(_, range)| Target { file, full: range, focus: range }).collect()
}

fn in_host(place: &Place<'_>, target: Target) -> Option<Target> {
    let focus = place.host(target.focus)?;
    Some(Target { full: place.host(target.full).unwrap_or(focus), focus, ..target })
}

/// The occurrences of a name in its statement, in text order. The constraint of an operand is its declaration.
pub(crate) fn occurrences(db: &Database, document: &HostDocument, offset: TextSize) -> Vec<Occurrence> {
    let Some(place) = document.statement_at(offset) else { return Vec::new() };
    let named = place.operand_at(offset);
    let Some(named) = named else { return of_name(db, &place, offset) };
    let operand = &place.statement.operands[named.operand];
    let placeholders = place.placeholders().filter(|(operand, _)| *operand == named.operand);
    let placeholders: Vec<_> = placeholders.map(|(_, range)| range).collect();
    let first = placeholders.first().map(|range| range.start());
    let known = first.map_or_else(Vec::new, |first| of_name(db, &place, first));
    // A placeholder in a comment or in an unknown instruction is read.
    let access =
        |range| known.iter().find(|known| known.range == range).map_or(Access::Read, |known| known.access);
    let mut found: Vec<_> =
        placeholders.into_iter().map(|range| Occurrence { range, access: access(range) }).collect();
    found.push(Occurrence { range: place.constraint(operand), access: Access::Declaration });
    found
}

fn of_name(db: &Database, place: &Place<'_>, offset: TextSize) -> Vec<Occurrence> {
    let Some(position) = place.position(db, offset) else { return Vec::new() };
    let found = occurrences::occurrences(&position).into_iter();
    found.filter_map(|found| Some(Occurrence { range: place.host(found.range)?, ..found })).collect()
}
