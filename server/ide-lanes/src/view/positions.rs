//! The current positions of the statements of a run, tracked through edits of the text.

use std::sync::Arc;

use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_sim_ptx::meaning::OperandMeaning;
use warplens_sim_warp::{ScalarType, StatementId};

use crate::program::{AddressRegister, CodePlace, SourceLine, Statement};
use crate::run::{Effect, Role};

/// A statement at its current position.
#[derive(Debug, Clone)]
pub(super) struct PlacedStatement {
    /// `None` if an edit removed the statement.
    pub(super) place: Option<StatementPosition>,
    pub(super) role: Role,
    /// The number of lanes that jumped to each of several targets, if known.
    pub(super) parts: Box<[u32]>,
    /// The reconvergence point of lanes that diverge there.
    pub(super) reconvergence: Option<StatementId>,
    pub(super) registers: Box<[(SmolStr, ScalarType)]>,
    pub(super) meanings: Box<[OperandMeaning]>,
    pub(super) address: Option<AddressRegister>,
    pub(super) source: Option<Arc<SourceLine>>,
    pub(super) code: Option<CodePlace>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct StatementPosition {
    pub(super) range: TextRange,
    pub(super) opcode: TextSize,
    /// Whether an edit changed its text since it ran.
    pub(super) edited: bool,
}

impl PlacedStatement {
    /// A statement at its position in the run, with its effect on groups of lanes.
    pub(super) fn new(statement: &Statement, Effect { role, parts }: Effect) -> PlacedStatement {
        PlacedStatement {
            place: Some(StatementPosition {
                range: statement.range,
                opcode: statement.opcode.start(),
                edited: false,
            }),
            role,
            parts,
            reconvergence: statement.flow.reconvergence(),
            registers: statement.registers.clone(),
            meanings: statement.meanings.clone(),
            address: statement.address.clone(),
            source: statement.source.clone(),
            code: statement.code.clone(),
        }
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
