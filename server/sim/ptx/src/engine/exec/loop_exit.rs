//! When a group stops in the interpreter loop, and why the loop returns to its warp.

use std::ops::ControlFlow;

use warplens_sim_cuda::fault::{Fault, PendingBarriers};

use crate::engine::divergence::group::Group;

pub(crate) enum LoopExit {
    /// The chosen group: `None`, or a group that needs more than a switch to it.
    Next(Option<Group>),
    /// The group ran past the last instruction of the function.
    FellOff,
    Due,
    /// In a run under a schedule: the next instruction synchronizes.
    Preempted,
    /// The group took the branch `from`, and another group may be next.
    Turn {
        from: u32,
    },
    CheckSpin {
        from: u32,
        alone: bool,
    },
    /// The instruction affects control flow or synchronization.
    Control {
        executed: u32,
    },
    Fault(Fault),
    /// The previous instruction waits for other threads.
    Yield(Option<PendingBarriers>),
}

/// How the fast or the general loop continues. `Break(None)` leaves the group to the other loop.
pub(super) type Flow = ControlFlow<Option<LoopExit>>;

/// What ends a range of instructions, besides control flow.
#[derive(Clone, Copy)]
pub(super) struct StopLimits {
    pub(super) pause_at: u64,
    pub(super) limit: u64,
    pub(super) end: u32,
    /// Below this clock, neither a pause nor the limit can stop a run of instructions.
    fence: u64,
}

impl StopLimits {
    pub(super) fn new(pause_at: u64, limit: u64, end: u32) -> StopLimits {
        StopLimits { pause_at, limit, end, fence: pause_at.min(limit.saturating_sub(end.into())) }
    }

    /// The last possible stop for a group at `pc`: its reconvergence point, the end of the function, or the next poll of the
    /// caller.
    #[inline(always)]
    pub(super) fn stop(&self, clock: u64, pc: u32, until: u32) -> u32 {
        let end = if self.are_near(clock) { self.end_soon(clock, pc) } else { self.end };
        if until >= pc { until.min(end) } else { end }
    }

    /// Whether a pause or the limit may come before a run of instructions ends.
    #[inline(always)]
    pub(super) fn are_near(&self, clock: u64) -> bool {
        clock >= self.fence
    }

    /// Where a pause or the limit stops a group at `pc`, or the end of the function.
    #[cold]
    #[inline(never)]
    fn end_soon(&self, clock: u64, pc: u32) -> u32 {
        // A pause can wait for the next branch, so that it does not split runs of statements; the limit cannot.
        if clock >= self.pause_at {
            return pc;
        }
        let due = self.limit.saturating_sub(clock).saturating_add(pc.into());
        due.min(self.end.into()) as u32
    }

    /// Whether instructions up to this clock run without a stop.
    #[inline(always)]
    pub(super) fn allow_until(&self, clock: u64) -> bool {
        clock < self.pause_at.min(self.limit)
    }
}
