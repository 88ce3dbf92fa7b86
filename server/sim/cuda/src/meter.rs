//! Counts what a statement costs beyond one step, so that steps bound the time of a run and a statement can be interrupted.
//!
//! Most statements do a bounded amount of work. Copies, fills, products and calls do as much as their operands say: they
//! count accesses here, and each [`ACCESSES_PER_STEP`] of them are charged as a step.

use warplens_sim_warp::finding_kind::FindingKind;

use crate::fault::{Fault, Result};
use crate::run_state::RunState;

/// Accesses that count as a step: a step with a few accesses in each lane costs no more.
pub const ACCESSES_PER_STEP: u64 = 256;

/// Accesses between two checks for cancellation: a few milliseconds.
const POLL_INTERVAL: u64 = 1 << 14;

pub struct Meter<'c> {
    /// Accesses that are not charged yet.
    accesses: u64,
    next_poll: u64,
    /// Accesses at which the run reaches its step limit.
    limit: u64,
    cancelled: &'c (dyn Fn() -> bool + Sync),
}

impl<'c> Meter<'c> {
    /// The meter of a run that may take this many further steps.
    pub fn new(steps: u64, cancelled: &'c (dyn Fn() -> bool + Sync)) -> Meter<'c> {
        let limit = steps.saturating_mul(ACCESSES_PER_STEP);
        Meter { accesses: 0, next_poll: POLL_INTERVAL, limit, cancelled }
    }

    /// Counts accesses of the running statement. Fails if the run must end within the statement, because it is cancelled or
    /// reaches its step limit: the statement is then abandoned.
    #[inline]
    pub fn count(&mut self, accesses: u64) -> Result {
        self.accesses = self.accesses.saturating_add(accesses);
        if self.accesses < self.next_poll { Ok(()) } else { self.poll() }
    }

    #[cold]
    fn poll(&mut self) -> Result {
        self.next_poll = self.accesses.saturating_add(POLL_INTERVAL);
        if self.accesses >= self.limit || (self.cancelled)() { Err(Fault::interrupted()) } else { Ok(()) }
    }

    /// Charges what was counted. Returns whether that was anything.
    #[inline(always)]
    pub fn charge(&mut self, state: &mut RunState) -> bool {
        if self.accesses < ACCESSES_PER_STEP {
            return false;
        }
        let steps = self.accesses / ACCESSES_PER_STEP;
        self.accesses %= ACCESSES_PER_STEP;
        self.next_poll = POLL_INTERVAL;
        self.limit = self.limit.saturating_sub(steps.saturating_mul(ACCESSES_PER_STEP));
        state.charge(steps);
        true
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
