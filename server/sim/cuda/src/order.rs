//! The guarantees of a statement about the order of memory accesses, used by the sanitizer.

/// How a statement orders memory, as its opcode and modifiers say. Its eight bytes are copied for every instruction that is checked.
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
    /// What few statements do.
    pub special: SpecialOrder,
    /// The memory in which it orders accesses through the generic proxy before those through the async proxy.
    pub proxy_fence: ProxyFence,
}

/// What few statements do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SpecialOrder {
    /// Nothing special.
    #[default]
    None,
    /// It initializes an mbarrier.
    Initializes,
    /// It waits for the prerequisite grid.
    AwaitsGrid,
    /// Its accesses use the async proxy.
    AsyncProxy,
    /// Its accesses use the async proxy, and read matrices that descriptors describe.
    AsyncMatrices,
}

impl SpecialOrder {
    /// Whether accesses use the async proxy.
    pub fn uses_async_proxy(self) -> bool {
        matches!(self, SpecialOrder::AsyncProxy | SpecialOrder::AsyncMatrices)
    }
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
