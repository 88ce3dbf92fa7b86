//! The visits of the running group that its warp has not recorded yet.

use crate::ptx::engine::divergence::group::Group;
use crate::record::Recorder;
use crate::trace::StatementId;

/// Visits that are not recorded yet: of the instructions from `start` on, each by all lanes of the group.
pub(super) struct Visits<'w> {
    pub(super) recorder: &'w mut Recorder,
    /// The function's first statement.
    pub(super) first: u32,
    pub(super) mask: u32,
    pub(super) start: u32,
}

impl Visits<'_> {
    /// Switches to another group.
    #[inline(always)]
    pub(super) fn begin(&mut self, group: &Group) {
        (self.mask, self.start) = (group.mask, group.pc);
    }

    /// The group's lanes of `mask` run from `start` on.
    #[inline(always)]
    pub(super) fn continue_with(&mut self, mask: u32, start: u32) {
        (self.mask, self.start) = (mask, start);
    }

    /// Records the instructions before `pc`.
    #[inline(always)]
    pub(super) fn up_to(&mut self, pc: u32) {
        let mask = self.mask.into();
        self.recorder.visit_run(self.first + self.start, self.first + pc, mask, mask);
        self.start = pc;
    }

    /// The number of visits of the instruction at `pc`, up to the present one.
    pub(super) fn number(&self, pc: u32) -> u64 {
        let recorded = self.recorder.visits_of(StatementId(self.first + pc));
        recorded + u64::from(pc >= self.start)
    }

    /// Records the instructions before `pc`, and the visit of `pc`, which only some lanes execute.
    #[inline(always)]
    pub(super) fn of_some(&mut self, pc: u32, executed: u32) {
        self.up_to(pc);
        let statement = self.first + pc;
        self.recorder.visit_run(statement, statement + 1, self.mask.into(), executed.into());
        self.start = pc + 1;
    }
}
