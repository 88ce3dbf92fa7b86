//! Modifiers in the order of the form, with those that can follow directly first.

use warplens_ide_db::CompletionKind;
use warplens_isa::ptx::{Instruction, ModifierClass};

use crate::proposals::{Proposal, Proposals};
use crate::ptx::explain::matching::matching;

pub(super) fn propose(opcode: &str, written: &[&str], proposals: &mut Proposals) {
    let mut seen: Vec<(&str, &str, u32)> = Vec::new();
    for entry in candidates(opcode, written) {
        for (word, summary, rank) in next(entry, written) {
            match seen.iter_mut().find(|(have, ..)| *have == word) {
                Some((_, _, best)) => *best = rank.min(*best),
                None => seen.push((word, summary, rank)),
            }
        }
    }
    proposals.extend(seen.into_iter().map(|(word, summary, rank)| {
        let kind = match warplens_isa::ptx::type_(word) {
            Some(_) => CompletionKind::Type,
            None if warplens_isa::ptx::state_space(word).is_some() => CompletionKind::Space,
            None => CompletionKind::Modifier,
        };
        Proposal::known(word, summary, kind, rank)
    }));
}

/// The entries that match the written modifiers. A word that only one entry has is decisive, and so are
/// types.
fn candidates(opcode: &str, written: &[&str]) -> Vec<&'static Instruction> {
    let mut entries = matching(opcode, written);
    let all = warplens_isa::ptx::by_opcode(opcode);
    let fits = |entry: &&&Instruction| written.iter().all(|word| entry.accepts(word));
    for entry in all.iter().filter(fits) {
        if !entries.iter().any(|have| std::ptr::eq(*have, *entry)) {
            entries.push(entry);
        }
    }
    entries
}

/// The modifiers of an entry that are not written yet. Rank 0 can follow directly, rank 1 can follow later, rank 2
/// belongs earlier.
fn next<'e>(entry: &'e Instruction, written: &[&str]) -> Vec<(&'e str, &'e str, u32)> {
    let mut words = entry.words.iter().filter(|word| !written.contains(word));
    if let Some(word) = words.next() {
        return vec![(word, entry.summary, 0)];
    }
    let holds = |class: &&ModifierClass| class.values.iter().any(|value| written.contains(&value.name));
    let reached = entry.modifiers.iter().rposition(|class| holds(&class)).map_or(0, |last| last + 1);
    let required = entry.modifiers.iter().skip(reached).position(|class| !class.optional);
    let next_end = required.map_or(entry.modifiers.len(), |first| reached + first + 1);
    let mut found = Vec::new();
    for (index, class) in entry.modifiers.iter().enumerate().filter(|(_, class)| !holds(class)) {
        let rank = match index {
            _ if index < reached => 2,
            _ if index < next_end => 0,
            _ => 1,
        };
        found.extend(class.values.iter().map(|value| (value.name, value.summary, rank)));
    }
    found
}
