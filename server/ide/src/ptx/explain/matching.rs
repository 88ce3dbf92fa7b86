//! The entries of an opcode that match written modifiers.

use warplens_ide_db::ptx::forms::accepts;
use warplens_isa::ptx;
use warplens_isa::ptx::{Instruction, Modifier, ModifierClass};

/// The entries of an opcode that match the written modifiers (with their dots), the most specific ones first. If none
/// matches, all entries of the opcode.
pub(crate) fn matching(opcode: &str, modifiers: &[impl AsRef<str>]) -> Vec<&'static Instruction> {
    let modifiers: &Vec<&str> = &modifiers.iter().map(AsRef::as_ref).collect();
    let all = ptx::by_opcode(opcode);
    let accepted = |entry: &Instruction| modifiers.iter().filter(|word| accepts(entry, word)).count();
    let has_words = |entry: &Instruction| entry.words.iter().all(|word| modifiers.contains(word));
    let missing =
        |entry: &Instruction| entry.modifiers.iter().filter(|class| is_missing(class, modifiers)).count();
    let fit = |entry: &Instruction| (accepted(entry), std::cmp::Reverse(missing(entry)), entry.words.len());
    let mut fitting: Vec<&Instruction> = all.iter().copied().filter(|entry| has_words(entry)).collect();
    let best = fitting.iter().map(|entry| fit(entry)).max();
    fitting.retain(|entry| Some(fit(entry)) == best);
    if fitting.is_empty() { all.to_vec() } else { fitting }
}

/// Whether the modifiers lack a required class. A value of several words is split into several modifiers.
fn is_missing(class: &ModifierClass, modifiers: &[&str]) -> bool {
    let is_written = |value: &Modifier| {
        let mut words = value.name.split_inclusive('.').map(|word| word.trim_end_matches('.'));
        words.all(|word| word.is_empty() || modifiers.iter().any(|have| have.strip_prefix('.') == Some(word)))
    };
    !class.optional && !modifiers.is_empty() && !class.values.iter().any(is_written)
}
