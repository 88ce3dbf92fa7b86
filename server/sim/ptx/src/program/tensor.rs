//! Side table of tensor instructions.

use std::sync::Arc;

use warplens_sim_cuda::address::{Address, AtomicOp, Space};
use warplens_sim_cuda::semantics::matrix::{Factor, Sum};
use warplens_sim_cuda::slot::{RegisterSlot, Slot};
use warplens_sim_cuda::tensor::box_mode::BoxMode;

use super::asynchronous::Completion;
use super::guard::Guard;
use super::tensor_memory::TensorMemoryOp;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TensorOp {
    /// `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor`
    Copy(TensorCopy),
    /// `tensormap.replace`
    ReplaceField {
        map: (Address, Space),
        /// Offset of the field's first byte in the map, and its size in bytes.
        field: (u32, u32),
        value: RegisterSlot,
    },
    /// `tensormap.cp_fenceproxy`: the destination in global memory, and the source in shared memory
    CopyMap { to: (Address, Space), from: (Address, Space) },
    /// `fence.proxy.tensormap` with `.release`
    ReleaseMaps,
    /// `fence.proxy.tensormap` with `.acquire`, for this map
    AcquireMap((Address, Space)),
    /// `spcompress` with its descriptor
    Compress(Compression, RegisterSlot),
    /// `spdecompress`: number of stored elements in a group, and of all its elements
    Decompress(Compression, (u32, u32)),
    /// `tcgen05`
    Memory(TensorMemoryOp),
    /// `wgmma.mma_async`
    Product(Arc<WarpgroupProduct>),
    /// `wgmma.fence`
    ProductFence,
    /// `wgmma.commit_group`
    CommitProducts,
    /// `wgmma.wait_group`: number of groups that may stay in flight
    WaitForProducts(u32),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorCopy {
    pub loads: bool,
    pub mode: BoxMode,
    /// Number of dimensions that the instruction names.
    pub rank: u8,
    pub map: (Address, Space),
    /// Innermost first.
    pub coordinates: Vec<RegisterSlot>,
    pub offsets: Vec<RegisterSlot>,
    pub shared: (Address, Space),
    /// The mbarrier that tracks the bytes of a load.
    pub completion: Option<Completion>,
    /// Mask of the cluster's blocks that receive the copy.
    pub blocks: Option<Slot>,
    /// Whether blocks signal the mbarrier of their pair.
    pub pairs: bool,
    pub reduction: Option<AtomicOp>,
}

/// A product of a warpgroup: D (64 x N) = A (64 x K) * B (K x N) + D.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WarpgroupProduct {
    pub n: u32,
    /// Columns of A, including those that a sparse matrix does not store.
    pub k: u32,
    pub factors: [Factor; 2],
    pub sum: Sum,
    /// `.satfinite`
    pub saturate: bool,
    pub a: FactorSource,
    pub b: RegisterSlot,
    pub d: Vec<RegisterSlot>,
    pub accumulates: Guard,
    pub negated: [bool; 2],
    pub transposed: [bool; 2],
    pub sparse: Option<(RegisterSlot, RegisterSlot)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FactorSource {
    Registers(Vec<RegisterSlot>),
    /// In shared memory, as this descriptor specifies.
    Shared(RegisterSlot),
}

/// A vector of elements, the subset that is kept, and the positions of these.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Compression {
    pub element_bits: u32,
    pub index_bits: u32,
    pub data: Vec<RegisterSlot>,
    pub kept: Vec<RegisterSlot>,
    pub indices: Vec<RegisterSlot>,
}
