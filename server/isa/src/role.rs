//! Roles of operands.

use crate::schema::entry::Role;

impl Role {
    pub const fn reads(self) -> bool {
        matches!(self, Self::Read | Self::Both)
    }

    pub const fn writes(self) -> bool {
        matches!(self, Self::Write | Self::Both)
    }
}
