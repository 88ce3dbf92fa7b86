//! The results of matching a mnemonic against the forms of its opcode.

use warplens_isa::ptx as isa;

use super::rule::OperandRule;

/// How the order of the modifiers relates to the documented one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Documented,
    /// A different order, which the assembler accepts too.
    Free,
}

/// The position of an operand, or of a part of it, in a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OperandPosition {
    /// The index of the operand; commas outside brackets separate operands.
    pub operand: usize,
    /// The index of the part inside its brackets.
    pub part: Option<usize>,
    /// The index of the element, in braces or around `|`.
    pub element: Option<usize>,
}

impl OperandPosition {
    pub fn new(operand: usize) -> OperandPosition {
        OperandPosition { operand, part: None, element: None }
    }
}

#[derive(Debug, Clone)]
pub struct FormMatch {
    pub entry: &'static isa::Instruction,
    pub form: &'static isa::Form,
    /// The value in each slot of the form.
    pub chosen: Box<[Option<&'static isa::Value>]>,
    pub order: Order,
    pub operands: Box<[OperandRule]>,
    /// The rules of the parts in brackets, for all operands.
    pub parts: Box<[OperandRule]>,
}

impl FormMatch {
    /// The rules of the parts in an operand's brackets; empty for a plain address.
    pub fn inside(&self, rule: &OperandRule) -> &[OperandRule] {
        let (from, count) = rule.inside;
        self.parts.get(usize::from(from)..usize::from(from + count)).unwrap_or_default()
    }

    pub fn rule(&self, place: OperandPosition) -> &OperandRule {
        let operand = &self.operands[place.operand];
        place.part.and_then(|part| self.inside(operand).get(part)).unwrap_or(operand)
    }
}

#[derive(Debug, Clone)]
pub enum MnemonicForms {
    /// The opcode is unknown, or the tables have no forms for this mnemonic.
    Unjudged,
    Known(Box<[FormMatch]>),
    /// No form has these modifiers; these are the nearest ones.
    NoMatch(Box<[Near]>),
}

/// A form that almost matches, and the modifiers that prevent it.
#[derive(Debug, Clone)]
pub struct Near {
    pub entry: &'static isa::Instruction,
    pub form: &'static isa::Form,
    /// The value in each slot of the form.
    pub chosen: Box<[Option<&'static isa::Value>]>,
    /// The indices of the modifiers that the form does not accept, or that are repeated.
    pub extra: Box<[usize]>,
    /// The required slots that are empty.
    pub missing: Box<[usize]>,
}
