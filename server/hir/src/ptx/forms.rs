//! Matches statements against the instruction forms of the tables, and explains mismatches.
//!
//! A mnemonic is compared with the forms of its opcode once per function ([`Mnemonic::forms`]). The result is
//! compiled to bit sets ([`FormMatch`]), so that correct operands are checked without an allocation
//! ([`Checker`]). Whether a module may use a form is checked separately ([`Platform`]). Messages are worded
//! elsewhere.

mod availability;
mod form_match;
mod modifiers;
mod nearest;
mod operands;
mod rule;
mod selectors;

use warplens_isa::ptx as isa;

use super::Mnemonic;
pub use availability::{Platform, UnmetRequirement};
pub use form_match::{FormMatch, MnemonicForms, Near, OperandPosition, Order};
pub use operands::{Checker, Mismatch, OperandError, Written};
pub use rule::{AddressSpace, Count, Kinds, OperandRule, TypeSet};

impl Mnemonic {
    pub fn forms(&self) -> MnemonicForms {
        let entries = isa::by_opcode(&self.opcode);
        if entries.is_empty() || entries.iter().any(|entry| entry.forms.is_empty() && may_be(entry, self)) {
            return MnemonicForms::Unjudged;
        }
        let mut found = Vec::new();
        for entry in entries {
            if let Some(modifiers) = modifiers::Modifiers::of(self, entry) {
                found.extend(entry.forms.iter().filter_map(|form| modifiers.fit(form)));
            }
        }
        if found.is_empty() {
            return MnemonicForms::NoMatch(nearest::search(self, entries, |_| true).into());
        }
        MnemonicForms::Known(found.into())
    }
}

/// Whether an entry without forms may be the intended one, because no modifier contradicts it.
fn may_be(entry: &isa::Instruction, mnemonic: &Mnemonic) -> bool {
    let dotted = |word: &str, modifier: &str| word.strip_prefix('.') == Some(modifier);
    let has = |word: &str| mnemonic.modifiers.iter().any(|modifier| dotted(word, modifier));
    let knows = |modifier: &smol_str::SmolStr| {
        entry.vocabulary.iter().any(|word| dotted(word, modifier)) || entry.types.contains(&modifier.as_str())
    };
    entry.words.iter().all(|word| has(word)) && mnemonic.modifiers.iter().all(knows)
}

#[cfg(test)]
mod tests;
