//! The visits of the running group that its warp has not recorded yet.

use warplens_sim_warp::record::Recorder;
use warplens_sim_warp::trace::StatementId;

/// Visits not recorded yet: all lanes of the group visited each instruction from `start` on.
pub struct Visits<'w> {
    pub recorder: &'w mut Recorder,
    /// The statement of instruction 0.
    pub first: u32,
    pub mask: u32,
    pub start: u32,
}

impl<'w> Visits<'w> {
    /// The lanes of `mask` start at the instruction `start`.
    pub fn new(recorder: &'w mut Recorder, first: u32, start: u32, mask: u32) -> Visits<'w> {
        Visits { recorder, first, mask, start }
    }

    /// The lanes of `mask` continue at `start`.
    #[inline(always)]
    pub fn continue_with(&mut self, mask: u32, start: u32) {
        (self.mask, self.start) = (mask, start);
    }

    /// Records the instructions before `pc`.
    #[inline(always)]
    pub fn up_to(&mut self, pc: u32) {
        let mask = self.mask.into();
        self.recorder.visit_run(self.first + self.start, self.first + pc, mask, mask);
        self.start = pc;
    }

    /// Records the instructions up to and including the one at `pc`, which only the lanes of `executed` execute.
    #[inline(always)]
    pub fn through(&mut self, pc: u32, executed: u32) {
        let (first, end) = (self.first + self.start, self.first + pc + 1);
        self.recorder.visit_some(first, end, self.mask.into(), executed.into());
        self.start = pc + 1;
    }

    /// The number of visits of the instruction at `pc`, including the current one.
    #[inline]
    pub fn number(&self, pc: u32) -> u64 {
        let recorded = self.recorder.visits_of(StatementId(self.first + pc));
        recorded + u64::from(pc >= self.start)
    }
}
