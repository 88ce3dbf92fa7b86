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
    /// It orders the accesses around it, in the directions of `acquire` and `release`.
    pub fence: bool,
    pub scope: Scope,
    /// The lanes that execute it wait for each other.
    pub synchronizes: bool,
    /// Guarantees that only a few statements give.
    pub special: SpecialOrder,
    /// The memory in which it orders accesses through the generic proxy before later ones through the async proxy.
    pub proxy_fence: ProxyFence,
}

/// The threads for which the guarantees hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scope {
    Block,
    /// The blocks of the cluster; without one, the block.
    Cluster,
    #[default]
    Device,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SpecialOrder {
    #[default]
    None,
    Initializes,
    Invalidates,
    AwaitsGrid,
    /// A load of data that may not change while the kernel runs.
    ReadsConstantData,
    AsyncProxy,
    /// `st.async` and `red.async`, which a thread waits for like for a copy.
    AsyncStore,
    /// A product, which reads matrices given by descriptors through the async proxy.
    AsyncProduct,
    /// `wgmma.fence` and `wgmma.commit_group`: the lanes of a warp wait for each other, but acquire nothing.
    AlignsWarpgroup,
    /// A fence that releases only the accesses of a class.
    Releases(AccessClass),
    /// `tcgen05.alloc`, which writes an address to shared memory.
    Allocates,
    /// A copy to tensor memory, which reads a matrix given by a descriptor through the async proxy.
    AsyncMatrixCopy,
}

/// A class of accesses that a fence or a relaxed synchronization may be limited to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessClass {
    /// `mbarrier.init`
    Initializations,
    SharedMemory,
    TensorMemory,
    /// Waits and announcements at mbarriers, which arrivals of any semantics order.
    Phases,
    /// The last strong write of a location: a thread that observes it comes after it, whatever its semantics.
    LastWrite,
}

impl SpecialOrder {
    pub fn uses_async_proxy(self) -> bool {
        use SpecialOrder::{AsyncMatrixCopy, AsyncProduct, AsyncProxy, AsyncStore};
        matches!(self, AsyncProxy | AsyncStore | AsyncProduct | AsyncMatrixCopy)
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
