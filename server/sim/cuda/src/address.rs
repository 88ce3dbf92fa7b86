//! Addresses, state spaces, and the operations of atomics.

use super::slot::RegisterSlot;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// The address determines the space.
    Generic,
    /// `.global`
    Global,
    /// `.shared`
    Shared,
    /// `.local`, and `.param` of functions
    Local,
    /// `.const`
    Const,
    Param,
}

impl Space {
    pub fn name(self) -> &'static str {
        match self {
            Space::Generic => "generic",
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Local => "local",
            Space::Const => "constant",
            Space::Param => "parameter",
        }
    }
}

/// The base of an address's offset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Relative {
    #[default]
    No,
    /// The frame's local memory.
    Frame,
    /// The block's shared memory.
    Block,
}

/// An address: a register (or none) and an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    pub base: Option<RegisterSlot>,
    /// Bytes per unit of the register.
    pub scale: u32,
    pub relative: Relative,
    pub offset: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
    Exchange,
    CompareSwap,
    Increment,
    Decrement,
}

impl AtomicOp {
    /// Whether the operation changes memory again when it is repeated, so that its place in the order of stores matters even if all
    /// leave one value.
    pub fn accumulates(self) -> bool {
        matches!(self, AtomicOp::Add | AtomicOp::Xor | AtomicOp::Increment | AtomicOp::Decrement)
    }
}
