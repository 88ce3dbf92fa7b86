//! The lanes of a visit.

/// Lanes that execute a statement.
#[derive(Clone, Copy)]
pub(super) struct Executing {
    pub(super) statement: u32,
    /// The lanes of the path.
    pub(super) active: u32,
    pub(super) executed: u32,
    /// The lanes in which registers are written: all lanes for a uniform operation.
    pub(super) written: u32,
}
