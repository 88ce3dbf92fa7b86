//! Roles of operands.

use crate::schema::entry::Role;

impl Role {
    /// Whether the operand is read.
    pub const fn reads(self) -> bool {
        matches!(self, Self::Read | Self::Both)
    }

    /// Whether the operand is written.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Write | Self::Both)
    }
}
