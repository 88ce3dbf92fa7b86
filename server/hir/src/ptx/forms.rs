//! Matching statements with the instruction forms of the tables, and the reasons for a mismatch.
//!
//! A mnemonic is compared with the forms of its opcode once a function ([`Mnemonic::forms`]); the result is compiled to
//! sets of bits ([`FormMatch`]), so that correct operands are checked without an allocation
//! ([`Checker`]). Whether a module may use a form is checked separately ([`Platform`]). Messages are worded elsewhere.

mod availability;
mod modifiers;
mod nearest;
mod operands;
mod rule;

use warplens_isa::ptx as isa;

use super::Mnemonic;
pub use availability::{Platform, UnmetRequirement};
pub use modifiers::Order;
pub use nearest::Near;
pub use operands::{Checker, Mismatch, OperandError, OperandPosition, Written};
pub use rule::{AddressSpace, Count, Kinds, OperandRule, TypeSet};

/// A mnemonic as one form of an entry.
#[derive(Debug, Clone)]
pub struct FormMatch {
    /// The entry.
    pub entry: &'static isa::Instruction,
    /// The form.
    pub form: &'static isa::Form,
    /// The value in each slot of the form.
    pub chosen: Box<[Option<&'static isa::Value>]>,
    /// Whether the modifiers are in the documented order.
    pub order: Order,
    /// The rules of its operands.
    pub operands: Box<[OperandRule]>,
    /// The rules of the parts in brackets.
    pub parts: Box<[OperandRule]>,
}

impl FormMatch {
    /// The rules of the parts in an operand's brackets; empty for an address alone.
    pub fn inside(&self, rule: &OperandRule) -> &[OperandRule] {
        let (from, count) = rule.inside;
        self.parts.get(usize::from(from)..usize::from(from + count)).unwrap_or_default()
    }

    /// The rule at a position.
    pub fn rule(&self, place: OperandPosition) -> &OperandRule {
        let operand = &self.operands[place.operand];
        place.part.and_then(|part| self.inside(operand).get(part)).unwrap_or(operand)
    }
}

/// The result of matching a mnemonic.
#[derive(Debug, Clone)]
pub enum MnemonicForms {
    /// The opcode is unknown, or the tables have no forms for this mnemonic.
    Unjudged,
    /// The forms that match, in the order of the tables.
    Known(Box<[FormMatch]>),
    /// No form has these modifiers; these are the nearest ones.
    NoMatch(Box<[Near]>),
}

impl Mnemonic {
    /// Compares the mnemonic with the forms of its opcode.
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
        if found.is_empty() { nearest::nearest(self, entries) } else { MnemonicForms::Known(found.into()) }
    }
}

/// Whether an entry without forms may be the intended one: no modifier contradicts it.
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
