//! The properties of the body of a kernel from which its launches are inferred.

use warplens_sim_warp::scalar_type::ScalarType;

/// The properties of the body of a kernel from which its launches are inferred.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Body {
    /// For each parameter the numbers that are loaded from it, in order; of overlapping ones, the first load.
    pub params: Vec<Vec<Part>>,
    /// For each parameter how it is used as a tensor map, if it is.
    pub maps: Vec<Option<MapUse>>,
    /// Where a shared array is used whose size the launch decides: the largest constant that is added to its address.
    pub dynamic_shared: Option<u64>,
    /// Whether it reads the address of the workspace of a cooperative launch.
    pub is_cooperative: bool,
    /// Whether it reads the row of a thread, `%tid.y`.
    pub has_rows: bool,
    /// Whether it may be written for a single thread: all threads do the same, and none waits for another one.
    pub is_single: bool,
}

/// How a kernel uses a parameter that is a tensor map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MapUse {
    /// The dimensions that copies name.
    pub rank: u8,
    /// The bytes of a box, if the kernel announces a constant number.
    pub bytes: Option<u64>,
    /// Whether boxes are loaded.
    pub loaded: bool,
}

/// A number in a parameter: the whole of it, or a field of a structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Its first byte.
    pub at: u64,
    /// What it is loaded as.
    pub kind: ScalarType,
    /// How the memory that it points to is used, if it reaches an address.
    pub access: Option<Access>,
}

/// How the memory that a parameter points to is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// The elements that are first loaded, or stored where none is loaded.
    pub element: ScalarType,
    /// Whether anything is loaded.
    pub loaded: bool,
}

impl Body {
    /// How the memory that a whole parameter points to is used.
    pub(crate) fn access(&self, param: usize) -> Option<Access> {
        self.params.get(param)?.iter().find(|part| part.at == 0)?.access
    }
}
