//! What an asynchronous operation reads, writes and signals.

use warplens_sim_warp::scalar_type::ScalarType;

use crate::address::AtomicOp;
use crate::memory::region::MemoryRegion;
use crate::tensor_memory::operation::CellOperation;

/// The threads that issued an operation: lanes of a warp of a block of the cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Issuer {
    /// The rank of the block.
    pub rank: u32,
    pub warp: u32,
    pub lanes: u32,
}

/// The families of groups in which threads wait for operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Of `cp.async`
    Single,
    /// Of `cp.async.bulk`
    Bulk,
    /// Of `tcgen05.st`: all that are in flight form one group
    CellStores,
}

/// A group of operations of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    pub family: Family,
    /// Committed groups of the thread when the operation was issued.
    pub number: u32,
}

/// A byte of a memory region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryPosition {
    pub region: MemoryRegion,
    pub index: usize,
}

/// Contiguous bytes that are copied.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// The source; without one, the fill of the transfer is written.
    pub from: Option<MemoryPosition>,
    /// The destination; without one, the bytes are dropped.
    pub to: Option<MemoryPosition>,
    pub len: usize,
}

/// How the bytes of a transfer change on the way to the destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Convert {
    #[default]
    No,
    /// Round to `tf32`.
    Tf32,
    /// Flush subnormal singles to zero.
    Flush,
    /// Both.
    FlushTf32,
}

/// A copy of ranges of memory, or a reduction.
#[derive(Clone, Debug, Default)]
pub struct Transfer {
    pub segments: Vec<Segment>,
    /// The bytes, once the sources have been read.
    pub data: Option<Vec<u8>>,
    /// The element that is written where there is no source; zero if it is empty.
    pub fill: Vec<u8>,
    /// The reduction with the destination; `None` replaces it.
    pub reduction: Option<(AtomicOp, ScalarType)>,
    pub convert: Convert,
}

/// What an operation does.
#[derive(Clone, Debug)]
pub enum Effect {
    Transfer(Transfer),
    /// Reads or writes tensor memory.
    Cells(Box<CellOperation>),
    /// Only its signal.
    Nothing,
}

/// What an operation does to an mbarrier when it is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    Nothing,
    /// Completes bytes at the object at this offset of the cluster's shared memory.
    Bytes(usize, u32),
    /// Arrives there.
    Arrive(usize),
}

/// An operation in flight.
#[derive(Clone, Debug)]
pub struct Operation {
    pub issuer: Issuer,
    /// The statement that issued it.
    pub statement: u32,
    /// The group that a wait covers; `None` if the thread does not wait for it in groups.
    pub group: Option<Group>,
    pub effect: Effect,
    pub signal: Signal,
}
