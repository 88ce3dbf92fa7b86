//! The results of matching a mnemonic with the forms of its opcode.

use warplens_isa::ptx as isa;

use super::rule::OperandRule;

/// The order of the modifiers compared with the documented one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// As documented.
    Documented,
    /// Otherwise, and the assembler does not mind.
    Free,
}

/// The position of an operand, or of a part of it, in a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OperandPosition {
    /// Which operand, as commas outside brackets separate them.
    pub operand: usize,
    /// Which part of what its brackets hold.
    pub part: Option<usize>,
    /// Which element of it, in braces or around a bar.
    pub element: Option<usize>,
}

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

/// A form that a mnemonic nearly has, and what is in the way.
#[derive(Debug, Clone)]
pub struct Near {
    /// The entry.
    pub entry: &'static isa::Instruction,
    /// The form.
    pub form: &'static isa::Form,
    /// The values in its slots.
    pub chosen: Box<[Option<&'static isa::Value>]>,
    /// The modifiers that the form does not accept, or has twice, by their number.
    pub extra: Box<[usize]>,
    /// The slots that must be filled and are not.
    pub missing: Box<[usize]>,
}
