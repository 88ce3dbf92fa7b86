//! Statements at which a run must stop because the text has an error there, mostly while it is edited.
//!
//! Statements that the simulator rejects in a text without errors are not among them.

use text_size::{TextRange, TextSize};
use warplens_ide_db::answer::Severity;
use warplens_ide_db::db::{Database, File, Item, items};
use warplens_ide_db::module::module_names;
use warplens_ide_db::names::module_uses;
use warplens_ide_diagnostics::item::item_problems;
use warplens_sim::StatementId;
use warplens_sim::ptx::program::Op;

use crate::decode::DecodedPtx;
use crate::statement::Statement;

/// Those of a decoded PTX kernel and the functions that it can call.
pub(super) fn of_ptx(
    db: &Database,
    file: File,
    decoded: &DecodedPtx,
    statements: &[Statement],
) -> Box<[StatementId]> {
    let mut broken = Vec::new();
    for (function, (_, start)) in decoded.program.functions.iter().zip(&decoded.functions) {
        let refused = (0..).zip(&function.code).filter(|(_, instruction)| instruction.op == Op::Unsupported);
        let mut refused = refused.map(|(pc, _)| StatementId(function.first_statement + pc)).peekable();
        // Most programs are fully supported and need no check.
        if refused.peek().is_some() {
            let Some((index, item)) = item_at(db, file, *start) else { continue };
            let mut errors = errors_in(db, file, item, *start);
            errors.extend(unknown_names(db, file, (index, item), *start));
            broken.extend(refused.filter(|id| touches(&errors, statements[id.index()].range)));
        }
    }
    broken.into()
}

/// Those of the WAVE kernel that starts at `start`.
pub(super) fn of_wave(
    db: &Database,
    file: File,
    start: TextSize,
    statements: &[Statement],
) -> Box<[StatementId]> {
    let errors =
        item_at(db, file, start).map(|(_, item)| errors_in(db, file, item, start)).unwrap_or_default();
    let ids = (0..).map(StatementId).zip(statements);
    ids.filter(|(_, statement)| touches(&errors, statement.range)).map(|(id, _)| id).collect()
}

fn item_at(db: &Database, file: File, start: TextSize) -> Option<(u32, Item<'_>)> {
    let index = file.document(db).items().item_at(start)?;
    Some((index as u32, items(db, file)[index]))
}

/// The ranges of the errors in an item that starts at `start`.
fn errors_in<'db>(db: &'db Database, file: File, item: Item<'db>, start: TextSize) -> Vec<TextRange> {
    let listed = item_problems(db, file, item).listed.iter();
    let errors = listed.filter(|problem| problem.severity == Severity::Error);
    errors.map(|problem| problem.range + start).collect()
}

/// The ranges of undeclared names in an item.
fn unknown_names<'db>(
    db: &'db Database,
    file: File,
    (index, item): (u32, Item<'db>),
    start: TextSize,
) -> impl Iterator<Item = TextRange> {
    let names = module_names(db, file);
    let unknown = module_uses(db, item).iter().filter(move |used| !names.is_visible(&used.name, index));
    unknown.flat_map(|used| &used.uses).map(move |place| place.range + start)
}

fn touches(errors: &[TextRange], statement: TextRange) -> bool {
    errors.iter().any(|error| error.intersect(statement).is_some())
}
