//! The forms of an instruction: exactly which modifiers go together, on which operands, from which version and target on.
//!
//! This is what decides whether a statement is valid, so it is data: `forms` in `data/ptx/instructions/*.toml`, held to the
//! assembler by `cargo xtask measure ptxas`. What compares a statement with a form lives in hir, never here.

use crate::generated::ptx as tables;
use crate::ptx::OperandKind;
use crate::tables::list;
use crate::{List, Shared, Version};

/// One form of an instruction.
#[derive(Debug)]
pub struct Form {
    /// The form as a reader sees it: `add{.sat}.{u16x2,s16x2} d, a, b`.
    pub text: &'static str,
    /// The modifiers after the fixed words of the name, in their documented order.
    pub slots: List<Slot>,
    /// The operands as commas outside brackets separate them.
    pub operands: List<FormOperand>,
    /// The versions and targets that have it.
    pub availability: Availability,
    /// The versions and targets from which on it is removed.
    pub removed: Option<Requirement>,
}

impl Form {
    /// The values of the fields that a table omits.
    pub(crate) const EMPTY: Self = Self {
        text: "",
        slots: list(&[]),
        operands: list(&[]),
        availability: Availability(&[]),
        removed: None,
    };
}

/// A position for a modifier.
#[derive(Debug)]
pub struct Slot {
    /// The class it decides, as [`ModifierClass::name`](super::ModifierClass::name) has it; empty for a fixed word.
    pub class: &'static str,
    /// The modifiers that it accepts.
    pub values: List<Value>,
    /// Whether the modifier may be omitted.
    pub optional: bool,
    /// Whether it must come before all slots that do not lead, as `.lo` of `mul.lo`: to the assembler it is part of the
    /// opcode. The order of the others is free, except that those of equal words keep theirs.
    pub leads: bool,
}

impl Shared for Slot {
    const TABLE: &'static [Self] = &tables::SLOT;
}

/// A modifier in its place.
#[derive(Debug)]
pub struct Value {
    /// Its words in order, with their dots; mostly one.
    pub words: &'static [&'static str],
    /// What it requires in addition to the form.
    pub availability: Availability,
    /// The numbers in it, or the one that its class says it counts.
    pub numbers: &'static [u16],
    /// Whether the first of the registers that it counts is an index: the layer of an array.
    pub indexes: bool,
}

impl Shared for Value {
    const TABLE: &'static [Self] = &tables::VAL;
}

impl Value {
    /// The values of the fields that a table omits.
    pub(crate) const EMPTY: Self =
        Self { words: &[], availability: Availability(&[]), numbers: &[], indexes: false };
}

/// An operand of a form.
#[derive(Debug)]
pub struct FormOperand {
    /// Which operand of the entry it is.
    pub index: usize,
    /// The operand after the bar of a pair `d|p`, and whether the pair may be written without it.
    pub second: Option<(usize, bool)>,
    /// What may be written there.
    pub kinds: &'static [OperandKind],
    /// The type of its value; of an address, that of the register in it.
    pub ty: OperandType,
    /// The state space that its address, or the variable that it names, is in.
    pub space: FormSpace,
    /// How many registers in braces.
    pub length: Length,
    /// Whether it is there.
    pub presence: Presence,
    /// Which integer constants are taken, where not all are.
    pub range: Option<Range>,
    /// The operands in its brackets, where these are more than an address.
    pub inside: List<FormOperand>,
}

impl Shared for FormOperand {
    const TABLE: &'static [Self] = &tables::ARG;
}

impl FormOperand {
    /// The values of the fields that a table omits.
    pub(crate) const EMPTY: Self = Self {
        index: 0,
        second: None,
        kinds: &[],
        ty: OperandType::Unspecified,
        space: FormSpace::Unspecified,
        length: Length::One,
        presence: Presence::Required,
        range: None,
        inside: list(&[]),
    };
}

/// The type that an operand has by its form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperandType {
    /// The form does not say.
    Unspecified,
    /// The type with this name, without its dot.
    Fixed(&'static str),
    /// The type chosen in this slot.
    Slot(usize),
    /// Twice as wide as the type chosen in this slot, and of its kind.
    Wide(usize),
    /// Registers may be wider than the type chosen in this slot, as for loads and stores.
    AtLeast(usize),
    /// Registers may be wider than this type.
    FixedAtLeast(&'static str),
}

/// The state space that an operand has by its form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormSpace {
    /// The form does not say.
    Unspecified,
    /// The one with this name, without its dot, or `generic`.
    Fixed(&'static str),
    /// The one chosen in this slot; generic where the slot is optional and empty.
    Slot(usize),
}

/// Whether an operand is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Always.
    Required,
    /// It may be omitted.
    Optional,
    /// Where this slot is filled, and only there.
    With(usize),
}

/// How many registers an operand has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// One, without braces.
    One,
    /// So many in braces (or, where that is 1, one with or without them).
    Exactly(u16),
    /// As the numbers in modifiers say; one without braces where such a slot is optional and empty.
    Product(Product),
    /// Any number that the assembler has a vector for.
    Any,
}

/// The product of the numbers in modifiers and a factor, divided and rounded up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Product {
    /// Slots, each with which of its numbers, counted from 0; the last one without.
    pub slots: &'static [(usize, Option<usize>)],
    /// What is multiplied with them.
    pub factor: u16,
    /// What the product is divided by.
    pub divisor: u16,
    /// What is taken away in the end.
    pub less: u16,
    /// Whether there may be more.
    pub or_more: bool,
}

impl Product {
    /// The number, where the slots of the form are filled like this; `None` where one of the modifiers is not there.
    pub fn count(self, chosen: &[Option<&Value>]) -> Option<u32> {
        let mut count = u32::from(self.factor);
        for &(slot, which) in self.slots {
            let numbers = chosen.get(slot).copied().flatten()?.numbers;
            let number = which.map_or(numbers.last(), |which| numbers.get(which))?;
            count = count.saturating_mul(u32::from(*number));
        }
        Some(count.div_ceil(self.divisor.into()).saturating_sub(self.less.into()))
    }

    /// Whether one of the modifiers says that the first register is an index.
    pub fn indexes(self, chosen: &[Option<&Value>]) -> bool {
        let value = |(slot, _): &(usize, _)| chosen.get(*slot).copied().flatten();
        self.slots.iter().filter_map(value).any(|value| value.indexes)
    }
}

/// Which integer constants an operand takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The smallest.
    pub low: i64,
    /// The largest.
    pub high: Bound,
    /// Which of those between.
    pub step: Step,
}

/// The end of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// This number.
    Number(i64),
    /// The constant that stands for this operand of the entry.
    Operand(usize),
}

/// Which numbers of a range are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Multiples of this.
    Multiple(i64),
    /// Powers of two.
    PowerOfTwo,
}

/// Alternative requirements: a file satisfies one of them, or there are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Availability(pub &'static [Requirement]);

/// A version and a target that go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Requirement {
    /// The oldest version.
    pub since: Version,
    /// The targets.
    pub target: TargetRequirement,
}

/// Which targets will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetRequirement {
    /// All.
    Any,
    /// `sm_NN` and every later one, with or without a letter.
    AtLeast(u16),
    /// `sm_NNf`: later ones of its family, with `f` or `a`.
    Family(u16),
    /// `sm_NNa`: this one with `a`.
    Exactly(u16),
}
