//! What is wrong with a mnemonic that no form accepts.

use warplens_hir::ptx::Instruction;
use warplens_ide_db::{ItemFix, Problem};

use crate::codes;
use crate::ptx::statement_ranges::StatementRanges;

/// The problem of a mnemonic: its opcode, or one of its modifiers, is unknown.
pub(super) struct Verdict {
    /// The index of the modifier; `None` for the opcode.
    pub(super) modifier: Option<usize>,
    pub(super) message: String,
    /// The most similar known word.
    pub(super) meant: Option<String>,
}

impl Verdict {
    pub(super) fn problem(&self, instruction: Instruction<'_>, ranges: &StatementRanges) -> Option<Problem> {
        let (code, range) = match self.modifier {
            None => (codes::UNKNOWN_INSTRUCTION, instruction.opcode_range()),
            Some(index) => (codes::UNKNOWN_MODIFIER, ranges.modifier(instruction, index)?),
        };
        let fix = self.meant.as_deref().map(|meant| ItemFix::replacement(range, meant));
        Some(Problem::error(range, code, self.message.as_str()).with_fix(fix))
    }
}
