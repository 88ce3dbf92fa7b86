//! What a statement guarantees about the order of memory accesses, for the sanitizer.

/// How a statement orders memory, according to its opcode and modifiers. Its eight bytes are copied for every checked
/// instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Order {
    /// Its accesses do not race with other strong accesses: atomic, volatile, relaxed or stronger.
    pub strong: bool,
    /// Its reads precede all later accesses.
    pub acquire: bool,
    /// Its writes follow all earlier accesses.
    pub release: bool,
    pub fence: bool,
    /// Its guarantees hold only within the block.
    pub in_block: bool,
    /// The lanes that execute it wait for each other.
    pub synchronizes: bool,
    /// Guarantees that only a few statements give.
    pub special: SpecialOrder,
    /// The memory in which it orders accesses through the generic proxy before later ones through the async proxy.
    pub proxy_fence: ProxyFence,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SpecialOrder {
    #[default]
    None,
    Initializes,
    AwaitsGrid,
    AsyncProxy,
    /// Accesses memory through the async proxy, and reads matrices given by descriptors.
    AsyncMatrices,
}

impl SpecialOrder {
    pub fn uses_async_proxy(self) -> bool {
        matches!(self, SpecialOrder::AsyncProxy | SpecialOrder::AsyncMatrices)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ProxyFence {
    #[default]
    None,
    Shared,
    Global,
    All,
}
