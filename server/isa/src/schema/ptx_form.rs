//! The forms of an instruction: exactly which modifiers go together, on which operands, from which version and target on.
//!
//! This is what decides whether a statement is valid, so it is data: `forms` in `data/ptx/instructions/*.toml`, held to the
//! assembler by `cargo xtask measure ptxas`. What compares a statement with a form lives in hir, never here.

use super::storage::*;

entries! {
    /// What may be written as an operand.
    #[serde(rename_all(deserialize = "kebab-case"))]
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum OperandKind {
        /// A register.
        #[serde(rename(deserialize = "reg"))]
        Register,
        /// A predicate register.
        #[serde(rename(deserialize = "pred"))]
        Predicate,
        /// A predicate register with `!`.
        #[serde(rename(deserialize = "not-pred"))]
        NotPredicate,
        /// A special register.
        #[serde(rename(deserialize = "sreg"))]
        SpecialRegister,
        /// A constant.
        #[serde(rename(deserialize = "imm"))]
        Immediate,
        /// A memory operand, or another operand in brackets.
        Address,
        /// Several operands in braces.
        Vector,
        /// `_`, where the result is not wanted.
        Sink,
        /// The name of a variable or function.
        Symbol,
        /// The name of a parameter of a call.
        #[serde(rename(deserialize = "param"))]
        Parameter,
        /// A label or a table of labels.
        Label,
        /// The address of a label.
        LabelAddress,
        /// A texture.
        #[serde(rename(deserialize = "texref"))]
        Texture,
        /// A sampler.
        #[serde(rename(deserialize = "samplerref"))]
        Sampler,
        /// A surface.
        #[serde(rename(deserialize = "surfref"))]
        Surface,
    }

    /// One form of an instruction.
    #[derive(Debug)]
    pub struct Form {
        /// The form as a reader sees it: `add{.sat}.{u16x2,s16x2} d, a, b`.
        text: Text,
        /// The modifiers after the fixed words of the name, in their documented order.
        slots: List<Slot>,
        /// The operands as commas outside brackets separate them.
        operands: List<FormOperand>,
        /// The versions and targets that have it.
        availability: Availability,
        /// The versions and targets from which on it is removed.
        removed: Option<Requirement>,
    }

    /// A position for a modifier.
    #[derive(Debug)]
    pub struct Slot {
        /// The class it decides, as [`ModifierClass::name`](super::ptx::ModifierClass::name) has it; empty for a fixed word.
        class: Text,
        /// The modifiers that it accepts.
        values: List<Value>,
        /// Whether the modifier may be omitted.
        optional: bool,
        /// Whether it must come before all slots that do not lead, as `.lo` of `mul.lo`: to the assembler it is part of the
        /// opcode. The order of the others is free, except that those of equal words keep theirs.
        leads: bool,
    }
    data {
        /// Whether it accepts every value of its class.
        whole: bool,
    }

    /// A modifier in its place.
    #[derive(Debug)]
    pub struct Value {
        /// Its words in order, with their dots; mostly one.
        words: Slice<Text>,
        /// What it requires in addition to the form.
        availability: Availability,
        /// The numbers in it, or the one that its class says it counts.
        numbers: Slice<u16>,
        /// Whether the first of the registers that it counts is an index: the layer of an array.
        indexes: bool,
    }

    /// An operand of a form.
    #[derive(Debug)]
    pub struct FormOperand {
        /// Which operand of the entry it is.
        index: usize,
        /// The operand after the bar of a pair `d|p`, and whether the pair may be written without it.
        second: Option<(usize, bool)>,
        /// What may be written there.
        kinds: Slice<OperandKind>,
        /// The type of its value; of an address, that of the register in it.
        ty: OperandType,
        /// The state space that its address, or the variable that it names, is in.
        space: FormSpace,
        /// How many registers in braces.
        length: Length,
        /// Whether it is there.
        presence: Presence,
        /// Which integer constants are taken, where not all are.
        range: Option<Range>,
        /// The operands in its brackets, where these are more than an address.
        inside: List<FormOperand>,
    }

    /// The type that an operand has by its form.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum OperandType {
        /// The form does not say.
        Unspecified,
        /// The type with this name, without its dot.
        Fixed(Text),
        /// The type chosen in this slot.
        Slot(usize),
        /// Twice as wide as the type chosen in this slot, and of its kind.
        Wide(usize),
        /// Registers may be wider than the type chosen in this slot, as for loads and stores.
        AtLeast(usize),
        /// Registers may be wider than this type.
        FixedAtLeast(Text),
    }

    /// The state space that an operand has by its form.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum FormSpace {
        /// The form does not say.
        Unspecified,
        /// The one with this name, without its dot, or `generic`.
        Fixed(Text),
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
        slots: Slice<(usize, Option<usize>)>,
        /// What is multiplied with them.
        factor: u16,
        /// What the product is divided by.
        divisor: u16,
        /// What is taken away in the end.
        less: u16,
        /// Whether there may be more.
        or_more: bool,
    }

    /// Which integer constants an operand takes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Range {
        /// The smallest.
        low: i64,
        /// The largest.
        high: Bound,
        /// Which of those between.
        step: Step,
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
    pub struct Availability(Slice<Requirement>);

    /// A version and a target that go together.
    #[serde(try_from = "String")]
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Requirement {
        /// The oldest version.
        since: Version,
        /// The targets.
        target: TargetRequirement,
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
}
