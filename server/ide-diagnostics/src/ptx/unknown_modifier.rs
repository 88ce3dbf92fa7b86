//! `unknown-modifier`: a modifier that no form of the instruction has.

use warplens_ide_db::{did_you_mean, nearest};
use warplens_isa::ptx as isa;

use crate::ptx::verdict::Verdict;

/// The verdict on modifier `index`, which is `word`, of an opcode with these entries.
pub(super) fn verdict(opcode: &str, index: usize, word: &str, entries: &[&isa::Instruction]) -> Verdict {
    let vocabulary = entries.iter().flat_map(|entry| entry.vocabulary.iter().copied());
    let known =
        !isa::modifier(word).is_empty() || isa::type_(word).is_some() || isa::state_space(word).is_some();
    let problem = if known { "does not accept" } else { "has no modifier" };
    let meant = nearest(word, vocabulary);
    let message = format!("`{opcode}` {problem} `{word}`{}", did_you_mean(meant));
    Verdict { modifier: Some(index), message, meant: meant.map(str::to_owned) }
}
