//! The result of a run as an editor keeps it, with the values of the warp that it shows.

use std::sync::Arc;

use text_size::TextSize;
use warplens_sim_launch::{Launch, Resolved};
use warplens_sim_warp::{
    Cancelled, Control, FindingKind, Progress, RunResult, StatementId, TraceRequest, Values, WarpId, Workers,
};

use super::adjustments::Adjustments;
use super::prepared::Prepared;
use super::recording::{Recorder, Recording, SharedSink};
use crate::findings::Unexpected;

const FIRST_WARP: WarpId = WarpId { cta: [0; 3], warp: 0 };

/// The warp and the visit whose values are requested from a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WarpRequest {
    /// `None` for the warp of the first error, or else the first warp.
    warp: Option<WarpId>,
    /// See [`TraceRequest::until`].
    pub(crate) until: Option<(StatementId, u64)>,
}

impl WarpRequest {
    fn warp_of(self, result: &RunResult) -> WarpId {
        self.warp.or_else(|| warp_of_first_error(result)).unwrap_or(FIRST_WARP)
    }
}

/// The warp of the first error, if its trace is recorded.
fn warp_of_first_error(result: &RunResult) -> Option<WarpId> {
    let error = result.first_error()?;
    result.warp(error.cta, error.warp)?;
    Some(WarpId { cta: error.cta, warp: error.warp })
}

#[derive(Clone)]
pub struct Outcome {
    /// What actually ran: an inferred launch may have been repaired, and an unspecified model replaced.
    adjustments: Adjustments,
    pub result: Arc<RunResult>,
    pub(crate) request: WarpRequest,
    /// The requested warp, or that of the first error.
    pub(crate) warp: WarpId,
    /// `None` if the run did not reach the warp.
    pub(crate) values: Option<Arc<Values>>,
    /// The expectations of the launch that do not hold.
    pub(crate) unexpected: Arc<[Unexpected]>,
    /// All steps of a warp, if they were recorded and fit.
    pub(crate) recorded: Option<(WarpId, Arc<Recording>)>,
    /// The number of warp instructions, if this is only the beginning of the run.
    beginning: Option<u64>,
}

impl Outcome {
    pub fn answers(&self, request: WarpRequest) -> bool {
        self.request == request
    }

    pub fn is_partial(&self) -> bool {
        self.beginning.is_some()
    }

    /// The launch that was run: an inferred one may have been repaired.
    pub fn launch(&self) -> &Launch {
        self.adjustments.launch()
    }

    /// The run that was actually made, from the one that was prepared.
    pub fn prepared(&self, prepared: &Prepared) -> Prepared {
        let adjusted = prepared.adjusted(self.adjustments.clone());
        match self.beginning {
            Some(steps) => adjusted.up_to(steps),
            None => adjusted,
        }
    }

    /// About how many bytes this keeps with the run that was prepared: device memory before and after, traces, steps.
    pub fn held_bytes(&self, prepared: &Prepared) -> usize {
        let before = |resolved: &Resolved| resolved.config.memory.reserved_bytes();
        let steps = self.recorded.as_ref().map_or(0, |(_, recording)| recording.held_bytes());
        let adjusted = match self.adjustments.resolved() {
            own if Arc::ptr_eq(own, &prepared.resolved) => 0,
            other => before(other),
        };
        before(&prepared.resolved) + adjusted + self.result.held_bytes() + steps
    }

    pub fn has_trace(&self, warp: WarpId) -> bool {
        self.result.warp(warp.cta, warp.warp).is_some()
    }
}

impl Prepared {
    /// Runs, unless the result is `known`, and records the requested values. `progress` receives the executed warp
    /// instructions.
    pub fn execute(
        &self,
        known: Option<Outcome>,
        request: WarpRequest,
        cancelled: &(dyn Fn() -> bool + Sync),
        progress: &(dyn Fn(u64) + Sync),
        workers: &dyn Workers,
    ) -> Result<Outcome, Cancelled> {
        let progress = |now: Progress| progress(now.steps);
        let sequential = Control { cancelled, progress: &progress, workers: None, steps: None, tap: None };
        let (adjusted, result, unexpected, recorded) = match known {
            Some(known) => (self.adjusted(known.adjustments), known.result, known.unexpected, known.recorded),
            None => {
                let (adjusted, result) =
                    self.run_adjusted(Control { workers: Some(workers), ..sequential })?;
                let unexpected = adjusted.unexpected(&result, sequential)?.into();
                (adjusted, Arc::new(result), unexpected, None)
            }
        };
        let warp = request.warp_of(&result);
        // The notes of the result are about the whole run.
        let notes = request.until.is_some() && !result.notes.is_empty();
        let trace = TraceRequest { until: request.until, notes, ..TraceRequest::at(warp) };
        let sink = SharedSink::new(warp, Recorder::default());
        let values =
            adjusted.trace_warp(trace, Control { steps: Some(&sink.steps), ..sequential })?.map(Arc::new);
        // A run that stops at a visit does not have all steps.
        let recorded = match request.until {
            None => sink.take().and_then(Recorder::finish).map(|steps| (warp, Arc::new(steps))),
            Some(_) => recorded.filter(|(recorded, _)| *recorded == warp),
        };
        let adjustments = adjusted.adjustments();
        Ok(Outcome { adjustments, result, request, warp, values, unexpected, recorded, beginning: None })
    }

    /// The first `steps` warp instructions of a long run, to be shown while the run is in progress. `None` if they do not reach the
    /// requested warp.
    pub fn beginning(
        &self,
        steps: u64,
        request: WarpRequest,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Outcome>, Cancelled> {
        let control = Control { cancelled, ..Control::none() };
        let part = self.up_to(steps);
        let mut result = part.run(control)?;
        // Whether a finding is due to an inferred launch is only known after the whole run.
        let is_inferred = self.guess.is_some();
        result.findings.retain(|finding| finding.kind != FindingKind::StepLimit && !is_inferred);
        let warp = request.warp_of(&result);
        if result.warp(warp.cta, warp.warp).is_none() {
            return Ok(None);
        }
        let trace = TraceRequest { until: request.until, ..TraceRequest::at(warp) };
        let values = part.trace_warp(trace, control)?.map(Arc::new);
        let (adjustments, result, beginning) = (self.adjustments(), Arc::new(result), Some(steps));
        let unexpected = Arc::default();
        Ok(Some(Outcome {
            adjustments,
            result,
            request,
            warp,
            values,
            unexpected,
            recorded: None,
            beginning,
        }))
    }

    /// The same run, up to a number of warp instructions.
    fn up_to(&self, steps: u64) -> Prepared {
        let mut part = self.clone();
        part.options.limits.max_steps = steps.min(self.options.limits.max_steps);
        part
    }

    /// The launch of an outcome, for a file: the buffers of an inferred one end where its run does.
    pub fn launch_to_write(&self, outcome: &Outcome, control: Control<'_>) -> Result<Launch, Cancelled> {
        outcome.prepared(self).trimmed(control)
    }

    /// The launch for a file: the buffers of an inferred one end where its run does.
    pub fn trimmed(&self, control: Control<'_>) -> Result<Launch, Cancelled> {
        match &self.guess {
            Some(guess) => guess.trimmed(&self.resolved, &*self.program, &self.options, control),
            None => Ok(self.resolved.launch.clone()),
        }
    }

    /// The request for the values of a warp (by default that of the first error, or else the first), at a visit of the statement
    /// at an offset (by default the last visit of each statement).
    pub fn warp_request(&self, warp: Option<WarpId>, visit: Option<(TextSize, u64)>) -> WarpRequest {
        let until = visit.and_then(|(offset, visit)| Some((self.statement_at(offset)?, visit)));
        WarpRequest { warp, until }
    }
}
