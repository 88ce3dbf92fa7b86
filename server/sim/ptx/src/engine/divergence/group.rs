//! Groups of lanes, and the positions of lanes in a program.

use crate::program::{ExchangeKind, Slot};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) pc: u32,
    /// The instruction at which the scheduler must choose the next group.
    pub(crate) until: u32,
    pub(crate) mask: u32,
    pub(crate) frame: Slot,
    /// Whether the group may take uniform branches without a scheduling decision.
    pub(crate) alone: bool,
    /// Whether the next instruction may have to wait for other lanes.
    pub(crate) needs_convergence: bool,
}

/// The position of lanes that are not running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LanePosition {
    pub(crate) frame: Slot,
    pub(crate) pc: u32,
    pub(crate) mask: u32,
}

impl LanePosition {
    pub(super) fn is_where(&self, other: &LanePosition) -> bool {
        (self.frame, self.pc) == (other.frame, other.pc)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FunctionEntry {
    pub(crate) frame: Slot,
    pub(crate) function: u32,
    pub(crate) end: u32,
    pub(crate) mask: u32,
}

/// A collective operation that lanes wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CollectiveKind {
    /// Arrival at a barrier of the block; if no other group can run, the lanes arrive without the others.
    Arrive,
    /// An instruction that all lanes of the warp must reach.
    Here,
    /// Any `bar.warp.sync`.
    Sync,
    /// An exchange of this kind at any instruction.
    Exchange(ExchangeKind),
}

impl CollectiveKind {
    pub(super) fn may_be_apart(self) -> bool {
        matches!(self, CollectiveKind::Sync | CollectiveKind::Exchange(_))
    }
}
