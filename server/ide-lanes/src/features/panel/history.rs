//! The steps of a warp: recorded while they fit, otherwise repeated by another run.

use std::ops::Range;
use std::sync::Arc;

use warplens_sim_warp::{Control, Finding, Mask, RunOptions, StepSink, WarpId};

use super::blocks::Blocks;
use super::error::PanelError;
use super::summary::StepSummary;
use super::walk::{Visitor, Walk};
use crate::run::{Prepared, Recorder, Recording, SharedSink, StepRange};

/// The steps of a warp.
#[derive(Debug)]
pub(crate) struct History {
    /// Runs again if the steps are not recorded.
    prepared: Prepared,
    blocks: Arc<Blocks>,
    warp: WarpId,
    /// `None` if it does not fit.
    recording: Option<Arc<Recording>>,
    pub(crate) summary: StepSummary,
}

impl History {
    /// From the steps that a run has recorded.
    pub(crate) fn recorded(
        prepared: &Prepared,
        blocks: Arc<Blocks>,
        findings: &[Finding],
        warp: WarpId,
        recording: Arc<Recording>,
    ) -> History {
        let mut walk = Walk::new(Arc::clone(&blocks), summary(&blocks, findings, warp));
        recording.ranges().for_each(|(_, range)| walk.range(&range));
        let summary = walk.visitor.finish(recording.steps());
        History { prepared: prepared.clone(), blocks, warp, recording: Some(recording), summary }
    }

    /// Runs again to record the steps of a warp.
    pub(crate) fn record(
        prepared: &Prepared,
        blocks: Arc<Blocks>,
        findings: &[Finding],
        warp: WarpId,
        control: Control<'_>,
    ) -> Result<History, PanelError> {
        let walk = Walk::new(Arc::clone(&blocks), summary(&blocks, findings, warp));
        let Both(recorder, walk) = stream(prepared, warp, Both(Recorder::default(), walk), control)?;
        let summary = walk.visitor.finish(walk.step);
        let recording = recorder.finish().map(Arc::new);
        Ok(History { prepared: prepared.clone(), blocks, warp, recording, summary })
    }

    pub(crate) fn warp(&self) -> WarpId {
        self.warp
    }

    /// Walks over some steps. Paths between blocks are found only within these steps.
    pub(crate) fn walk<V: Visitor + 'static>(
        &self,
        steps: Range<u64>,
        visitor: V,
        control: Control<'_>,
    ) -> Result<V, PanelError> {
        let blocks = Arc::clone(&self.blocks);
        let Some(recording) = &self.recording else {
            return Ok(stream(&self.prepared, self.warp, Walk::new(blocks, visitor), control)?.visitor);
        };
        let mut ranges = recording.ranges_from(steps.start).peekable();
        let first = ranges.peek().map_or(0, |(step, _)| *step);
        let mut walk = Walk::starting_at(first, blocks, visitor);
        ranges.take_while(|(step, _)| *step < steps.end).for_each(|(_, range)| walk.range(&range));
        Ok(walk.visitor)
    }

    /// Visits the ranges of steps with their first steps, beginning with the range that contains `from`, until `visit` returns
    /// false. Returns what the visits collected.
    pub(crate) fn scan<S: Send + 'static>(
        &self,
        from: u64,
        mut collected: S,
        mut visit: impl FnMut(&mut S, u64, &StepRange) -> bool + Send + 'static,
        control: Control<'_>,
    ) -> Result<S, PanelError> {
        let Some(recording) = &self.recording else {
            let scan = Scan { step: 0, needs_more: true, collected, visit };
            return Ok(stream(&self.prepared, self.warp, scan, control)?.collected);
        };
        let mut ranges = recording.ranges_from(from);
        while ranges.next().is_some_and(|(step, range)| visit(&mut collected, step, &range)) {}
        Ok(collected)
    }
}

/// The empty summary of a warp.
fn summary(blocks: &Arc<Blocks>, findings: &[Finding], warp: WarpId) -> StepSummary {
    let of_warp = |finding: &&Finding| (finding.cta, finding.warp) == (warp.cta, warp.warp);
    StepSummary::new(Arc::clone(blocks), findings.iter().filter(of_warp))
}

/// Sends steps to two receivers.
struct Both<A, B>(A, B);

impl<A: StepSink, B: StepSink> StepSink for Both<A, B> {
    fn steps(&mut self, first: u32, end: u32, active: Mask, executed: Mask) {
        self.0.steps(first, end, active, executed);
        self.1.steps(first, end, active, executed);
    }
}

/// Sends the ranges of a run's steps to `visit` while it needs more.
struct Scan<S, V> {
    step: u64,
    needs_more: bool,
    collected: S,
    visit: V,
}

impl<S: Send, V: FnMut(&mut S, u64, &StepRange) -> bool + Send> StepSink for Scan<S, V> {
    fn steps(&mut self, first: u32, end: u32, active: Mask, executed: Mask) {
        if self.needs_more {
            let range = StepRange { first, end, active, executed };
            self.needs_more = (self.visit)(&mut self.collected, self.step, &range);
            self.step += range.steps();
        }
    }
}

/// Runs again, and sends the steps of a warp to a sink.
fn stream<S: StepSink + 'static>(
    prepared: &Prepared,
    warp: WarpId,
    sink: S,
    control: Control<'_>,
) -> Result<S, PanelError> {
    let sink = SharedSink::new(warp, sink);
    let control = Control { workers: None, steps: Some(&sink.steps), ..control };
    prepared.again(RunOptions::default(), control)?;
    sink.take().ok_or_else(|| PanelError::Refused("the run still records its steps".to_owned()))
}
