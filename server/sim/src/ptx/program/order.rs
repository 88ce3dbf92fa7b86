//! What a statement promises about the order of memory accesses: only the watch over memory asks.

/// How a statement orders memory, as its opcode and modifiers say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Order {
    /// Its accesses may meet others of this kind without being a race: atomic, volatile, relaxed and stronger.
    pub strong: bool,
    /// What it reads, it reads before everything that follows.
    pub acquire: bool,
    /// What it writes, it writes after everything that came before.
    pub release: bool,
    /// It is a fence.
    pub fence: bool,
    /// What it promises holds within the block only.
    pub in_block: bool,
    /// The lanes that execute it wait for each other.
    pub synchronizes: bool,
}
