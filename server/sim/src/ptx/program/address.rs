//! Addresses, state spaces, and the operations of atomics.

use super::slot::RegisterSlot;

/// The state space of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Decided by the address.
    Generic,
    /// `.global`
    Global,
    /// `.shared`
    Shared,
    /// `.local`, and `.param` of functions
    Local,
    /// `.const`
    Const,
    /// Kernel parameters
    Param,
}

impl Space {
    /// The word for it.
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

/// An address: a register (or none), and what is added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// The register.
    pub base: Option<RegisterSlot>,
    /// What the register counts, in bytes.
    pub scale: u32,
    /// Whether the offset counts from the frame's local memory.
    pub frame: bool,
    /// Added.
    pub offset: i64,
}

/// What an atomic does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names of the operations")]
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
