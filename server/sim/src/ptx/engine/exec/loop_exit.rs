//! The reasons for which the interpreter loop returns to its warp.
use crate::ptx::engine::divergence::group::Group;
use crate::ptx::engine::fault::{Fault, PendingBarrier};

/// Why the loop over instructions ended.
pub(crate) enum LoopExit {
    /// Who runs next is decided: nobody, or a group with which more has changed than that.
    Next(Option<Group>),
    /// There is no instruction left in the function.
    FellOff,
    /// It is time to ask the caller whether to go on.
    Due,
    /// It took the branch `from`, and somebody else may come first.
    Turn { from: u32 },
    /// Time to request whether this goes anywhere.
    CheckSpin { from: u32 },
    /// The instruction decides who runs next.
    Control { executed: u32 },
    /// Memory refused.
    Fault(Fault),
    /// The instruction before waits for others.
    Yield(Option<PendingBarrier>),
}
