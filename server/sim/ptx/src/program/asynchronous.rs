//! Side tables of asynchronous operations, and of the memory barriers that track them.

use warplens_sim_cuda::address::{Address, AtomicOp, Space};
use warplens_sim_cuda::slot::{RegisterSlot, Slot};
use warplens_sim_warp::scalar_type::ScalarType;

/// A copy of a range of memory, done at once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BulkCopy {
    /// The destination.
    pub to: Address,
    /// The space of `to`.
    pub to_space: Space,
    /// The source.
    pub from: Address,
    /// The space of `from`.
    pub from_space: Space,
    /// The number of bytes.
    pub size: Slot,
    /// The reduction with the contents of the destination; `None` replaces them.
    pub reduction: Option<(AtomicOp, ScalarType)>,
    /// The mbarrier that tracks the bytes.
    pub completion: Option<Completion>,
    /// The mask of blocks of the cluster that get the copy.
    pub blocks: Option<Slot>,
    /// Bytes at the left and the right end that are not copied.
    pub ends: Option<(Slot, Slot)>,
    /// The mask of the bytes that are copied of each 16.
    pub bytes: Option<Slot>,
    /// Whether `to` is a multimem address.
    pub replicated: bool,
}

/// A range of memory that is filled with zeros.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fill {
    /// The destination.
    pub to: Address,
    /// The space of `to`.
    pub space: Space,
    /// The number of bytes.
    pub size: RegisterSlot,
    /// The mbarrier that tracks the bytes.
    pub completion: Option<Completion>,
}

/// An mbarrier that tracks bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Completion {
    /// The object.
    pub address: Address,
    /// Its space.
    pub space: Space,
}

/// An operation on an mbarrier.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mbarrier {
    /// The action.
    pub action: MbarrierAction,
    /// The space of the object.
    pub space: Space,
    /// The object.
    pub address: Address,
    /// A count, a number of bytes, a token or a parity.
    pub operand: Option<RegisterSlot>,
    /// The mask of the blocks of the cluster whose objects it applies to.
    pub blocks: Option<Slot>,
    /// A token, or whether a phase is over.
    pub d: Option<RegisterSlot>,
    /// The destinations of reports of failed copies; no copy fails here.
    pub reports: [Option<RegisterSlot>; 2],
}

/// The action of an operation on an mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MbarrierAction {
    /// `init`
    Initialize {
        /// 0 or 1.
        layout: u8,
    },
    /// `inval`
    Invalidate,
    /// `expect_tx`
    ExpectBytes,
    /// `complete_tx`
    CompleteBytes,
    /// `arrive`, `arrive_drop`
    Arrive {
        /// Whether the operand is a number of bytes to expect.
        expects: bool,
        /// Whether later phases do not wait for it.
        drops: bool,
        /// Whether it may end the phase.
        completes: bool,
    },
    /// `cp.async.mbarrier.arrive`
    ArriveCopies {
        /// Whether the object counts it among its arrivals.
        counted: bool,
    },
    /// `test_wait`, `try_wait` with a token
    TestToken,
    /// `test_wait`, `try_wait` with a parity
    TestParity,
    /// `check_layout`
    CheckLayout(u8),
}

impl MbarrierAction {
    /// Whether threads repeat it until the result is `true`.
    pub fn waits(self) -> bool {
        matches!(self, MbarrierAction::TestToken | MbarrierAction::TestParity)
    }
}
