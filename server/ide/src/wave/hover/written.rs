//! The last writes of a register before a position.

use warplens_hir::wave::{Cell, Code, Name, NameRef, Role};
use warplens_ide_db::wave::wave_code;
use warplens_ide_db::{FilePosition, any_of};

use crate::lines::Lines;

/// The maximum number of instructions that are shown.
const SHOWN: usize = 4;

/// The instructions that may have written a register last before it is read.
pub(super) fn before(position: &FilePosition<'_>) -> Option<String> {
    let code = wave_code(position.db, position.item);
    let name = code.name_at(position.offset)?;
    let cell = cell(name)?;
    let at = code.instruction_at(name.range.start())?;
    if name.role == Role::Write {
        return None;
    }
    let writers = code.writers(at, cell);
    let lines = Lines::before(position);
    let first = writers.iter().take(SHOWN);
    let mut shown: Vec<String> = first.map(|at| lines.quoted(code.instructions[*at].range)).collect();
    if shown.is_empty() {
        return Some(unwritten(&code, cell));
    }
    if writers.len() > SHOWN {
        shown.push("others".to_owned());
    }
    Some(format!("Last written by {}.", any_of(&shown)))
}

pub(super) fn cell(name: &NameRef) -> Option<Cell> {
    match name.name {
        Name::Register(index) => Some(Cell::General(index)),
        Name::Predicate(index) => Some(Cell::Predicate(index)),
        _ => None,
    }
}

fn unwritten(code: &Code, cell: Cell) -> String {
    match (code.labels.is_empty(), cell) {
        (false, _) => "Not written in this function: it is set by callers or by the launch.",
        (true, Cell::General(_)) => "Not written before: it is set by the launch, or else 0.",
        (true, Cell::Predicate(_)) => "Not written before: it is false.",
    }
    .to_owned()
}
