//! Counts what statements cost beyond one step, so that steps bound the time of a run and a statement can be interrupted.
//!
//! Most statements do a bounded amount of work, which is that of a step. What grows with the lanes, elements and bytes that a
//! statement touches is counted here, and each [`WORK_PER_STEP`] of it is charged as a further step. [`work`](crate::work) has
//! the weights. The kind of a statement and its operands decide, not how it is executed.

use warplens_sim_warp::finding_kind::FindingKind;

use crate::fault::{Fault, Result};
use crate::run_state::RunState;
use crate::work::WORK_PER_STEP;

/// Work between two checks for cancellation: a few milliseconds.
const POLL_INTERVAL: u64 = 1 << 20;

pub struct Meter<'c> {
    /// Work that is not charged yet.
    work: u64,
    next_poll: u64,
    /// The work at which the run reaches its step limit.
    limit: u64,
    cancelled: &'c (dyn Fn() -> bool + Sync),
}

impl<'c> Meter<'c> {
    /// The meter of a run in this state. [`close`](Meter::close) it before another one is opened.
    pub fn new(state: &RunState, cancelled: &'c (dyn Fn() -> bool + Sync)) -> Meter<'c> {
        let limit = state.steps_left().saturating_mul(WORK_PER_STEP);
        Meter { work: state.uncharged, next_poll: POLL_INTERVAL, limit, cancelled }
    }

    /// Counts work of the running statement. Fails if the run must end within the statement, because it is cancelled or
    /// reaches its step limit: the statement is then abandoned.
    #[inline]
    pub fn count(&mut self, work: u64) -> Result {
        self.add(work);
        if self.work < self.next_poll { Ok(()) } else { self.poll() }
    }

    /// Counts work that is not interrupted.
    #[inline(always)]
    pub fn add(&mut self, work: u64) {
        self.work = self.work.saturating_add(work);
    }

    #[cold]
    fn poll(&mut self) -> Result {
        self.next_poll = self.work.saturating_add(POLL_INTERVAL);
        if self.work >= self.limit || (self.cancelled)() { Err(Fault::interrupted()) } else { Ok(()) }
    }

    /// Charges what was counted. Returns whether that was a step or more.
    #[inline(always)]
    pub fn charge(&mut self, state: &mut RunState) -> bool {
        if self.work < WORK_PER_STEP {
            return false;
        }
        let steps = self.work / WORK_PER_STEP;
        self.work %= WORK_PER_STEP;
        self.next_poll = POLL_INTERVAL;
        self.limit = self.limit.saturating_sub(steps.saturating_mul(WORK_PER_STEP));
        state.charge(steps);
        true
    }

    /// Charges what was counted, and leaves the rest to the next meter.
    pub fn close(mut self, state: &mut RunState) {
        self.charge(state);
        state.uncharged = self.work;
    }
}

impl Fault {
    /// The run ends within a statement. The run's owner finds out why.
    fn interrupted() -> Fault {
        Fault::new(FindingKind::StepLimit, "interrupted", 0)
    }

    pub fn is_interruption(&self) -> bool {
        self.kind == FindingKind::StepLimit
    }
}
