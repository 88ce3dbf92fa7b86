//! The statements of a PTX kernel and of the functions that it calls at which the text has an error.

use text_size::{TextRange, TextSize};
use warplens_ide_db::ptx::module_names;
use warplens_ide_db::{Database, File, Item, module_uses};
use warplens_sim_ptx::program::Op;
use warplens_sim_warp::StatementId;

use crate::program::{Statement, errors_in, item_at, touches};
use crate::ptx::decode::DecodedPtx;

pub(super) fn of_ptx(
    db: &Database,
    file: File,
    decoded: &DecodedPtx,
    statements: &[Statement],
) -> Box<[StatementId]> {
    let mut broken = Vec::new();
    for (function, (_, start)) in decoded.program.functions.iter().zip(&decoded.functions) {
        let refused =
            (0..).zip(&function.code).filter(|(_, instruction)| matches!(instruction.op, Op::Unsupported(_)));
        let mut refused = refused.map(|(pc, _)| StatementId(function.first_statement + pc)).peekable();
        // Most programs are fully supported and need no check.
        if refused.peek().is_some() {
            let Some((index, item)) = item_at(db, file, *start) else { continue };
            let mut errors = errors_in(db, item, *start);
            errors.extend(unknown_names(db, file, (index, item), *start));
            broken.extend(refused.filter(|id| touches(&errors, statements[id.index()].range)));
        }
    }
    broken.into()
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
