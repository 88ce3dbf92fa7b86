//! Opcodes. Their modifiers and operands are proposed later, because the forms of an opcode differ.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use warplens_ide_db::CompletionKind;
use warplens_isa::ptx as isa;
use warplens_isa::ptx::{Instruction, Status};

use crate::proposals::{Proposal, Proposals};
use crate::snippet::Snippet;

/// All instructions that can start a statement, one proposal per name.
pub(super) fn propose(proposals: &mut Proposals) {
    let mut names: IndexMap<&str, Vec<&Instruction>, FxBuildHasher> = IndexMap::default();
    let entries = isa::instructions().filter(|entry| entry.status != Status::Removed);
    for entry in entries.filter(|entry| entry.opcode.starts_with(|c: char| c.is_ascii_alphabetic())) {
        names.entry(entry.name).or_default().push(entry);
    }
    proposals.extend(names.into_iter().map(|(name, entries)| proposal(name, &entries)));
}

fn proposal(name: &str, entries: &[&'static Instruction]) -> Proposal {
    let deprecated = entries.iter().all(|entry| entry.status == Status::Deprecated);
    let first = entries[0];
    let needs_modifier = entries.iter().all(|entry| entry.modifiers.iter().any(|class| !class.optional));
    let has_operands = entries.iter().any(|entry| !entry.operands.is_empty());
    let (after, continues) = match (needs_modifier, has_operands) {
        (true, _) => (".", true),
        (false, true) => ("", false),
        (false, false) => (";", false),
    };
    Proposal {
        label: name.to_owned(),
        detail: Some(format!("{} · {}", first.category.title.to_lowercase(), first.summary)),
        kind: CompletionKind::Opcode,
        insert: Snippet::text(name).then(after),
        rank: if deprecated { 2 } else { 0 },
        explain: Some(first.id.to_owned()),
        moves: None,
        deprecated,
        continues,
    }
}
