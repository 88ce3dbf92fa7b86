//! Captures the registers of a warp before and after one step; shared by the tracers of all languages.

use crate::ids::{Mask, StatementId};
use crate::trace::RegisterValues;
use crate::values::{LaneAccesses, Moment};

/// Waits for one step of a warp.
#[derive(Clone, Debug)]
pub struct MomentTracer {
    /// The index of the requested step.
    step: u64,
    /// The index of the next step.
    next: u64,
    before: Option<Vec<RegisterValues>>,
    accesses: Vec<LaneAccesses>,
    moment: Option<Moment>,
    stored_at: Option<u64>,
}

impl MomentTracer {
    pub fn new(step: u64) -> MomentTracer {
        MomentTracer { step, next: 0, before: None, accesses: Vec::new(), moment: None, stored_at: None }
    }

    /// Whether the next step is the requested one.
    pub fn is_due(&self) -> bool {
        self.next == self.step
    }

    /// Whether the step was recorded.
    pub fn is_complete(&self) -> bool {
        self.moment.is_some()
    }

    /// The registers before the step.
    pub fn before(&mut self, registers: Vec<RegisterValues>) {
        self.before = Some(registers);
    }

    pub fn accesses(&mut self, accesses: Vec<LaneAccesses>) {
        self.accesses = accesses;
    }

    /// The current step stored to the watched byte.
    pub fn stored(&mut self) {
        self.stored_at = Some(self.next);
    }

    /// A step has ended. `registers` reads the registers after it.
    pub fn visited(
        &mut self,
        statement: StatementId,
        (active, executed): (Mask, Mask),
        registers: impl FnOnce() -> Vec<RegisterValues>,
    ) {
        if self.is_due() && !self.is_complete() {
            let after = registers();
            // Control operations do not change registers, so nothing was recorded before the step.
            let before = self.before.take().unwrap_or_else(|| after.clone());
            let accesses = std::mem::take(&mut self.accesses);
            self.moment = Some(Moment { statement, active, executed, before, after, accesses });
        }
        self.next += 1;
    }

    pub(crate) fn finish(self) -> (Option<Moment>, Option<u64>) {
        (self.moment, self.stored_at)
    }
}
