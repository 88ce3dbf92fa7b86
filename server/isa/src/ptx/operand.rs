//! Operands of instructions.

use crate::generated::ptx as tables;
use crate::{Role, Shared};

/// One operand.
#[derive(Debug)]
pub struct Operand {
    /// Its name in the forms.
    pub name: &'static str,
    /// What happens to its registers.
    pub role: Role,
    /// The syntax it accepts.
    pub kinds: &'static [OperandKind],
    /// Whether it may be omitted.
    pub optional: bool,
    /// Whether a register in this address has the width of addresses: the assembler does not widen one of 32 bits.
    pub wide: bool,
    /// Whether it is in the brackets of the operand before it.
    pub inside: bool,
    /// Whether a minus sign may be written before it.
    pub negatable: bool,
    /// What it is for; empty for a plain source or destination.
    pub about: &'static str,
}

impl Shared for Operand {
    const TABLE: &'static [Self] = &tables::OPERAND;
}

impl Operand {
    /// The values of the fields that a table omits.
    pub(crate) const EMPTY: Self = Self {
        name: "",
        role: Role::Read,
        kinds: &[],
        optional: false,
        wide: false,
        inside: false,
        negatable: false,
        about: "",
    };
}

/// What may be written as an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandKind {
    /// A register.
    Register,
    /// A predicate register.
    Predicate,
    /// A predicate register with `!`.
    NotPredicate,
    /// A special register.
    SpecialRegister,
    /// A constant.
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
    Parameter,
    /// A label or a table of labels.
    Label,
    /// The address of a label.
    LabelAddress,
    /// A texture.
    Texture,
    /// A sampler.
    Sampler,
    /// A surface.
    Surface,
}
