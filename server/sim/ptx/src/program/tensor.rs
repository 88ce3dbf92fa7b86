//! Side table of tensor instructions.

use std::sync::Arc;

use warplens_sim_cuda::address::{Address, AtomicOp, Space};
use warplens_sim_cuda::semantics::matrix::{Factor, Sum};
use warplens_sim_cuda::slot::{RegisterSlot, Slot};
use warplens_sim_cuda::tensor::box_mode::BoxMode;

use super::asynchronous::Completion;
use super::guard::Guard;
use super::tensor_memory::TensorMemoryOp;

/// A tensor instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TensorOp {
    /// `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor`
    Copy(TensorCopy),
    /// `tensormap.replace`
    ReplaceField {
        /// The map.
        map: (Address, Space),
        /// The first byte of the field in the map, and its size.
        field: (u32, u32),
        /// The new value.
        value: RegisterSlot,
    },
    /// `tensormap.cp_fenceproxy`
    CopyMap {
        /// The destination in global memory.
        to: (Address, Space),
        /// The source in shared memory.
        from: (Address, Space),
    },
    /// `fence.proxy.tensormap` with `.release`
    ReleaseMaps,
    /// `fence.proxy.tensormap` with `.acquire`: of this map
    AcquireMap(Address, Space),
    /// `spcompress`, with its descriptor
    Compress(Compression, RegisterSlot),
    /// `spdecompress`: stored elements of a group, and all of its elements
    Decompress(Compression, (u32, u32)),
    /// `tcgen05`
    Memory(TensorMemoryOp),
    /// `wgmma.mma_async`
    Product(Arc<WarpgroupProduct>),
    /// `wgmma.fence`
    ProductFence,
    /// `wgmma.commit_group`
    CommitProducts,
    /// `wgmma.wait_group`: groups that may stay in flight
    WaitForProducts(u32),
}

/// A copy of a box of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorCopy {
    /// Whether the copy is to shared memory.
    pub loads: bool,
    /// The elements.
    pub mode: BoxMode,
    /// Dimensions that the instruction names.
    pub rank: u8,
    /// The address of the map.
    pub map: (Address, Space),
    /// Coordinates, innermost first.
    pub coordinates: Vec<RegisterSlot>,
    /// The offsets of an im2col load.
    pub offsets: Vec<RegisterSlot>,
    /// The address in shared memory.
    pub shared: (Address, Space),
    /// The mbarrier that tracks the bytes of a load.
    pub completion: Option<Completion>,
    /// The mask of blocks of the cluster that get the copy.
    pub blocks: Option<Slot>,
    /// Whether blocks signal the mbarrier of their pair.
    pub pairs: bool,
    /// The reduction of a store.
    pub reduction: Option<AtomicOp>,
}

/// A product of a warpgroup: D (64 x N) = A (64 x K) * B (K x N) + D.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WarpgroupProduct {
    /// Columns of B.
    pub n: u32,
    /// Columns of A, with those that a sparse matrix does not store.
    pub k: u32,
    /// Elements of A and B.
    pub factors: [Factor; 2],
    /// Elements of D.
    pub sum: Sum,
    /// `.satfinite`
    pub saturate: bool,
    /// A.
    pub a: FactorSource,
    /// The descriptor of B.
    pub b: RegisterSlot,
    /// The registers of D.
    pub d: Vec<RegisterSlot>,
    /// Whether D is added.
    pub accumulates: Guard,
    /// Whether the elements of A and B are negated.
    pub negated: [bool; 2],
    /// Whether A and B are MN-major.
    pub transposed: [bool; 2],
    /// The metadata and the selector of a sparse A.
    pub sparse: Option<(RegisterSlot, RegisterSlot)>,
}

/// Where the elements of A are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FactorSource {
    /// In registers.
    Registers(Vec<RegisterSlot>),
    /// In shared memory, as a descriptor says.
    Shared(RegisterSlot),
}

/// Registers with elements, with some of them, and with the positions of these.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Compression {
    /// Bits of an element.
    pub element_bits: u32,
    /// Bits of a position.
    pub index_bits: u32,
    /// All elements.
    pub data: Vec<RegisterSlot>,
    /// The stored elements.
    pub kept: Vec<RegisterSlot>,
    /// The positions.
    pub indices: Vec<RegisterSlot>,
}
