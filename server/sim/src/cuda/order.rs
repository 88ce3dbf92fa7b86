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
    /// It initializes an mbarrier.
    pub initializes: bool,
    /// It waits for the prerequisite grid.
    pub awaits_grid: bool,
    /// It reads matrices that descriptors describe.
    pub matrix: bool,
    /// Its accesses use the async proxy.
    pub async_proxy: bool,
    /// The memory in which it orders accesses through the generic proxy before those through the async proxy.
    pub proxy_fence: ProxyFence,
}

/// The memory that a proxy fence covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ProxyFence {
    /// It is not a fence of the async proxy.
    #[default]
    None,
    /// Shared memory.
    Shared,
    /// Global memory.
    Global,
    /// All memory.
    All,
}
