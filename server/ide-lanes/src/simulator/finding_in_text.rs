//! A finding with the text that was run, for edits that may fix it.

use std::ops::Range;

use text_size::TextSize;
use warplens_sim_warp::{Finding, Mask, RunResult, StatementId};

use crate::program::Statement;

#[derive(Clone, Copy)]
pub struct FindingInText<'t> {
    pub finding: &'t Finding,
    pub result: &'t RunResult,
    pub text: &'t str,
    /// By [`StatementId`].
    pub statements: &'t [Statement],
}

impl<'t> FindingInText<'t> {
    pub(crate) fn statement(&self, id: StatementId) -> Option<&'t Statement> {
        self.statements.get(id.index())
    }

    /// The range of a statement from its opcode to its end.
    pub(crate) fn code_range(&self, id: StatementId) -> Option<Range<usize>> {
        let statement = self.statement(id)?;
        Some(statement.opcode.start().into()..statement.range.end().into())
    }

    /// The white space at the start of the line at an offset.
    pub(crate) fn indent(&self, at: TextSize) -> &'t str {
        let before = self.text.get(..usize::from(at)).unwrap_or_default();
        let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
        &line[..line.len() - line.trim_start().len()]
    }

    /// The lanes of all warps that executed a statement.
    pub(crate) fn executed(&self, id: StatementId) -> Mask {
        let line = self.result.summed.iter().find(|line| line.statement == id);
        line.map_or(0, |line| line.executed)
    }
}
