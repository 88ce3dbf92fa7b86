//! The result of a run as an editor keeps it, with the values of the warp that it shows.

use std::sync::Arc;

use text_size::TextSize;
use warplens_sim::launch::Launch;
use warplens_sim::{
    Cancelled, Checks, Control, Limits, Progress, RunOptions, RunResult, Severity, StatementId, TraceRequest,
    Values, WarpId, Workers,
};

use crate::panel::{Recorder, Recording, SharedSink};
use crate::run::Prepared;
use crate::settle::Settled;
use crate::shown::Shown;

/// The options of a run that users set.
#[derive(Debug, Clone, Copy)]
pub struct RunSettings {
    /// The limit of warp instructions.
    pub max_steps: u64,
    /// The limit in megabytes of the trace and of shadow memory together.
    pub memory: u64,
    /// Records performance counters.
    pub counters: bool,
    /// Checks for data races, uninitialized reads and divisions by zero.
    pub checks: bool,
    /// Completes asynchronous operations at issue, instead of as late as the waits of the program allow.
    pub eager: bool,
    /// Records the final values of registers.
    pub registers: bool,
    /// The warp that is recorded even when the trace is truncated.
    pub warp: Option<WarpId>,
    /// Records no other warp than that.
    pub one_warp: bool,
}

impl Default for RunSettings {
    fn default() -> RunSettings {
        RunSettings {
            max_steps: Limits::default().max_steps,
            memory: Limits::RECORDS >> 20,
            counters: false,
            checks: true,
            eager: false,
            registers: false,
            warp: None,
            one_warp: false,
        }
    }
}

impl RunSettings {
    /// The options for the simulator.
    pub fn options(self) -> RunOptions {
        let limits = Limits { max_steps: self.max_steps, ..Limits::default() };
        RunOptions {
            limits: limits.with_records(self.memory.saturating_mul(1 << 20)),
            eager: self.eager,
            registers: self.registers,
            warp: self.warp,
            one_warp: self.one_warp,
            checks: if self.checks { Checks::ALL } else { Checks::default() },
            counters: self.counters,
            ..RunOptions::default()
        }
    }
}

/// The warp and the visit whose values are requested from a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WarpRequest {
    /// `None` for that of the first error, or else the first.
    warp: Option<WarpId>,
    /// See [`TraceRequest::until`].
    until: Option<(StatementId, u64)>,
}

/// The result of a run, and the values of one warp.
#[derive(Clone)]
pub struct Outcome {
    /// What was run: an inferred launch may have been repaired, and a model that nothing names may be another.
    settled: Settled,
    result: Arc<RunResult>,
    request: WarpRequest,
    /// The requested warp, or that of the first error.
    warp: WarpId,
    /// `None` when the run did not reach the warp.
    values: Option<Arc<Values>>,
    /// All steps of a warp, if they were recorded and fit.
    recorded: Option<(WarpId, Arc<Recording>)>,
    /// If it is only the beginning of the run, the warp instructions of that.
    beginning: Option<u64>,
}

impl Outcome {
    /// Whether the values are those of the request.
    pub fn answers(&self, request: WarpRequest) -> bool {
        self.request == request
    }

    /// Whether it is only the beginning of the run.
    pub fn is_partial(&self) -> bool {
        self.beginning.is_some()
    }

    /// The launch that was run: an inferred one may have been repaired.
    pub fn launch(&self) -> &Launch {
        self.settled.launch()
    }

    /// The run that was made, from the one that was prepared.
    pub(crate) fn prepared(&self, prepared: &Prepared) -> Prepared {
        let settled = prepared.with_settled(self.settled.clone());
        match self.beginning {
            Some(steps) => settled.up_to(steps),
            None => settled,
        }
    }

    /// Its result.
    pub(crate) fn result(&self) -> Arc<RunResult> {
        Arc::clone(&self.result)
    }

    /// All steps of a warp.
    pub(crate) fn recorded(&self) -> Option<(WarpId, Arc<Recording>)> {
        self.recorded.clone()
    }

    /// Whether the trace of a warp is recorded.
    pub fn has_trace(&self, warp: WarpId) -> bool {
        self.result.warp(warp.cta, warp.warp).is_some()
    }

    /// Whether the traces of some warps are not recorded.
    pub fn is_truncated(&self) -> bool {
        self.result.warps_truncated
    }
}

/// The code of the warning that a run has reached its limit.
const STEP_LIMIT: &str = "step-limit";

const FIRST_WARP: WarpId = WarpId { cta: [0; 3], warp: 0 };

impl WarpRequest {
    /// The warp whose values are requested from a run with this result.
    fn warp_of(self, result: &RunResult) -> WarpId {
        self.warp.or_else(|| warp_of_first_error(result)).unwrap_or(FIRST_WARP)
    }
}

/// The warp of the first error, if its trace is recorded.
fn warp_of_first_error(result: &RunResult) -> Option<WarpId> {
    let error = result.findings.iter().find(|finding| finding.severity == Severity::Error)?;
    result.warp(error.cta, error.warp)?;
    Some(WarpId { cta: error.cta, warp: error.warp })
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
        let sequential = Control { cancelled, progress: &progress, workers: None, steps: None };
        let (settled, result, recorded) = match known {
            Some(known) => (self.with_settled(known.settled), known.result, known.recorded),
            None => {
                let (settled, result) = self.settle(Control { workers: Some(workers), ..sequential })?;
                (settled, Arc::new(result), None)
            }
        };
        let warp = request.warp_of(&result);
        // The notes of the result are about the whole run.
        let notes = request.until.is_some() && !result.notes.is_empty();
        let trace = TraceRequest { until: request.until, notes, ..TraceRequest::at(warp) };
        let sink = SharedSink::new(warp, Recorder::default());
        let values = settled.look(trace, Control { steps: Some(&sink.steps), ..sequential })?.map(Arc::new);
        // A run that stops at a visit does not have all steps.
        let recorded = match request.until {
            None => sink.take().and_then(Recorder::finish).map(|steps| (warp, Arc::new(steps))),
            Some(_) => recorded.filter(|(recorded, _)| *recorded == warp),
        };
        let settled = settled.settled();
        Ok(Outcome { settled, result, request, warp, values, recorded, beginning: None })
    }

    /// The first `steps` warp instructions of a run that takes long, to be shown while it is in progress. `None` if they do not reach the
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
        // Those of an inferred launch are judged by the whole run.
        let is_inferred = self.guess.is_some();
        result.findings.retain(|finding| finding.code != STEP_LIMIT && !is_inferred);
        let warp = request.warp_of(&result);
        if result.warp(warp.cta, warp.warp).is_none() {
            return Ok(None);
        }
        let trace = TraceRequest { until: request.until, ..TraceRequest::at(warp) };
        let values = part.look(trace, control)?.map(Arc::new);
        let (settled, result, beginning) = (self.settled(), Arc::new(result), Some(steps));
        Ok(Some(Outcome { settled, result, request, warp, values, recorded: None, beginning }))
    }

    /// The same run, up to a number of warp instructions.
    fn up_to(&self, steps: u64) -> Prepared {
        let mut part = self.clone();
        part.options.limits.max_steps = steps.min(self.options.limits.max_steps);
        part
    }

    /// The request for the values of a warp (by default that of the first error, or else the first), at a visit of the statement
    /// at an offset (by default the last visit of each statement).
    pub fn warp_request(&self, warp: Option<WarpId>, visit: Option<(TextSize, u64)>) -> WarpRequest {
        let until = visit.and_then(|(offset, visit)| Some((self.statement_at(offset)?, visit)));
        WarpRequest { warp, until }
    }

    /// Whether the launch has a warp. An inferred one may have it after [`settle`](Prepared::settle).
    pub fn has_warp(&self, WarpId { cta, warp }: WarpId) -> bool {
        cta.iter().zip(self.grid()).all(|(at, size)| *at < size) && u64::from(warp) < self.warps()
    }

    /// Whether the run stopped at an error of the program.
    pub fn outcome_stopped_at_error(&self, outcome: &Outcome) -> bool {
        self.stopped_at_error(&outcome.result)
    }

    /// The outcome at the positions of the text for which the run was prepared.
    pub fn show_outcome(&self, outcome: &Outcome, warp: Option<WarpId>) -> Shown {
        let warp = Some(warp.unwrap_or(outcome.warp));
        let shown = outcome.prepared(self).show(Arc::clone(&outcome.result), warp);
        shown.with_values(outcome.values.clone(), outcome.request.until).of_partial(outcome.is_partial())
    }

    /// The trace of another warp, without values; `None` when it is not recorded.
    pub fn show_warp(&self, outcome: &Outcome, warp: WarpId) -> Option<Shown> {
        let settled = outcome.prepared(self);
        let show = || settled.show(Arc::clone(&outcome.result), Some(warp)).of_partial(outcome.is_partial());
        outcome.has_trace(warp).then(show)
    }
}
