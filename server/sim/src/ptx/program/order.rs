//! The guarantees of a statement about the order of memory accesses, used by the sanitizer.

/// How a statement orders memory, as its opcode and modifiers say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Order {
    /// Its accesses do not race with others of this kind: atomic, volatile, relaxed and stronger.
    pub strong: bool,
    /// Its reads precede all following accesses.
    pub acquire: bool,
    /// Its writes follow all earlier accesses.
    pub release: bool,
    /// It is a fence.
    pub fence: bool,
    /// Its guarantees hold only within the block.
    pub in_block: bool,
    /// The lanes that execute it wait for each other.
    pub synchronizes: bool,
}
