//! Traces the values of a warp: the registers of each statement after its last visit, and on request after each visit.
//!
//! Only the traced warp of a run with a trace request has a tracer. The language reads its registers into
//! [`TracedValue`]s.

use crate::ids::{Mask, StatementId, WarpId};
use crate::moment::MomentTracer;
use crate::recording::WarpTap;
pub use crate::traced_value::{RegisterInfo, TracedValue};
use crate::values::{StackEntry, TraceRequest, TracedRegister, TracedVisit, Values};

/// The value trace of a warp.
#[derive(Clone, Debug)]
pub struct VisitTracer {
    /// Sends the visits to a recording instead of keeping them.
    pub tap: Option<WarpTap>,
    /// Records a single step instead of the visits.
    pub moment: Option<MomentTracer>,
    until: Option<(StatementId, u64)>,
    /// Indexed by statement.
    visits: Vec<Visit>,
    /// All visits in order of execution, if the request keeps them.
    steps: Option<Vec<Step>>,
    /// Bytes left for further values.
    budget: usize,
    truncated: bool,
    is_complete: bool,
}

/// The last visit of a statement.
#[derive(Clone, Debug, Default)]
struct Visit {
    count: u64,
    active: Mask,
    executed: Mask,
    /// One value for each register that the statement names; empty if over the budget.
    values: Vec<TracedValue>,
    stack: Option<Box<[StackEntry]>>,
    /// The index of the visit in `steps`, if steps are kept.
    step: usize,
}

fn ends_before(until: Option<(StatementId, u64)>, statement: StatementId, count: u64) -> bool {
    until.is_some_and(|(at, last)| at == statement && count >= last)
}

/// Bytes of a step without its values, as it is recorded and as it is returned.
const STEP_BYTES: usize = size_of::<Step>() + size_of::<TracedVisit>();

/// Bytes of a value without its lanes, as it is recorded and as it is returned, with what the allocator adds.
const VALUE_BYTES: usize = size_of::<TracedValue>() + size_of::<TracedRegister>() + 32;

/// One visit in order of execution.
#[derive(Clone, Debug)]
struct Step {
    statement: StatementId,
    visit: Visit,
}

impl VisitTracer {
    /// A tracer for a program with this number of statements.
    pub fn new(statements: usize, request: &TraceRequest) -> VisitTracer {
        VisitTracer {
            tap: None,
            moment: request.moment.map(MomentTracer::new),
            until: request.until,
            visits: vec![Visit::default(); statements],
            steps: request.steps.then(Vec::new),
            budget: request.max_bytes,
            truncated: false,
            is_complete: false,
        }
    }

    /// A tracer that sends the visits of a warp to a recording.
    pub fn recording(tap: WarpTap, warp: WarpId) -> VisitTracer {
        VisitTracer { tap: Some(tap), ..VisitTracer::new(0, &TraceRequest::at(warp)) }
    }

    /// Whether the visits go to a recording, so that the tracer has no values to return.
    pub fn is_recording(&self) -> bool {
        self.tap.is_some()
    }

    /// Whether the trace is complete.
    #[inline]
    pub fn is_complete(&self) -> bool {
        self.is_complete || self.moment.as_ref().is_some_and(MomentTracer::is_complete)
    }

    /// Whether the trace is complete once the warp reaches `statement`.
    #[inline]
    pub fn ends_before(&self, statement: StatementId) -> bool {
        let count = self.visits.get(statement.index()).map_or(0, |visit| visit.count);
        self.moment.is_none() && ends_before(self.until, statement, count)
    }

    /// Starts the record of a visit; returns `false` if the trace is complete.
    pub fn visit(
        &mut self,
        statement: StatementId,
        (active, executed): (Mask, Mask),
        stack: Option<Box<[StackEntry]>>,
    ) -> bool {
        if let Some(tap) = &mut self.tap {
            tap.visit(statement, (active, executed));
            return true;
        }
        let Some(visit) = self.visits.get_mut(statement.index()).filter(|_| !self.is_complete) else {
            return false;
        };
        if ends_before(self.until, statement, visit.count) {
            self.is_complete = true;
            return false;
        }
        visit.count += 1;
        (visit.active, visit.executed, visit.stack) = (active, executed, stack);
        if let Some(steps) = &mut self.steps {
            visit.step = steps.len();
            let visit = Visit { values: Vec::new(), ..visit.clone() };
            steps.push(Step { statement, visit });
        }
        true
    }

    /// Ends the record of the last visit of a statement by copying its values to its step. Called again when a call or
    /// a barrier completes.
    pub fn record(&mut self, statement: StatementId) {
        if let Some(tap) = &mut self.tap {
            return tap.send();
        }
        let Some(steps) = &mut self.steps else { return };
        let Some(visit) = self.visits.get(statement.index()).filter(|_| !self.is_complete) else { return };
        let Some(step) = steps.get_mut(visit.step).filter(|step| step.statement == statement) else { return };
        let lanes = |value: &TracedValue| size_of_val(&*value.low) + size_of_val(&*value.high);
        let bytes = |value: &TracedValue| VALUE_BYTES + lanes(value);
        let size = STEP_BYTES + visit.values.iter().map(bytes).sum::<usize>();
        match self.budget.checked_sub(size).filter(|_| !self.truncated) {
            Some(budget) => {
                self.budget = budget;
                step.visit.values.clone_from(&visit.values);
            }
            None => {
                steps.truncate(visit.step);
                (self.truncated, self.is_complete) = (true, true);
            }
        }
    }

    /// Like [`Self::record`], when a call or a barrier completes in some lanes.
    pub fn record_late(&mut self, statement: StatementId, lanes: Mask) {
        match &mut self.tap {
            Some(tap) => tap.send_late(statement, lanes),
            None => self.record(statement),
        }
    }

    /// The step that begins writes registers in other lanes than those that execute it.
    pub fn writes_in(&mut self, lanes: Mask) {
        self.tap.iter_mut().for_each(|tap| tap.writes_in(lanes));
    }

    /// The values of a statement with `registers` registers, which occupy `bytes`; empty if over the budget.
    pub fn values(&mut self, statement: StatementId, registers: usize, bytes: usize) -> &mut [TracedValue] {
        if let Some(tap) = &mut self.tap {
            return tap.values(registers);
        }
        let Some(visit) = self.visits.get_mut(statement.index()).filter(|_| !self.is_complete) else {
            return &mut [];
        };
        if visit.values.len() < registers {
            let Some(budget) = self.budget.checked_sub(bytes) else {
                self.truncated = true;
                return &mut [];
            };
            self.budget = budget;
            visit.values = vec![TracedValue::default(); registers];
        }
        &mut visit.values
    }

    /// Ends the trace. `describe` returns the registers of a statement in the order of its values.
    pub fn finish<I: IntoIterator<Item = RegisterInfo>>(self, describe: impl Fn(StatementId) -> I) -> Values {
        let traced = |statement: StatementId, visit: Visit, only_written: bool| {
            let registers = visit.values.into_iter().zip(describe(statement));
            let registers = registers.filter(|(_, info)| info.written || !only_written);
            TracedVisit {
                statement,
                visit: visit.count,
                active: visit.active,
                executed: visit.executed,
                registers: registers.map(TracedValue::register).collect(),
                stack: visit.stack,
            }
        };
        let (moment, stored_at) = self.moment.map_or((None, None), MomentTracer::finish);
        let visited = self.visits.into_iter().enumerate().filter(|(_, visit)| visit.count > 0);
        Values {
            visits: visited.map(|(index, visit)| traced(StatementId(index as u32), visit, false)).collect(),
            steps: self
                .steps
                .into_iter()
                .flatten()
                .map(|step| traced(step.statement, step.visit, true))
                .collect(),
            truncated: self.truncated,
            notes: None,
            moment,
            stored_at,
        }
    }
}
