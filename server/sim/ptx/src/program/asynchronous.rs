//! Side tables of asynchronous operations, and of the memory barriers that track them.

use warplens_sim_cuda::address::{Address, AtomicOp, Space};
use warplens_sim_cuda::slot::{RegisterSlot, Slot};
use warplens_sim_warp::scalar_type::ScalarType;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BulkCopy {
    pub to: (Address, Space),
    pub from: (Address, Space),
    /// Number of bytes.
    pub size: Slot,
    /// The reduction with the destination's contents; `None` replaces them.
    pub reduction: Option<(AtomicOp, ScalarType)>,
    pub completion: Option<Completion>,
    /// Mask of the cluster's blocks that receive the copy.
    pub blocks: Option<Slot>,
    /// Bytes at the left and right end that are not copied.
    pub ends: Option<(Slot, Slot)>,
    /// Mask of the bytes that are copied in each 16.
    pub bytes: Option<Slot>,
    /// Whether `to` is a multimem address.
    pub replicated: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fill {
    pub to: (Address, Space),
    /// Number of bytes.
    pub size: RegisterSlot,
    pub completion: Option<Completion>,
}

/// An mbarrier that tracks bytes.
pub type Completion = (Address, Space);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mbarrier {
    pub action: MbarrierAction,
    pub space: Space,
    pub address: Address,
    /// A count, a number of bytes, a token or a parity.
    pub operand: Option<RegisterSlot>,
    /// Mask of the cluster's blocks whose objects are affected.
    pub blocks: Option<Slot>,
    /// Receives a token, or whether a phase is over.
    pub d: Option<RegisterSlot>,
    /// Destinations for reports of failed copies; no copy fails in the simulator.
    pub reports: [Option<RegisterSlot>; 2],
}

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
        /// Whether later phases do not wait for this arrival.
        drops: bool,
        /// Whether the arrival may end the phase.
        completes: bool,
    },
    /// `cp.async.mbarrier.arrive`
    ArriveCopies {
        /// Whether the object counts this among its arrivals.
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
    /// Whether threads repeat the action until the result is `true`.
    pub fn waits(self) -> bool {
        matches!(self, MbarrierAction::TestToken | MbarrierAction::TestParity)
    }
}
