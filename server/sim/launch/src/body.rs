//! The properties of a kernel's body from which its launches are inferred.

use warplens_sim_warp::scalar_type::ScalarType;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Body {
    /// For each parameter, the numbers that are loaded from it, in order; where loads overlap, the first one counts.
    pub params: Vec<Vec<Part>>,
    /// For each parameter, how it is used as a tensor map, if it is used as one.
    pub maps: Vec<Option<MapUse>>,
    /// If the kernel uses a shared array whose size the launch decides: the largest constant that is added to the
    /// array's address.
    pub dynamic_shared: Option<u64>,
    /// Whether the kernel reads the address of the workspace of a cooperative launch.
    pub is_cooperative: bool,
    /// Whether the kernel reads `%tid.y`, the row of a thread.
    pub has_rows: bool,
    /// Whether the kernel reads the number of its block (`%ctaid`) in x, y and z.
    pub block_axes: [bool; 3],
    /// Whether the warps of a block may cooperate: through shared memory, a barrier, or their numbers.
    pub has_warps: bool,
    /// Whether the kernel may be written for a single thread: all threads do the same, and none waits for another.
    pub is_single: bool,
}

/// How a kernel uses a parameter that is a tensor map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MapUse {
    /// The number of dimensions that copies name.
    pub rank: u8,
    /// The size of a box in bytes, if the kernel announces a constant number.
    pub bytes: Option<u64>,
    /// Whether copies load boxes.
    pub loaded: bool,
}

/// A number in a parameter: the whole parameter, or a field of a structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The offset in the parameter.
    pub at: u64,
    /// The type as which it is loaded.
    pub kind: ScalarType,
    /// How the memory that it points to is used, if it becomes an address.
    pub access: Option<Access>,
    /// Whether it is compared with something, as a length is.
    pub is_compared: bool,
    /// Whether it is a shift amount, such as the logarithm of a size.
    pub is_exponent: bool,
    /// How it gives the size of a table, if indexes are masked with it.
    pub table: Option<TableSize>,
}

/// How a number gives the size of a table, which is a power of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableSize {
    /// The number of slots: indexes are masked with one less.
    Slots,
    /// One less than the number of slots: a mask, whose bits are all ones.
    Mask,
}

/// How the memory that a parameter points to is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// The type of the first load, or of the first store if nothing is loaded.
    pub element: ScalarType,
    /// Whether the kernel loads from this memory.
    pub loaded: bool,
    /// Whether the kernel stores to this memory, or updates it.
    pub stored: bool,
    /// Whether it is a multimem address, for which only `multimem` instructions are.
    pub multimem: bool,
    /// The constant with which `atom.cas` compares it: what a slot of a table holds before it is used.
    pub empty: Option<EmptySlot>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmptySlot {
    pub bits: u64,
    pub bytes: u64,
}

impl TableSize {
    /// The number for a table with this many slots.
    pub(crate) fn number(self, slots: i128) -> i128 {
        match self {
            TableSize::Slots => slots,
            TableSize::Mask => slots - 1,
        }
    }
}

impl Access {
    /// Adds another access to the same memory; the first load determines the elements.
    pub fn join(self, other: Access) -> Access {
        let elements = if other.loaded && !self.loaded { other } else { self };
        let stored = self.stored || other.stored;
        let multimem = self.multimem || other.multimem;
        Access { stored, multimem, empty: self.empty.or(other.empty), ..elements }
    }
}

impl Body {
    /// What the kernel loads from this offset of a parameter.
    pub(crate) fn part(&self, param: usize, at: u64) -> Option<&Part> {
        self.params.get(param)?.iter().find(|part| part.at == at)
    }
}
