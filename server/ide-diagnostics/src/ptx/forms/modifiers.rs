//! Mnemonics that match no form although each modifier exists.

use indexmap::IndexSet;
use text_size::TextRange;
use warplens_hir::ptx::{Instruction, Mnemonic, Near};
use warplens_ide_db::{ItemFix, Problem, all_of};
use warplens_isa::ptx as isa;

use crate::codes;
use crate::ptx::forms::words;
use crate::ptx::statement_ranges::StatementRanges;

#[derive(Clone, Copy)]
pub(super) struct Unmatched<'a> {
    pub(super) instruction: Instruction<'a>,
    /// The nearest forms, the best first.
    pub(super) near: &'a [Near],
    pub(super) ranges: &'a StatementRanges,
}

impl Unmatched<'_> {
    /// The most likely mistake in the modifiers.
    pub(super) fn problem(&self) -> Option<Problem> {
        let Some(first) = self.near.first() else { return self.name() };
        match (&*first.extra, &*first.missing) {
            ([], []) => self.order(first),
            ([], [slot]) => self.missing(first, *slot),
            ([at], []) => self.extra(first, *at),
            ([at], [slot]) if first.replaced(&self.instruction.modifiers()[*at]) == Some(*slot) => {
                self.replaced(first, *at, *slot)
            }
            _ => self.combination(first),
        }
    }

    fn name(&self) -> Option<Problem> {
        let Unmatched { instruction, ranges, .. } = *self;
        let Mnemonic { opcode, modifiers } = instruction.mnemonic();
        let shared = |entry: &isa::Instruction| {
            let both = entry.words.iter().zip(modifiers.iter());
            both.take_while(|(word, modifier)| word.strip_prefix('.') == Some(modifier)).count()
        };
        let entries = isa::by_opcode(opcode);
        let most = entries.iter().map(|entry| shared(entry)).max()?;
        let next =
            entries.iter().filter(|entry| shared(entry) == most).filter_map(|entry| entry.words.get(most));
        let begun = modifiers[..most].iter().fold(opcode.to_string(), |text, word| format!("{text}.{word}"));
        let message = format!("`{begun}` must be followed by {}", words::values(next.copied()));
        Some(Problem::error(ranges.mnemonic(instruction)?, codes::MISSING_MODIFIER, message))
    }

    fn order(&self, near: &Near) -> Option<Problem> {
        let range = self.ranges.mnemonic(self.instruction)?;
        let documented = words::documented(near.entry, &near.chosen);
        let message = format!("these modifiers are in the wrong order; write `{documented}`");
        let fix = ItemFix::replacement(range, &documented);
        Some(Problem::error(range, codes::INVALID_FORM, message).with_fix(fix))
    }

    /// The nearest forms need one more modifier.
    fn missing(&self, first: &Near, slot: usize) -> Option<Problem> {
        let Unmatched { instruction, near, ranges } = *self;
        let range = ranges.mnemonic(instruction)?;
        let class = first.form.slots[slot].class;
        let alike = near.iter().filter(|near| near.extra.is_empty() && near.missing.len() == 1);
        let values = words::values(alike.clone().flat_map(|near| words::values_of(near, near.missing[0])));
        let is_one_class =
            near.iter().all(|near| near.missing.iter().all(|slot| near.form.slots[*slot].class == class));
        let about =
            if is_one_class { words::decides(first.entry, &first.form.slots[slot]) } else { String::new() };
        let message = format!("`{}` needs {values}{about}", instruction.mnemonic());
        let problem = Problem::error(range, codes::MISSING_MODIFIER, message);
        let whole = alike.flat_map(|near| {
            near.form.slots[near.missing[0]].values.iter().map(|value| {
                let mut chosen = near.chosen.to_vec();
                chosen[near.missing[0]] = Some(value);
                words::documented(near.entry, &chosen)
            })
        });
        Some(offering(problem, range, whole))
    }

    /// The nearest form does not accept a modifier.
    fn extra(&self, near: &Near, at: usize) -> Option<Problem> {
        let instruction = self.instruction;
        let range = self.ranges.modifier(instruction, at)?;
        let modifiers = instruction.modifiers();
        let word = format!(".{}", modifiers[at]);
        let is_repeated = modifiers.iter().filter(|modifier| **modifier == modifiers[at]).count() > 1;
        let message = match near.taken(&modifiers[at]) {
            _ if is_repeated => format!("repeated modifier `{word}`; remove one"),
            Some(slot) => {
                let other = near.chosen[slot].map(words::value).unwrap_or_default();
                format!("`{other}` and `{word}` are mutually exclusive; remove one of them")
            }
            None => {
                let rest = words::documented(near.entry, &near.chosen);
                format!("`{rest}` does not accept `{word}`{}", goes_with(instruction, at))
            }
        };
        let problem = match is_repeated && isa::is_repeatable(&word) {
            true => Problem::warning(range, codes::REPEATED_MODIFIER, message),
            false => Problem::error(range, codes::MODIFIER_NOT_ALLOWED, message),
        };
        Some(problem.with_fix(ItemFix::new(format!("Remove `{word}`")).delete(range)))
    }

    /// A modifier with another value of the same class is accepted.
    fn replaced(&self, first: &Near, at: usize, slot: usize) -> Option<Problem> {
        let Unmatched { instruction, near, ranges } = *self;
        let range = ranges.modifier(instruction, at)?;
        let Mnemonic { opcode, modifiers } = instruction.mnemonic();
        let alike = near.iter().filter(|near| *near.extra == [at] && near.missing.len() == 1);
        let wanted = alike.flat_map(|near| words::values_of(near, near.missing[0]));
        let about = words::decides(first.entry, &first.form.slots[slot]);
        let values = words::values(wanted.clone());
        let others = [&modifiers[..at], &modifiers[at + 1..]].concat();
        let rest = Mnemonic { opcode: opcode.clone(), modifiers: others.into() };
        let message = format!("`{rest}` takes {values} here, not `.{}`{about}", modifiers[at]);
        let problem = Problem::error(range, codes::MODIFIER_NOT_ALLOWED, message);
        Some(offering(problem, range, wanted))
    }

    /// Several mistakes, reported against the nearest form.
    fn combination(&self, near: &Near) -> Option<Problem> {
        let Unmatched { instruction, ranges, .. } = *self;
        let modifiers = instruction.modifiers();
        let range = match &*near.extra {
            [at] => ranges.modifier(instruction, *at)?,
            _ => ranges.mnemonic(instruction)?,
        };
        let extra: Vec<String> = near.extra.iter().map(|at| format!("`.{}`", modifiers[*at])).collect();
        let missing = near.missing.iter().map(|slot| words::values(words::values_of(near, *slot)));
        let missing: Vec<String> = missing.collect();
        let mut wrong = Vec::new();
        if !extra.is_empty() {
            wrong.push(format!("does not accept {}", all_of(&extra)));
        }
        if !missing.is_empty() {
            wrong.push(format!("needs {}", missing.join(", and ")));
        }
        let message = format!(
            "no form of `{}` has this combination of modifiers; the nearest form, `{}`, {}",
            instruction.opcode(),
            near.form.text,
            wrong.join(" and ")
        );
        Some(Problem::error(range, codes::INVALID_FORM, message))
    }
}

/// The modifiers that one can be combined with that is not accepted here.
fn goes_with(instruction: Instruction<'_>, at: usize) -> String {
    let modifiers = instruction.modifiers();
    let found = instruction.mnemonic().forms_with(at);
    let mut values: Vec<String> = Vec::new();
    for near in &found {
        let ([extra], [slot]) = (&*near.extra, &*near.missing) else { continue };
        if near.replaced(&modifiers[*extra]) == Some(*slot) {
            values.extend(words::values_of(near, *slot));
        }
    }
    if !values.is_empty() {
        return format!("; it can be combined with {}", words::values(values));
    }
    found.first().map(|near| format!("; `{}` does", near.form.text)).unwrap_or_default()
}

/// Offers at most four different replacements as fixes.
fn offering(problem: Problem, range: TextRange, replacements: impl IntoIterator<Item = String>) -> Problem {
    let offered: IndexSet<String> = replacements.into_iter().collect();
    let fixes = offered.iter().take(4).map(|replacement| ItemFix::replacement(range, replacement));
    fixes.fold(problem, Problem::with_fix)
}
