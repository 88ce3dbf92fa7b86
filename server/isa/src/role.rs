//! Roles of operands.

use crate::schema::entry::Role;

impl Role {
    /// Whether the instruction reads the operand.
    pub const fn reads(self) -> bool {
        matches!(self, Self::Read | Self::Both)
    }

    /// Whether the instruction writes the operand.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Write | Self::Both)
    }
}
