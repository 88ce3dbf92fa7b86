//! The steps of a warp: kept while they fit, otherwise repeated by another run.

use std::sync::{Arc, Mutex, PoisonError};

use warplens_sim::{Control, Finding, Limits, Mask, RunOptions, StepSink, StepStream, WarpId, WarpSteps};

use super::blocks::Blocks;
use super::error::PanelError;
use super::summary::Summary;
use super::walk::{Visitor, Walk};
use crate::run::Prepared;

/// The most ranges of steps that are kept: 24 MB.
const MAX_RANGES: usize = 1 << 20;

/// Statements `first..end` with the same lanes, one after the other.
#[derive(Debug, Clone, Copy)]
struct Range {
    first: u32,
    end: u32,
    active: Mask,
    executed: Mask,
}

/// The ranges of a run as long as they fit.
#[derive(Debug, Default)]
struct Recording {
    ranges: Vec<Range>,
    is_full: bool,
}

impl StepSink for Recording {
    fn steps(&mut self, first: u32, end: u32, active: Mask, executed: Mask) {
        if let Some(last) = self.ranges.last_mut()
            && (last.end, last.active, last.executed) == (first, active, executed)
        {
            last.end = end;
        } else if self.ranges.len() < MAX_RANGES && !self.is_full {
            self.ranges.push(Range { first, end, active, executed });
        } else {
            self.is_full = true;
            self.ranges = Vec::new();
        }
    }
}

/// Two receivers of the same steps.
struct Both<A, B>(A, B);

impl<A: StepSink, B: StepSink> StepSink for Both<A, B> {
    fn steps(&mut self, first: u32, end: u32, active: Mask, executed: Mask) {
        self.0.steps(first, end, active, executed);
        self.1.steps(first, end, active, executed);
    }
}

/// The steps of a warp.
#[derive(Debug)]
pub(crate) struct History {
    /// What runs again.
    prepared: Prepared,
    blocks: Arc<Blocks>,
    warp: WarpId,
    /// `None` if they do not fit.
    ranges: Option<Vec<Range>>,
    pub(crate) summary: Summary,
}

impl History {
    /// Runs again to record the steps of a warp.
    pub(crate) fn record(
        prepared: &Prepared,
        blocks: Arc<Blocks>,
        findings: &[Finding],
        warp: WarpId,
        control: Control<'_>,
    ) -> Result<History, PanelError> {
        let of_warp = |finding: &&Finding| (finding.cta, finding.warp) == (warp.cta, warp.warp);
        let summary = Summary::new(Arc::clone(&blocks), findings.iter().filter(of_warp));
        let walk = Walk::new(Arc::clone(&blocks), summary);
        let Both(recording, walk) = stream(prepared, warp, Both(Recording::default(), walk), control)?;
        let steps = walk.taken();
        let ranges = (!recording.is_full).then_some(recording.ranges);
        let summary = walk.visitor.finish(steps);
        Ok(History { prepared: prepared.clone(), blocks, warp, ranges, summary })
    }

    pub(crate) fn warp(&self) -> WarpId {
        self.warp
    }

    /// Lets a visitor walk over the steps again.
    pub(crate) fn visit<V: Visitor + 'static>(
        &self,
        visitor: V,
        control: Control<'_>,
    ) -> Result<V, PanelError> {
        let mut walk = Walk::new(Arc::clone(&self.blocks), visitor);
        match &self.ranges {
            Some(ranges) => {
                let send = |range: &Range| walk.steps(range.first, range.end, range.active, range.executed);
                ranges.iter().for_each(send);
                Ok(walk.visitor)
            }
            None => Ok(stream(&self.prepared, self.warp, walk, control)?.visitor),
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
    let sink = Arc::new(Mutex::new(sink));
    let steps = WarpSteps { warp, stream: StepStream::new(Arc::clone(&sink)) };
    let limits = Limits { max_warps: 0, ..prepared.options.limits };
    let options = RunOptions { limits, ..RunOptions::default() };
    let control = Control { workers: None, steps: Some(&steps), ..control };
    prepared.program.trace(prepared.resolved.config.clone(), &options, control)?;
    drop(steps);
    match Arc::try_unwrap(sink) {
        Ok(sink) => Ok(sink.into_inner().unwrap_or_else(PoisonError::into_inner)),
        Err(_) => Err(PanelError::Refused("the run still records its steps".to_owned())),
    }
}
