//! Which forms of the tables a statement has, and what keeps it from having one.
//!
//! A mnemonic is compared with the forms of its opcode once a function ([`Mnemonic::forms`]); what comes out is compiled to
//! sets of bits ([`FormMatch`]), so that the operands of a statement that is right are checked without an allocation
//! ([`Checker`]). Whether a module may use a form is a third question ([`Platform`]). Words for users never live here.

mod gate;
mod modifiers;
mod nearest;
mod operands;
mod rule;

use warplens_isa::ptx as isa;

use super::Mnemonic;
pub use gate::{Platform, Unmet};
pub use modifiers::Order;
pub use nearest::Near;
pub use operands::{Checker, Misfit, OperandPlace, Written, Wrong};
pub use rule::{AddressSpace, Count, Kinds, OperandRule, TypeSet};

/// A mnemonic as one form of an entry.
#[derive(Debug, Clone)]
pub struct FormMatch {
    /// The entry.
    pub entry: &'static isa::Instruction,
    /// The form.
    pub form: &'static isa::Form,
    /// What stands in each slot of the form.
    pub chosen: Box<[Option<&'static isa::Value>]>,
    /// Whether the modifiers are in the documented order.
    pub order: Order,
    /// What its operands have to be.
    pub operands: Box<[OperandRule]>,
    /// What has to stand in brackets among them.
    pub parts: Box<[OperandRule]>,
}

impl FormMatch {
    /// What the brackets of an operand hold; nothing where that is an address alone.
    pub fn inside(&self, rule: &OperandRule) -> &[OperandRule] {
        let (from, count) = rule.inside;
        self.parts.get(usize::from(from)..usize::from(from + count)).unwrap_or_default()
    }

    /// What has to stand at a place.
    pub fn rule(&self, place: OperandPlace) -> &OperandRule {
        let operand = &self.operands[place.operand];
        place.part.and_then(|part| self.inside(operand).get(part)).unwrap_or(operand)
    }
}

/// What the tables say about a mnemonic.
#[derive(Debug, Clone)]
pub enum MnemonicForms {
    /// There is no such opcode, or the tables do not say what this mnemonic takes.
    Unjudged,
    /// The forms that it may be, in the order of the tables.
    Known(Box<[FormMatch]>),
    /// No form has these modifiers; these come nearest.
    Wrong(Box<[Near]>),
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

/// Whether an entry without forms may be the one that is meant: nothing that is written speaks against it.
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
