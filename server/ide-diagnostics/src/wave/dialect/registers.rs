//! The registers of toolchain 0.1.2, and whether an item alone uses its own.

use warplens_hir::wave::{Code, Name};

/// The number of registers of toolchain 0.1.2.
pub(super) const REGISTERS: u8 = 32;
/// Predicate registers are `p0` to this one.
pub(super) const LAST_PREDICATE: u8 = 3;

/// Whether no other item can run this one's code or read its registers.
pub(super) fn is_closed(code: &Code) -> bool {
    code.labels.is_empty() && !code.names().iter().any(|name| matches!(name.name, Name::Label(_)))
}
