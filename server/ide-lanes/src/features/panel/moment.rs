//! A moment of a warp: one of its steps, found by number or by statement and visit.

use serde::Serialize;
use warplens_sim_warp::{Control, Limits, Mask, Moment, RunOptions, StatementId, TraceRequest, WarpId};

use super::error::PanelError;
use super::history::{History, RangeVisitor};
use super::run::Panel;
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

/// The answer for a moment.
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

/// A step that was found.
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

impl Panel {
    /// The statement, the visit and the lanes of a moment.
    pub fn locate(
        &self,
        warp: WarpId,
        place: MomentRequest,
        at: Positions<'_>,
        control: Control<'_>,
    ) -> Result<Located, PanelError> {
        let width = self.width();
        let moment = self.find(warp, place, at, control)?.to_json(width, at);
        Ok(Located { cta: warp.cta, warp: warp.warp, width, moment })
    }

    /// Finds a moment of a warp.
    pub(crate) fn find(
        &self,
        warp: WarpId,
        place: MomentRequest,
        at: Positions<'_>,
        control: Control<'_>,
    ) -> Result<FoundStep, PanelError> {
        let history = self.history(warp, control)?;
        let statement = self.statement(&history, place, at, control)?;
        let Some(statement) = statement else {
            return Err(PanelError::Refused("the warp executed no statement on this line".to_owned()));
        };
        let wanted = match place {
            MomentRequest::Step(step) => WantedVisit::AtStep(step),
            MomentRequest::Line(_, Some(visit)) => WantedVisit::Number(visit),
            MomentRequest::Line(_, None) => WantedVisit::Last,
        };
        let locate = Locate { statement, wanted, visits: 0, found: None };
        let located = history.scan(0, locate, control)?;
        let Some((step, visit, active, executed)) = located.found else {
            let number = if let WantedVisit::Number(visit) = wanted { visit } else { 0 };
            return Err(PanelError::Refused(format!(
                "unknown visit {number}: the warp visited this line {} times",
                located.visits
            )));
        };
        let (statement, visits) = (StatementId(statement), located.visits);
        Ok(FoundStep { statement, step, visit, visits, active, executed })
    }

    /// The statement of a moment; `None` if the warp executed none on the line.
    fn statement(
        &self,
        history: &History,
        place: MomentRequest,
        at: Positions<'_>,
        control: Control<'_>,
    ) -> Result<Option<u32>, PanelError> {
        match place {
            MomentRequest::Step(step) => {
                let steps = history.summary.steps;
                if step >= steps {
                    return Err(PanelError::Refused(format!(
                        "step {step} does not exist: the warp has {steps} steps"
                    )));
                }
                let found = history.scan(step, StatementAt { step, statement: None }, control)?;
                Ok(found.statement)
            }
            MomentRequest::Line(line, _) => {
                let on_line = (0..self.prepared().statements.len() as u32)
                    .filter(|id| at(StatementId(*id)).is_some_and(|position| position.line == line));
                let on_line = Reached { statements: on_line.collect(), first: None };
                Ok(history.scan(0, on_line, control)?.first)
            }
        }
    }

    /// The statements of the first `max` steps of a warp, in order of execution.
    pub fn statements(&self, warp: WarpId, max: u64, control: Control<'_>) -> Result<Vec<u32>, PanelError> {
        let history = self.history(warp, control)?;
        Ok(history.scan(0, Statements { max, found: Vec::new() }, control)?.found)
    }

    /// The registers and the accesses of a step.
    pub(crate) fn moment(&self, warp: WarpId, step: u64, control: Control<'_>) -> Result<Moment, PanelError> {
        let request = TraceRequest { moment: Some(step), ..TraceRequest::at(warp) };
        let limits = Limits { max_warps: 0, ..self.prepared().options.limits };
        let options = RunOptions { limits, trace: Some(request), counters: true, ..RunOptions::default() };
        let control = Control { workers: None, ..control };
        let prepared = self.prepared();
        let result = prepared.program.trace(prepared.resolved.config.clone(), &options, control)?;
        let moment = result.values.and_then(|values| values.moment);
        moment.ok_or_else(|| {
            PanelError::Refused(format!(
                "the registers of step {step} are unknown: the step did not complete, or its language does not record them"
            ))
        })
    }
}

/// Collects the statements of the first steps.
struct Statements {
    max: u64,
    found: Vec<u32>,
}

impl RangeVisitor for Statements {
    fn range(&mut self, _: u64, range: &StepRange) -> bool {
        let more = self.max.saturating_sub(self.found.len() as u64) as usize;
        self.found.extend((range.first..range.end).take(more));
        (self.found.len() as u64) < self.max
    }
}

/// Finds the statement of a step.
struct StatementAt {
    step: u64,
    statement: Option<u32>,
}

impl RangeVisitor for StatementAt {
    fn range(&mut self, step: u64, range: &StepRange) -> bool {
        if (step..step + range.steps()).contains(&self.step) {
            self.statement = Some(range.first + (self.step - step) as u32);
        }
        self.statement.is_none()
    }
}

/// Finds the first statement of a list, in program order, that the warp executed.
struct Reached {
    /// In program order.
    statements: Vec<u32>,
    first: Option<u32>,
}

impl RangeVisitor for Reached {
    fn range(&mut self, _: u64, range: &StepRange) -> bool {
        let here = self.statements.iter().find(|id| range.contains(**id)).copied();
        self.first = here.into_iter().chain(self.first).min();
        self.first.is_none_or(|first| self.statements.first() != Some(&first)) && !self.statements.is_empty()
    }
}

#[derive(Debug, Clone, Copy)]
enum WantedVisit {
    AtStep(u64),
    /// The first is 1.
    Number(u64),
    Last,
}

/// Finds a visit of a statement, and counts all its visits.
struct Locate {
    statement: u32,
    wanted: WantedVisit,
    visits: u64,
    found: Option<(u64, u64, Mask, Mask)>,
}

impl RangeVisitor for Locate {
    fn range(&mut self, first: u64, range: &StepRange) -> bool {
        if !range.contains(self.statement) {
            return true;
        }
        self.visits += 1;
        let step = first + u64::from(self.statement - range.first);
        let is_wanted = match self.wanted {
            WantedVisit::AtStep(wanted) => wanted == step,
            WantedVisit::Number(wanted) => wanted == self.visits,
            // Each visit replaces the one before.
            WantedVisit::Last => true,
        };
        if is_wanted {
            self.found = Some((step, self.visits, range.active, range.executed));
        }
        true
    }
}
