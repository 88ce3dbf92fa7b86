//! Groups of lanes, and the positions of lanes in a program.

use crate::ptx::program::{ExchangeKind, Slot};

/// Lanes that run together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// The next instruction.
    pub(crate) pc: u32,
    /// The instruction at which somebody must decide who runs next.
    pub(crate) until: u32,
    /// The lanes.
    pub(crate) mask: u32,
    /// The call that they are in.
    pub(crate) frame: Slot,
    /// Whether they may take branches on which they agree without asking.
    pub(crate) alone: bool,
    /// Whether they are at an instruction for which they may have to wait for others.
    pub(crate) needs_convergence: bool,
}

/// Where lanes are that do not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LanePosition {
    /// The call that they are in.
    pub(crate) frame: Slot,
    /// The instruction at which they go on.
    pub(crate) pc: u32,
    /// The lanes.
    pub(crate) mask: u32,
}

impl LanePosition {
    pub(super) fn is_where(&self, other: &LanePosition) -> bool {
        (self.frame, self.pc) == (other.frame, other.pc)
    }
}

/// Lanes that enter a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FunctionEntry {
    /// The new call.
    pub(crate) frame: Slot,
    /// The function's number.
    pub(crate) function: u32,
    /// One past its last instruction.
    pub(crate) end: u32,
    /// The lanes.
    pub(crate) mask: u32,
}

/// What lanes wait to do together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CollectiveKind {
    /// To arrive at a barrier of the block; when nobody else can go on, they do so without the others.
    Arrive,
    /// An instruction that all must come to.
    Here,
    /// `bar.warp.sync`, whichever
    Sync,
    /// An exchange of this kind, whichever instruction needs_convergence for it.
    Exchange(ExchangeKind),
}

impl CollectiveKind {
    pub(super) fn may_be_apart(self) -> bool {
        matches!(self, CollectiveKind::Sync | CollectiveKind::Exchange(_))
    }
}
