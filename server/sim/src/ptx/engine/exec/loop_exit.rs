//! The reasons for which the interpreter loop returns to its warp.
use crate::cuda::fault::{Fault, PendingBarrier};
use crate::ptx::engine::divergence::group::Group;

/// Why the interpreter loop returned.
pub(crate) enum LoopExit {
    /// The next group is chosen: `None`, or a group for which more changed than the choice.
    Next(Option<Group>),
    /// The group ran past the last instruction of the function.
    FellOff,
    /// The caller's control is due.
    Due,
    /// The group took the branch `from`, and another group may be next.
    Turn { from: u32 },
    /// The spin detector must compare states.
    CheckSpin { from: u32 },
    /// The instruction affects control flow or synchronization.
    Control { executed: u32 },
    /// A fault.
    Fault(Fault),
    /// The previous instruction waits for other threads.
    Yield(Option<PendingBarrier>),
}
