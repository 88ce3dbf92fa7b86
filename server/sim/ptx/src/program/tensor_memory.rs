//! Side table of instructions on tensor memory (`tcgen05`).

use std::sync::Arc;

use warplens_sim_cuda::address::{Address, Space};
use warplens_sim_cuda::slot::RegisterSlot;

use super::guard::Guard;

/// An instruction on tensor memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TensorMemoryOp {
    /// `tcgen05.alloc`
    Allocate {
        /// Where the address of the columns is written.
        to: (Address, Space),
        /// The number of columns.
        columns: RegisterSlot,
        /// `cta_group::2`
        pair: bool,
    },
    /// `tcgen05.dealloc`
    Free {
        /// The address of the columns.
        address: RegisterSlot,
        /// The number of columns.
        columns: RegisterSlot,
        /// `cta_group::2`
        pair: bool,
    },
    /// `tcgen05.relinquish_alloc_permit`
    Relinquish {
        /// `cta_group::2`
        pair: bool,
    },
    /// `tcgen05.ld`
    Load(CellAccess),
    /// `tcgen05.st`
    Store(CellAccess),
    /// `tcgen05.wait::ld`
    WaitForLoads,
    /// `tcgen05.wait::st`
    WaitForStores,
    /// `tcgen05.fence::before_thread_sync`
    FenceBefore,
    /// `tcgen05.fence::after_thread_sync`
    FenceAfter,
    /// `tcgen05.mma`
    Product(Arc<TensorProduct>),
    /// `tcgen05.cp`
    Copy(CellCopy),
    /// `tcgen05.commit`
    Commit {
        /// The mbarrier.
        mbarrier: (Address, Space),
        /// The mask of blocks of the cluster whose mbarriers it arrives at.
        blocks: Option<RegisterSlot>,
        /// `cta_group::2`
        pair: bool,
    },
}

/// Which cells of tensor memory the registers of a warp correspond to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CellShape {
    Lanes32Bits32,
    Lanes16Bits64,
    Lanes16Bits128,
    Lanes16Bits256,
    /// Two halves of the warp with different columns.
    Lanes16Bits32Twice,
}

/// A load or a store of a warp.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CellAccess {
    /// The shape.
    pub shape: CellShape,
    /// The address.
    pub address: Address,
    /// The distance of the columns of the second half of the warp.
    pub half: i32,
    /// Whether a register has the low halves of two cells.
    pub packed: bool,
    /// The registers.
    pub registers: Vec<RegisterSlot>,
    /// The reduction of the loaded values, and its register.
    pub reduction: Option<(CellReduction, RegisterSlot)>,
}

/// A reduction of loaded values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CellReduction {
    /// Whether it is the maximum.
    pub greatest: bool,
    /// What the values are.
    pub of: CellNumber,
}

/// What values of cells are for a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CellNumber {
    U32,
    S32,
    F32 {
        /// Whether magnitudes are reduced.
        magnitude: bool,
        /// Whether a NaN is the result if there is one.
        nan: bool,
    },
}

/// `tcgen05.cp`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CellCopy {
    /// The destination.
    pub address: Address,
    /// The descriptor of the source.
    pub descriptor: RegisterSlot,
    /// The shape.
    pub shape: CopyShape,
    /// How elements are widened to bytes: bits of an element in shared memory.
    pub widened: Option<u32>,
    /// `cta_group::2`
    pub pair: bool,
}

/// The rows and columns of a copy, and the lanes that they go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CopyShape {
    Rows128Bits256,
    Rows4Bits256,
    Rows128Bits128,
    Rows64To02And13,
    Rows64To01And23,
    Rows32,
}

/// The kinds of products.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProductKind {
    F16,
    Tf32,
    F8f6f4,
    I8,
    Mxf8f6f4,
    Mxf4,
    Mxf4nvf4,
}

/// `tcgen05.mma`: D = A * B + D with D in tensor memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorProduct {
    /// The kind.
    pub kind: ProductKind,
    /// `cta_group::2`
    pub pair: bool,
    /// `.ws`
    pub ws: bool,
    /// D.
    pub d: Address,
    /// A.
    pub a: TensorFactor,
    /// The descriptor of B.
    pub b: RegisterSlot,
    /// The instruction descriptor.
    pub descriptor: RegisterSlot,
    /// The metadata of a sparse A.
    pub metadata: Option<Address>,
    /// The scale factors of A and B.
    pub scales: Option<[Address; 2]>,
    /// Scale factors of a row of A.
    pub blocks: u32,
    /// The lanes of D that are not written.
    pub disabled: Vec<RegisterSlot>,
    /// Whether D is added.
    pub accumulates: Guard,
    /// D is multiplied by two to the power of minus this.
    pub shift: Option<RegisterSlot>,
    /// Which columns of B are zero.
    pub zeros: Option<RegisterSlot>,
}

/// Where A is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TensorFactor {
    /// In shared memory, as a descriptor says.
    Shared(RegisterSlot),
    /// In tensor memory.
    Cells(Address),
}
