//! A moment of a warp: one of its steps, found by number or by statement and visit.

use serde::Serialize;
use warplens_sim_warp::{Control, Mask, Moment, RunOptions, StatementId, TraceRequest};

use super::error::PanelError;
use super::history::History;
use super::run::PanelQuery;
use crate::json::{Position, Positions, hex};
use crate::run::StepRange;

/// A moment as a client names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MomentRequest {
    /// The step of the warp; the first is 0.
    Step(u64),
    /// A visit, from 1, of the first statement on a line that the warp executed; by default the last visit.
    Line(u32, Option<u64>),
}

#[derive(Debug, Serialize)]
pub struct Located {
    cta: [u32; 3],
    warp: u32,
    width: u32,
    /// `None` if the statement was removed from the text.
    #[serde(flatten)]
    moment: Option<JsonMoment>,
}

/// A step of a warp.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Step"))]
pub(crate) struct JsonMoment {
    pub(crate) step: u64,
    pub(crate) line: u32,
    pub(crate) character: u32,
    /// The number of the visit.
    pub(crate) visit: u64,
    /// How often the warp visited the statement.
    pub(crate) visits: u64,
    pub(crate) active: String,
    pub(crate) executed: String,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct FoundStep {
    pub(crate) statement: StatementId,
    pub(crate) step: u64,
    pub(crate) visit: u64,
    pub(crate) visits: u64,
    active: Mask,
    executed: Mask,
}

impl FoundStep {
    pub(crate) fn to_json(self, width: u32, at: Positions<'_>) -> Option<JsonMoment> {
        let Position { line, character } = at(self.statement)?;
        let FoundStep { step, visit, visits, .. } = self;
        let (active, executed) = (hex(self.active, width), hex(self.executed, width));
        Some(JsonMoment { step, line, character, visit, visits, active, executed })
    }
}

impl PanelQuery<'_> {
    /// The statement, the visit and the lanes of a moment.
    pub fn locate(&self, place: MomentRequest) -> Result<Located, PanelError> {
        let width = self.width();
        let moment = self.find(place)?.to_json(width, self.at);
        Ok(Located { cta: self.warp.cta, warp: self.warp.warp, width, moment })
    }

    pub(super) fn find(&self, place: MomentRequest) -> Result<FoundStep, PanelError> {
        let history = self.history()?;
        let Some(statement) = self.statement(&history, place)? else {
            return Err(PanelError::Refused("the warp executed no statement on this line".to_owned()));
        };
        let locate = move |(visits, found): &mut (u64, Option<_>), first: u64, range: &StepRange| {
            if range.contains(statement) {
                *visits += 1;
                let step = first + u64::from(statement - range.first);
                let is_wanted = match place {
                    MomentRequest::Step(wanted) => wanted == step,
                    MomentRequest::Line(_, Some(wanted)) => wanted == *visits,
                    // Each visit replaces the one before.
                    MomentRequest::Line(_, None) => true,
                };
                if is_wanted {
                    *found = Some((step, *visits, range.active, range.executed));
                }
            }
            true
        };
        let (visits, found) = history.scan(0, (0, None), locate, self.control)?;
        let Some((step, visit, active, executed)) = found else {
            let number = if let MomentRequest::Line(_, Some(visit)) = place { visit } else { 0 };
            return Err(PanelError::Refused(format!(
                "unknown visit {number}: the warp visited this line {visits} times"
            )));
        };
        Ok(FoundStep { statement: StatementId(statement), step, visit, visits, active, executed })
    }

    /// The statement of a moment; `None` if the warp executed none on the line.
    fn statement(&self, history: &History, place: MomentRequest) -> Result<Option<u32>, PanelError> {
        match place {
            MomentRequest::Step(step) => {
                let steps = history.summary.steps;
                if step >= steps {
                    return Err(PanelError::Refused(format!(
                        "step {step} does not exist: the warp has {steps} steps"
                    )));
                }
                let at_step = move |found: &mut Option<u32>, first: u64, range: &StepRange| {
                    let is_here = (first..first + range.steps()).contains(&step);
                    *found = is_here.then(|| range.first + (step - first) as u32);
                    !is_here
                };
                history.scan(step, None, at_step, self.control)
            }
            MomentRequest::Line(line, _) => {
                let is_on_line = |id: &u32| (self.at)(StatementId(*id)).is_some_and(|at| at.line == line);
                let count = self.panel.prepared.statements.len() as u32;
                let on_line: Vec<u32> = (0..count).filter(is_on_line).collect();
                let Some(earliest) = on_line.first().copied() else { return Ok(None) };
                let first_executed = move |first: &mut Option<u32>, _: u64, range: &StepRange| {
                    let here = on_line.iter().find(|id| range.contains(**id)).copied();
                    *first = here.into_iter().chain(*first).min();
                    *first != Some(earliest)
                };
                history.scan(0, None, first_executed, self.control)
            }
        }
    }

    /// The statements of the first `max` steps, in order of execution.
    pub fn statements(&self, max: u64) -> Result<Vec<u32>, PanelError> {
        let collect = move |found: &mut Vec<u32>, _: u64, range: &StepRange| {
            let more = max.saturating_sub(found.len() as u64) as usize;
            found.extend((range.first..range.end).take(more));
            (found.len() as u64) < max
        };
        self.history()?.scan(0, Vec::new(), collect, self.control)
    }

    /// The registers and the accesses of a step.
    pub(super) fn moment(&self, step: u64) -> Result<Moment, PanelError> {
        let request = TraceRequest { moment: Some(step), ..TraceRequest::at(self.warp) };
        let options = RunOptions { trace: Some(request), counters: true, ..RunOptions::default() };
        let control = Control { workers: None, ..self.control };
        let result = self.panel.prepared.again(options, control)?;
        let moment = result.values.and_then(|values| values.moment);
        moment.ok_or_else(|| {
            PanelError::Refused(format!(
                "the registers of step {step} are unknown: the step did not complete, or its language does not record them"
            ))
        })
    }
}
