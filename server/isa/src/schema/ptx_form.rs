//! The forms of an instruction: which modifiers may be combined, with which operands, from which version and target on.
//!
//! Forms decide whether a statement is valid, so they are data: `forms` in `data/ptx/instructions/*.toml`, which
//! `cargo xtask measure ptxas` compares with the assembler. The code that matches statements with forms is in `hir`.

use super::storage::*;

entries! {
    /// The syntax of an operand.
    #[serde(rename_all(deserialize = "kebab-case"))]
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum OperandKind {
        #[serde(rename(deserialize = "reg"))]
        Register,
        #[serde(rename(deserialize = "pred"))]
        Predicate,
        /// A predicate register with `!`.
        #[serde(rename(deserialize = "not-pred"))]
        NotPredicate,
        #[serde(rename(deserialize = "sreg"))]
        SpecialRegister,
        #[serde(rename(deserialize = "imm"))]
        Immediate,
        /// A memory operand, or another operand in brackets.
        Address,
        /// Several operands in braces.
        Vector,
        /// `_`, for a result that is not needed.
        Sink,
        /// The name of a variable or function.
        Symbol,
        /// The name of a parameter of a call.
        #[serde(rename(deserialize = "param"))]
        Parameter,
        /// A label or a table of labels.
        Label,
        LabelAddress,
        #[serde(rename(deserialize = "texref"))]
        Texture,
        #[serde(rename(deserialize = "samplerref"))]
        Sampler,
        #[serde(rename(deserialize = "surfref"))]
        Surface,
    }

    #[derive(Debug)]
    pub struct Form {
        /// The form as a reader sees it: `add{.sat}.{u16x2,s16x2} d, a, b`.
        text: Text,
        /// The modifiers after the fixed words of the name, in their documented order.
        slots: List<Slot>,
        /// The operands, as separated by commas outside brackets.
        operands: List<FormOperand>,
        /// Versions and targets that have the form.
        availability: Availability,
        /// Versions and targets that no longer have it.
        removed: Option<Requirement>,
    }

    #[derive(Debug)]
    pub struct Slot {
        /// Name of its class, a [`ModifierClass::name`](super::ptx::ModifierClass::name); empty for a fixed word.
        class: Text,
        /// The modifiers that it accepts.
        values: List<Value>,
        optional: bool,
        /// Whether it must precede all slots that do not lead, like `.lo` in `mul.lo`, because the assembler treats it as
        /// part of the opcode. Other slots may be in any order, except that slots with equal words keep theirs.
        leads: bool,
    }
    data {
        /// Whether it accepts every value of its class.
        whole: bool,
    }

    #[derive(Debug)]
    pub struct Value {
        /// The words in order, with their dots; usually one.
        words: Slice<Text>,
        /// What the value requires in addition to the form.
        availability: Availability,
        /// The numbers in the value, or the one that the class specifies instead.
        numbers: Slice<u16>,
        /// Whether the first of the registers that it counts is an index, such as the layer of an array.
        indexes: bool,
    }

    #[derive(Debug)]
    pub struct FormOperand {
        /// Index into the operands of the entry.
        index: usize,
        /// The operand after the bar of a pair `d|p`, and whether the bar and this operand may be omitted.
        second: Option<(usize, bool)>,
        kinds: Slice<OperandKind>,
        /// The type of the value. For an address, the type of the register in it.
        ty: OperandType,
        /// The state space of the address, or of the variable that the operand names.
        space: FormSpace,
        /// How many registers it has in braces.
        length: Length,
        /// Whether it may or must be written.
        presence: Presence,
        /// Which integer constants are accepted, if not all. In braces, each element has its own range.
        ranges: Slice<Range>,
        /// The operands in its brackets, if it is more than a plain address.
        inside: List<FormOperand>,
    }

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum OperandType {
        Unspecified,
        /// The type with this name, without its dot.
        Fixed(Text),
        /// The type chosen in this slot.
        Slot(usize),
        /// The type chosen in this slot, at twice the width.
        Wide(usize),
        /// Registers may be wider than the type chosen in this slot, as for loads and stores.
        AtLeast(usize),
        /// Registers may be wider than this type.
        FixedAtLeast(Text),
    }

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum FormSpace {
        Unspecified,
        /// The space with this name, without its dot, or `generic`.
        Fixed(Text),
        /// The space chosen in this slot; generic if the slot is optional and empty.
        Slot(usize),
    }

    /// Whether an operand may or must be written.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Presence {
        Required,
        Optional,
        /// It is written if and only if this slot is filled.
        With(usize),
    }

    /// How many registers an operand has.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Length {
        /// One, without braces.
        One,
        /// One without braces, or a vector of up to this many.
        OneOrBraced(Product),
        /// This many in braces. For 1, the braces are optional.
        Exactly(u16),
        /// Computed from numbers in modifiers; one without braces if such a slot is optional and empty.
        Product(Product),
        /// Any length for which the assembler has a vector.
        Any,
    }

    /// A product of a factor and numbers in modifiers, divided (rounding up), less a constant.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Product {
        /// Slots, each with the index of one of its numbers, or the last number without an index.
        slots: Slice<(usize, Option<usize>)>,
        /// Multiplied with the numbers.
        factor: u16,
        /// Divides the product.
        divisor: u16,
        /// Subtracted last.
        less: u16,
        /// Whether more registers are allowed.
        or_more: bool,
    }

    /// The integer constants that an operand accepts.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Range {
        low: i64,
        high: Bound,
        /// Which constants between them.
        step: Step,
    }

    /// The end of a range.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Bound {
        Number(i64),
        /// The constant that is written for this operand of the entry.
        Operand(usize),
    }

    /// Which numbers of a range are accepted.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Step {
        Multiple(i64),
        PowerOfTwo,
    }

    /// Alternative requirements: a file must satisfy one of them. Without any, it always does.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Availability(Slice<Requirement>);

    /// A version and a target, both required.
    #[serde(try_from = "String")]
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Requirement {
        since: Version,
        target: TargetRequirement,
    }

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum TargetRequirement {
        Any,
        /// `sm_NN` and later ones, with or without a letter.
        AtLeast(u16),
        /// `sm_NNf`: this target and later ones of its family, with `f` or `a`.
        Family(u16),
        /// `sm_NNa`: this target only, with `a`.
        Exactly(u16),
    }
}
