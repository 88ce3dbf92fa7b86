//! The most frequent operations on registers, in a form that one jump dispatches.
//!
//! [`Op`] describes every operation with its types and modifiers. Most instructions of most kernels are among a few of them, which
//! only compute: they cannot fail, and nothing but their destination depends on them. These have a number each, and so have loads
//! and stores of words of shared memory, and branches.

/// Whether an operation is frequent and only computes, and which one it is. Integers have 32 bits unless the name says more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Quick {
    /// None of these.
    No,
    Add,
    Subtract,
    Multiply,
    MultiplyAdd,
    And,
    Or,
    Xor,
    Copy,
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    Add64,
    Copy64,
    ShiftLeft64,
    MultiplyWide,
    MultiplyWideSigned,
    MultiplyAddWide,
    MultiplyAddWideSigned,
    AddFloat,
    SubtractFloat,
    MultiplyFloat,
    MultiplyAddFloat,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    LessSigned,
    LessEqualSigned,
    GreaterSigned,
    GreaterEqualSigned,
    /// A load of a word at a 32-bit address.
    LoadShared,
    /// A store of a word at a 32-bit address.
    StoreShared,
    /// A branch.
    Branch,
}

impl Quick {
    /// Whether it accesses memory.
    pub(crate) fn accesses_memory(self) -> bool {
        matches!(self, Quick::LoadShared | Quick::StoreShared)
    }
}
