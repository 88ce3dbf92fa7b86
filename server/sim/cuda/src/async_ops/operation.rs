//! What an asynchronous operation reads, writes and signals.

use warplens_sim_warp::scalar_type::ScalarType;

use crate::address::AtomicOp;
use crate::memory::region::MemoryRegion;
use crate::sanitizer::copies::CopyFamily;
use crate::tensor_memory::operation::CellOperation;

/// The threads that issued an operation: some lanes of a warp, in a block of the cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Issuer {
    pub rank: u32,
    pub warp: u32,
    pub lanes: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    pub family: CopyFamily,
    /// Groups that the thread had committed when the operation was issued.
    pub number: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryPosition {
    pub region: MemoryRegion,
    pub index: usize,
}

#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// The source; if `None`, the transfer's fill is written.
    pub from: Option<MemoryPosition>,
    /// The destination; if `None`, the bytes are dropped.
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
    Flush,
    FlushTf32,
}

/// A copy of ranges of memory, or a reduction.
#[derive(Clone, Debug, Default)]
pub struct Transfer {
    pub segments: Vec<Segment>,
    /// The bytes, once the sources have been read.
    pub data: Option<Vec<u8>>,
    /// The element to write where there is no source; zero if empty.
    pub fill: Vec<u8>,
    /// The reduction into the destination; `None` overwrites it.
    pub reduction: Option<(AtomicOp, ScalarType)>,
    pub convert: Convert,
}

impl Transfer {
    /// What the completion costs, as the meter counts it.
    pub fn accesses(&self) -> u64 {
        let bytes: usize = self.segments.iter().map(|segment| segment.len).sum();
        let bytes_per_access = if self.reduction.is_some() { 4 } else { 64 };
        (self.segments.len() + bytes / bytes_per_access) as u64
    }
}

#[derive(Clone, Debug)]
pub enum Effect {
    Transfer(Transfer),
    Cells(Box<CellOperation>),
    Nothing,
}

impl Effect {
    /// What the completion costs, as the meter counts it.
    pub(super) fn accesses(&self) -> u64 {
        match self {
            Effect::Transfer(transfer) => transfer.accesses(),
            Effect::Cells(cells) => cells.effect.accesses(),
            Effect::Nothing => 0,
        }
    }
}

/// What an operation does to an mbarrier on completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    Nothing,
    /// Completes bytes at the mbarrier at this offset of the cluster's shared memory.
    Bytes(usize, u32),
    /// Arrives at the mbarrier at this offset.
    Arrive(usize),
}

#[derive(Clone, Debug)]
pub struct Operation {
    pub issuer: Issuer,
    pub statement: u32,
    /// The group for which the thread waits; `None` if it does not wait for the operation in groups.
    pub group: Option<Group>,
    pub effect: Effect,
    pub signal: Signal,
}

/// Which earlier operations of its threads must be complete before an operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CompletionOrder {
    Any,
    AfterCells,
    AfterAll,
}

impl Operation {
    pub(super) fn order(&self) -> CompletionOrder {
        match (&self.effect, self.signal) {
            (Effect::Nothing, Signal::Arrive(_)) => CompletionOrder::AfterAll,
            (Effect::Cells(_), _) => CompletionOrder::AfterCells,
            _ => CompletionOrder::Any,
        }
    }

    /// Whether threads can wait for it only after a later commit by its own thread.
    pub(super) fn awaits_commit(&self) -> bool {
        matches!(self.effect, Effect::Cells(_)) && self.group.is_none()
    }

    /// Whether this is the arrival of a commit, which follows the earlier operations of its thread.
    pub(super) fn is_commit(&self) -> bool {
        matches!((&self.effect, self.signal), (Effect::Nothing, Signal::Arrive(_))) && self.group.is_none()
    }
}
