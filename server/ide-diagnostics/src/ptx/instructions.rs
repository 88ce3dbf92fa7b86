//! Finds opcodes and modifiers that do not exist.
//!
//! A function uses few distinct mnemonics, so each is checked once.

use warplens_hir::ptx::{Function, Mnemonic};
use warplens_ide_db::ptx::forms::accepts;
use warplens_ide_db::{Db, Item, Problem};
use warplens_isa::ptx as isa;

use crate::ptx::statement_ranges::StatementRanges;
use crate::ptx::verdict::Verdict;
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
