//! The forms of an instruction: exactly which modifiers go together, on which operands, from which version and target on.
//!
//! This is what decides whether a statement is valid, so it is data: `forms` in `data/ptx/instructions/*.toml`, held to the
//! assembler by `cargo xtask measure ptxas`. What compares a statement with a form lives in hir, never here.

use crate::Version;
use crate::ptx::OperandKind;

/// One form of an instruction.
#[derive(Debug)]
pub struct Form {
    /// The form as a reader sees it: `add{.sat}.{u16x2,s16x2} d, a, b`.
    pub text: &'static str,
    /// The modifiers after the fixed words of the name, in their documented order.
    pub slots: &'static [Slot],
    /// The operands as commas separate them.
    pub operands: &'static [FormOperand],
    /// Since when, and where, it is there.
    pub gate: Gate,
    /// From when, and where, it is there no longer.
    pub removed: Option<Need>,
}

/// A place for a modifier.
#[derive(Debug)]
pub struct Slot {
    /// The class it decides, as [`ModifierClass::name`](super::ModifierClass::name) has it; empty for a fixed word.
    pub class: &'static str,
    /// What may stand there.
    pub values: &'static [Value],
    /// Whether nothing may stand there.
    pub optional: bool,
    /// Whether it must come before all slots that do not lead, as `.lo` of `mul.lo`: to the assembler it is part of the
    /// opcode. The order of the others is free, except that those of equal words keep theirs.
    pub leads: bool,
}

/// A modifier in its place.
#[derive(Debug)]
pub struct Value {
    /// Its words in order, with their dots; mostly one.
    pub words: &'static [&'static str],
    /// What it needs beyond what the form needs.
    pub gate: Gate,
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
    /// The type of its value, or the state space that its address is in.
    pub ty: OperandType,
    /// How many registers in braces.
    pub length: Length,
    /// Whether it may be left out.
    pub optional: bool,
    /// The smallest and the largest integer constant, where not all are taken.
    pub range: Option<(i64, i64)>,
    /// What integer constants are multiples of; 1 where any will do.
    pub step: i64,
}

/// The type that an operand has by its form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperandType {
    /// The form does not say.
    Unsaid,
    /// The type with this name, without its dot.
    Fixed(&'static str),
    /// The type or state space chosen in this slot; the other one where the slot is optional and empty.
    Slot(usize),
    /// Twice as wide as the type chosen in this slot, and of its kind.
    Wide(usize),
    /// Registers may be wider than the type chosen in this slot, as for loads and stores.
    AtLeast(usize),
    /// Registers may be wider than this type.
    FixedAtLeast(&'static str),
}

/// How many registers an operand has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// One, without braces.
    One,
    /// So many in braces (or, where that is 1, one with or without them).
    Exactly(u16),
    /// As the number in the modifier chosen in this slot says (`v4`, `x16`), times a factor; one without braces where the
    /// slot is optional and empty.
    Slot(usize, u16),
    /// Any number that the assembler has a vector for.
    Any,
}

/// What is needed: one of these, or nothing when there are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gate(pub &'static [Need]);

/// A version and a target that go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Need {
    /// The oldest version.
    pub since: Version,
    /// The targets.
    pub target: TargetNeed,
}

/// Which targets will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetNeed {
    /// All.
    Any,
    /// `sm_NN` and every later one, with or without a letter.
    AtLeast(u16),
    /// `sm_NNf`: later ones of its family, with `f` or `a`.
    Family(u16),
    /// `sm_NNa`: this one with `a`.
    Exactly(u16),
}
