//! Finds the statements at which a run must stop because the text has an error there, mostly while it is edited.
//!
//! Statements that the simulator rejects although the text has no error are not among them.

use text_size::{TextRange, TextSize};
use warplens_ide_db::{Database, File, Item, Severity, items};
use warplens_ide_diagnostics::item::item_problems;

/// The item at an offset, with its index.
pub(crate) fn item_at(db: &Database, file: File, start: TextSize) -> Option<(u32, Item<'_>)> {
    let index = file.document(db).items().item_at(start)?;
    Some((index as u32, items(db, file)[index]))
}

/// The ranges of the errors in an item that starts at `start`.
pub(crate) fn errors_in<'db>(db: &'db Database, item: Item<'db>, start: TextSize) -> Vec<TextRange> {
    let listed = item_problems(db, item).listed.iter();
    let errors = listed.filter(|problem| problem.severity == Severity::Error);
    errors.map(|problem| problem.range + start).collect()
}

pub(crate) fn touches(errors: &[TextRange], statement: TextRange) -> bool {
    errors.iter().any(|error| error.intersect(statement).is_some())
}
