//! Memory accesses.

use warplens_sim_cuda::address::AtomicOp;
use warplens_sim_warp::scalar_type::ScalarType;

use crate::registers::{Predicate, Row, Source};

/// The memory that an access is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Global, shared or local by the address.
    Generic,
    /// Global memory.
    Global,
    /// Shared memory of the block.
    Shared,
    /// Local memory of the thread.
    Local,
    /// A constant bank.
    Constant(u8),
}

/// A term of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Term {
    /// The register.
    pub row: Row,
    /// Of 64 bits.
    pub wide: bool,
    /// Zero-extended rather than sign-extended.
    pub unsigned: bool,
    /// What it is multiplied by.
    pub scale: u8,
}

/// An address: the sum of its terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Address {
    /// The registers.
    pub terms: [Option<Term>; 2],
    /// The offset.
    pub offset: i64,
    /// Of 64 bits.
    pub wide: bool,
}

/// A load or a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// The memory.
    pub space: Space,
    /// The address.
    pub address: Address,
    /// Bytes of an element: 1, 2 or 4.
    pub size: u8,
    /// Elements: words of a wide access.
    pub count: u8,
    /// Whether a narrow element is sign-extended.
    pub signed: bool,
    /// The first row that is written or read.
    pub data: Row,
    /// Whether it is ordered with accesses of this kind: volatile, or of a scope.
    pub strong: bool,
}

/// What an atomic leaves in its destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicResult {
    /// Nothing.
    None,
    /// The old value.
    Old,
    /// 1 if it swapped, else 0.
    Swapped,
    /// A predicate: whether it swapped.
    SwappedPredicate(Predicate),
}

/// An atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Atomic {
    /// The memory.
    pub space: Space,
    /// The address.
    pub address: Address,
    /// The operation.
    pub op: AtomicOp,
    /// The type.
    pub ty: ScalarType,
    /// The operand; `None` adds one for each lane.
    pub b: Option<Source>,
    /// The new value of a compare-and-swap.
    pub c: Source,
    /// The destination.
    pub d: Row,
    /// What it gets.
    pub result: AtomicResult,
}

impl Access {
    /// The bytes that an atomic reads and writes.
    pub(crate) fn of_atomic(atomic: &Atomic) -> Access {
        Access {
            space: atomic.space,
            address: atomic.address,
            size: 4,
            count: atomic.ty.bits().div_ceil(32) as u8,
            signed: false,
            data: 0,
            strong: true,
        }
    }

    /// The row that a lane names in a load of matrices.
    pub(crate) fn of_matrix_row(load: &MatrixLoad) -> Access {
        let (space, address) = (Space::Shared, load.address);
        Access { space, address, size: 4, count: 4, signed: false, data: 0, strong: false }
    }
}

/// `LDSM`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatrixLoad {
    /// The addresses of the rows.
    pub address: Address,
    /// Matrices.
    pub count: u8,
    /// Transposed.
    pub transposed: bool,
    /// The first row that is written.
    pub data: Row,
}
