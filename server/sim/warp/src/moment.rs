//! The registers of a warp around one step: the part of a tracer that is common to all languages.

use crate::ids::{Mask, StatementId};
use crate::trace::RegisterValues;
use crate::values::{LaneAccesses, Moment, Values};

/// Waits for a step of a warp.
#[derive(Clone, Debug)]
pub struct MomentTracer {
    /// The wanted step.
    step: u64,
    /// The number of the next step.
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

    /// Whether the next step is the wanted one.
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

    /// The accesses of the step.
    pub fn accesses(&mut self, accesses: Vec<LaneAccesses>) {
        self.accesses = accesses;
    }

    /// The step that is in progress stored to the watched byte.
    pub fn stored(&mut self) {
        self.stored_at = Some(self.next);
    }

    /// A step has ended. `registers` reads the registers.
    pub fn visited(
        &mut self,
        statement: StatementId,
        (active, executed): (Mask, Mask),
        registers: impl FnOnce() -> Vec<RegisterValues>,
    ) {
        if self.is_due() && !self.is_complete() {
            let after = registers();
            // Control operations do not change registers themselves.
            let before = self.before.take().unwrap_or_else(|| after.clone());
            let accesses = std::mem::take(&mut self.accesses);
            self.moment = Some(Moment { statement, active, executed, before, after, accesses });
        }
        self.next += 1;
    }

    pub fn finish(self, values: Values) -> Values {
        Values { moment: self.moment, stored_at: self.stored_at, ..values }
    }
}
