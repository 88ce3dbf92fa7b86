//! What an asynchronous operation reads, writes and signals.

use crate::cuda::address::AtomicOp;
use crate::cuda::memory::region::MemoryRegion;
use crate::cuda::tensor_memory::operation::CellOperation;
use crate::scalar_type::ScalarType;

/// The threads that issued an operation: lanes of a warp of a block of the cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Issuer {
    /// The rank of the block.
    pub(crate) rank: u32,
    pub(crate) warp: u32,
    pub(crate) lanes: u32,
}

/// The families of groups in which threads wait for operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// Of `cp.async`
    Single,
    /// Of `cp.async.bulk`
    Bulk,
    /// Of `tcgen05.st`: all that are in flight form one group
    CellStores,
}

/// A group of operations of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) family: Family,
    /// Committed groups of the thread when the operation was issued.
    pub(crate) number: u32,
}

/// A byte of a memory region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemoryPosition {
    pub(crate) region: MemoryRegion,
    pub(crate) index: usize,
}

/// Contiguous bytes that are copied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    /// The source; without one, the fill of the transfer is written.
    pub(crate) from: Option<MemoryPosition>,
    /// The destination; without one, the bytes are dropped.
    pub(crate) to: Option<MemoryPosition>,
    pub(crate) len: usize,
}

/// How the bytes of a transfer change on the way to the destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Convert {
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
pub(crate) struct Transfer {
    pub(crate) segments: Vec<Segment>,
    /// The bytes, once the sources have been read.
    pub(crate) data: Option<Vec<u8>>,
    /// The element that is written where there is no source; zero if it is empty.
    pub(crate) fill: Vec<u8>,
    /// The reduction with the destination; `None` replaces it.
    pub(crate) reduction: Option<(AtomicOp, ScalarType)>,
    pub(crate) convert: Convert,
}

/// What an operation does.
#[derive(Clone, Debug)]
pub(crate) enum Effect {
    Transfer(Transfer),
    /// Reads or writes tensor memory.
    Cells(Box<CellOperation>),
    /// Only its signal.
    Nothing,
}

/// What an operation does to an mbarrier when it is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    Nothing,
    /// Completes bytes at the object at this offset of the cluster's shared memory.
    Bytes(usize, u32),
    /// Arrives there.
    Arrive(usize),
}

/// An operation in flight.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) issuer: Issuer,
    /// The statement that issued it.
    pub(crate) statement: u32,
    /// The group that a wait covers; `None` if the thread does not wait for it in groups.
    pub(crate) group: Option<Group>,
    pub(crate) effect: Effect,
    pub(crate) signal: Signal,
}
