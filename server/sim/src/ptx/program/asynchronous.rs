//! Side tables of asynchronous operations, and of the memory barriers that track them.

use super::address::{Address, AtomicOp, Space};
use super::slot::{RegisterSlot, Slot};
use crate::scalar_type::ScalarType;

/// A copy of a range of memory, done at once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BulkCopy {
    /// Where to.
    pub to: Address,
    /// The space of `to`.
    pub to_space: Space,
    /// Where from.
    pub from: Address,
    /// The space of `from`.
    pub from_space: Space,
    /// Bytes.
    pub size: Slot,
    /// The reduction with the contents of the destination; `None` replaces them.
    pub reduction: Option<(AtomicOp, ScalarType)>,
    /// The mbarrier that tracks the bytes.
    pub completion: Option<Completion>,
    /// The mask of blocks of the cluster that get the copy.
    pub blocks: Option<Slot>,
    /// Bytes at the left and the right end that are not copied.
    pub ends: Option<(Slot, Slot)>,
    /// The mask of bytes of each 16 that are copied.
    pub bytes: Option<Slot>,
}

/// A range of memory that is filled with zeros.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fill {
    /// Where to.
    pub to: Address,
    /// The space of `to`.
    pub space: Space,
    /// Bytes.
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

/// Something done with an mbarrier.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mbarrier {
    /// What is done.
    pub action: MbarrierAction,
    /// The space of the object.
    pub space: Space,
    /// The object.
    pub address: Address,
    /// A count, a number of bytes, a token or a parity.
    pub operand: Option<RegisterSlot>,
    /// The mask of blocks of the cluster whose objects are meant.
    pub blocks: Option<Slot>,
    /// A token, or whether a phase is over.
    pub d: Option<RegisterSlot>,
    /// Where reports of failed copies go; there are none.
    pub reports: [Option<RegisterSlot>; 2],
}

/// What is done with an mbarrier.
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
    /// Whether a thread that gets `false` repeats it until it is `true`.
    pub fn waits(self) -> bool {
        matches!(self, MbarrierAction::TestToken | MbarrierAction::TestParity)
    }
}
