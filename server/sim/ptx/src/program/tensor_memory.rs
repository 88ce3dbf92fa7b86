//! Side table of tensor memory instructions (`tcgen05`).

use std::sync::Arc;

use warplens_sim_cuda::address::{Address, Space};
use warplens_sim_cuda::slot::RegisterSlot;
use warplens_sim_cuda::tensor_memory::instruction_descriptor::ProductForm;

use super::guard::Guard;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TensorMemoryOp {
    /// `tcgen05.alloc`
    Allocate {
        /// The location to which the address of the columns is written.
        to: (Address, Space),
        columns: RegisterSlot,
        /// `cta_group::2`
        pair: bool,
    },
    /// `tcgen05.dealloc`
    Free {
        address: RegisterSlot,
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
        mbarrier: (Address, Space),
        /// Mask of the cluster's blocks at whose mbarriers it arrives.
        blocks: Option<RegisterSlot>,
        /// `cta_group::2`
        pair: bool,
    },
}

/// Which cells of tensor memory a warp's registers correspond to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CellShape {
    Lanes32Bits32,
    Lanes16Bits64,
    Lanes16Bits128,
    Lanes16Bits256,
    /// The two halves of the warp have different columns.
    Lanes16Bits32Twice,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CellAccess {
    pub shape: CellShape,
    pub address: Address,
    /// Offset of the columns of the warp's second half.
    pub half: i32,
    /// Whether a register holds the low halves of two cells.
    pub packed: bool,
    pub registers: Vec<RegisterSlot>,
    /// The reduction of the loaded values, and the register for its result.
    pub reduction: Option<(CellReduction, RegisterSlot)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CellReduction {
    pub greatest: bool,
    pub of: CellNumber,
}

/// How a reduction interprets the values of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CellNumber {
    U32,
    S32,
    F32 {
        magnitude: bool,
        /// Whether any NaN makes the result a NaN.
        nan: bool,
    },
}

/// `tcgen05.cp`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CellCopy {
    pub address: Address,
    pub descriptor: RegisterSlot,
    pub shape: CopyShape,
    /// Bits of an element in shared memory, if elements are widened to bytes.
    pub widened: Option<u32>,
    /// `cta_group::2`
    pub pair: bool,
}

/// The rows and columns of a copy, and the lanes that receive them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CopyShape {
    Rows128Bits256,
    Rows4Bits256,
    Rows128Bits128,
    Rows64To02And13,
    Rows64To01And23,
    Rows32,
}

/// `tcgen05.mma`: D = A * B + D, with D in tensor memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorProduct {
    pub form: ProductForm,
    pub d: Address,
    pub a: TensorFactor,
    pub b: RegisterSlot,
    pub descriptor: RegisterSlot,
    pub metadata: Option<Address>,
    pub scales: Option<[Address; 2]>,
    /// The lanes of D that are not written.
    pub disabled: Vec<RegisterSlot>,
    pub accumulates: Guard,
    /// D is multiplied by 2 to the power of minus this value.
    pub shift: Option<RegisterSlot>,
    pub zeros: Option<RegisterSlot>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TensorFactor {
    /// In shared memory, as this descriptor specifies.
    Shared(RegisterSlot),
    Cells(Address),
}
