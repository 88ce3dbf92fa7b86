//! Memory accesses.

use warplens_sim_cuda::address::AtomicOp;
use warplens_sim_warp::scalar_type::ScalarType;

use crate::registers::{Predicate, Row, Source};

/// The memory that an access refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Global, shared or local, depending on the address.
    Generic,
    Global,
    Shared,
    Local,
    /// A constant bank, by its number.
    Constant(u8),
}

/// The generic addresses that `QSPC` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Window {
    /// The shared memory of the block.
    Shared,
    /// The shared memory of all blocks of the cluster.
    Cluster,
    Local,
    Global,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Term {
    pub row: Row,
    /// Whether the register has 64 bits.
    pub wide: bool,
    /// Whether it is zero-extended and not sign-extended.
    pub unsigned: bool,
    /// The factor of the register.
    pub scale: u8,
}

/// The sum of registers and an offset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Address {
    pub terms: [Option<Term>; 2],
    pub offset: i64,
    /// Whether the address has 64 bits.
    pub wide: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    pub space: Space,
    pub address: Address,
    /// Bytes of an element: 1, 2 or 4.
    pub size: u8,
    /// The number of elements, which are the words of a wide access.
    pub count: u8,
    /// Whether a narrow element is sign-extended.
    pub signed: bool,
    /// The first row that is written or read.
    pub data: Row,
    /// The first row of the upper four words of an access with `.ENL2.256`.
    pub upper: Option<Row>,
    /// Whether the access is ordered with other such accesses: volatile, or with a scope.
    pub strong: bool,
}

/// What an atomic writes to its destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicResult {
    None,
    Old,
    /// 1 if the atomic swapped, else 0.
    Swapped,
    /// A predicate that says whether the atomic swapped.
    SwappedPredicate(Predicate),
    /// The old value, and a predicate that says whether the address is in global memory. Elsewhere nothing happens, and
    /// the code continues with a loop of `CAS`.
    Done(Predicate),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Atomic {
    pub space: Space,
    pub address: Address,
    pub op: AtomicOp,
    pub ty: ScalarType,
    /// The operand; `None` adds one for each lane.
    pub b: Option<Source>,
    /// The new value of a compare-and-swap.
    pub c: Source,
    pub d: Row,
    /// What the destination receives.
    pub result: AtomicResult,
}

impl Access {
    /// A weak access to this many words, without registers for them.
    pub(crate) fn words(space: Space, address: Address, count: u8) -> Access {
        Access { space, address, size: 4, count, signed: false, data: 0, upper: None, strong: false }
    }

    pub(crate) fn row(&self, element: u16) -> Row {
        match self.upper {
            Some(upper) if element >= 4 => upper + element - 4,
            _ => self.data + element,
        }
    }

    /// The rows of the elements, in one or two ranges.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (Row, u16)> {
        let count = if self.upper.is_some() { 4 } else { u16::from(self.count) };
        std::iter::once((self.data, count)).chain(self.upper.map(|upper| (upper, 4)))
    }

    /// The bytes that an atomic reads and writes.
    pub(crate) fn of_atomic(atomic: &Atomic) -> Access {
        let count = atomic.ty.bits().div_ceil(32) as u8;
        Access { strong: true, ..Access::words(atomic.space, atomic.address, count) }
    }
}

/// `LDSM`, `STSM`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatrixAccess {
    /// The addresses of the rows.
    pub address: Address,
    /// The number of matrices.
    pub count: u8,
    pub transposed: bool,
    /// The first register that is written or read.
    pub data: Row,
}
