//! The current positions of the statements of a run, tracked through edits of the text.

use text_size::{TextRange, TextSize};

use crate::program::Statement;
use crate::run::Effect;

/// A statement at its current position, with its effect on groups of lanes.
#[derive(Debug, Clone)]
pub(super) struct PlacedStatement {
    /// `None` if an edit removed the statement.
    pub(super) place: Option<StatementPosition>,
    pub(super) effect: Effect,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct StatementPosition {
    pub(super) range: TextRange,
    pub(super) opcode: TextSize,
    /// Whether an edit changed its text since it ran.
    pub(super) edited: bool,
}

impl PlacedStatement {
    /// A statement at its position in the run.
    pub(super) fn new(statement: &Statement, effect: Effect) -> PlacedStatement {
        let (range, opcode) = (statement.range, statement.opcode.start());
        PlacedStatement { place: Some(StatementPosition { range, opcode, edited: false }), effect }
    }
}

impl StatementPosition {
    /// The position after an edit; `None` if the edit removed the statement.
    pub(super) fn edited(self, edit: TextRange, inserted: TextSize) -> Option<StatementPosition> {
        let StatementPosition { range, opcode, .. } = self;
        let moved = |offset: TextSize| offset - edit.len() + inserted;
        if edit.start() >= range.end() {
            return Some(self);
        }
        // An insertion right before a statement moves it.
        if edit.end() <= range.start() {
            return Some(StatementPosition {
                range: TextRange::new(moved(range.start()), moved(range.end())),
                opcode: moved(opcode),
                ..self
            });
        }
        if edit.contains_range(range) {
            return None;
        }
        let start = range.start().min(edit.start());
        let end = if edit.end() <= range.end() { moved(range.end()) } else { edit.start() };
        let opcode = if edit.end() <= opcode { moved(opcode) } else { opcode.min(edit.start()) };
        let range = TextRange::new(start, end.max(opcode));
        Some(StatementPosition { range, opcode: opcode.max(start), edited: true })
    }
}
