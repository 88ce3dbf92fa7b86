//! The most frequent operations, in a form that one jump dispatches.
//!
//! [`Op`] describes every operation with its types and modifiers. In most kernels, most instructions are one of a few
//! operations that only compute: they cannot fail, and they affect nothing but their destination. Each of these has its own
//! number here. So do branches, and loads and stores of words in shared memory.

/// The frequent operation that an instruction is, if any. Integers have 32 bits unless the name tells otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Quick {
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
    Branch,
}

impl Quick {
    pub(crate) fn accesses_memory(self) -> bool {
        matches!(self, Quick::LoadShared | Quick::StoreShared)
    }
}
