//! Finds opcodes and modifiers that do not exist.
//!
//! A function uses few distinct mnemonics, so each is checked once.

use warplens_hir::ptx::{Function, Instruction, Mnemonic};
use warplens_ide_db::ptx::forms::accepts;
use warplens_ide_db::{Db, Item, ItemFix, Problem};
use warplens_isa::ptx as isa;

use crate::codes;
use crate::ptx::statement_ranges::StatementRanges;
use crate::ptx::{unknown_instruction, unknown_modifier};

pub(super) fn check(db: &dyn Db, item: Item<'_>, function: &Function, problems: &mut Vec<Problem>) {
    let verdicts: Vec<Option<Verdict>> = function.mnemonics().iter().map(judge).collect();
    if verdicts.iter().all(Option::is_none) {
        return;
    }
    let ranges = StatementRanges::new(item.parse(db));
    for instruction in function.instructions() {
        let Some(verdict) = &verdicts[instruction.mnemonic_id().index()] else { continue };
        // Statements with a syntax error are not checked.
        if ranges.is_whole(instruction) {
            problems.extend(verdict.problem(instruction, &ranges));
        }
    }
}

/// The problem of a mnemonic: its opcode, or one of its modifiers, is unknown.
pub(super) struct Verdict {
    /// The index of the modifier; `None` for the opcode.
    pub(super) modifier: Option<usize>,
    pub(super) message: String,
    /// The most similar known word.
    pub(super) meant: Option<String>,
}

impl Verdict {
    fn problem(&self, instruction: Instruction<'_>, ranges: &StatementRanges) -> Option<Problem> {
        let (code, range) = match self.modifier {
            None => (codes::UNKNOWN_INSTRUCTION, instruction.opcode_range()),
            Some(index) => (codes::UNKNOWN_MODIFIER, ranges.modifier(instruction, index)?),
        };
        let fix = self.meant.as_deref().map(|meant| ItemFix::replacement(range, meant));
        Some(Problem::error(range, code, self.message.as_str()).with_fix(fix))
    }
}

pub(super) fn judge(mnemonic: &Mnemonic) -> Option<Verdict> {
    let entries = isa::by_opcode(&mnemonic.opcode);
    if entries.is_empty() {
        return Some(unknown_instruction::verdict(&mnemonic.opcode));
    }
    let unknown = |word: &str| !entries.iter().any(|entry| accepts(entry, word));
    let words = mnemonic.modifiers.iter().map(|word| format!(".{word}"));
    let (index, word) = words.enumerate().find(|(_, word)| unknown(word))?;
    Some(unknown_modifier::verdict(&mnemonic.opcode, index, &word, entries))
}
