//! Where a client wants to stop: breakpoints on lines, functions and data, and findings.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use warplens_sim_warp::recording::{CellId, Event, Place, Space, State, Summary};
use warplens_sim_warp::{FindingKind, StatementId};

use crate::debuggee::{At, Facts, Visit};
use crate::expression::{Expression, ParseError};

/// A breakpoint on a statement.
pub(crate) struct Breakpoint {
    pub(crate) id: u64,
    pub(crate) statement: StatementId,
    pub(crate) condition: Option<Condition>,
    pub(crate) hits: Option<HitCondition>,
    /// Printed instead of a stop.
    pub(crate) log: Option<LogMessage>,
    pub(crate) is_function: bool,
}

/// A condition and its text, by which equal ones are told.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Condition {
    pub(crate) text: String,
    pub(crate) expression: Expression,
}

/// The breakpoints of a statement with the same condition, which is evaluated once for all of them.
pub(crate) struct Alike<'b> {
    condition: Option<&'b Condition>,
    breakpoints: Vec<&'b Breakpoint>,
}

/// Which hits of a breakpoint count, from 1 at the start of the launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HitCondition {
    At(u64),
    From(u64),
    After(u64),
    Before(u64),
    UpTo(u64),
    Every(u64),
}

impl HitCondition {
    /// Reads `3`, `= 3`, `== 3`, `>= 3`, `> 3`, `< 3`, `<= 3`, `% 3`.
    pub(crate) fn parse(text: &str) -> Result<HitCondition, String> {
        let text = text.trim();
        let digits = text.find(|character: char| character.is_ascii_digit()).unwrap_or(text.len());
        let (operator, number) = text.split_at(digits);
        let wrong = || format!("`{text}` is not a hit condition; expected one such as `3`, `>= 3` or `% 3`");
        let number = number.trim().parse().map_err(|_| wrong())?;
        Ok(match operator.trim() {
            "" | "=" | "==" => HitCondition::At(number),
            ">=" => HitCondition::From(number),
            ">" => HitCondition::After(number),
            "<" => HitCondition::Before(number),
            "<=" => HitCondition::UpTo(number),
            "%" if number != 0 => HitCondition::Every(number),
            _ => return Err(wrong()),
        })
    }

    pub(crate) fn holds(self, hit: u64) -> bool {
        match self {
            HitCondition::At(number) => hit == number,
            HitCondition::From(number) => hit >= number,
            HitCondition::After(number) => hit > number,
            HitCondition::Before(number) => hit < number,
            HitCondition::UpTo(number) => hit <= number,
            HitCondition::Every(number) => hit.is_multiple_of(number),
        }
    }
}

/// A text with expressions in braces.
pub(crate) struct LogMessage {
    /// Texts, and the expressions after them.
    parts: Vec<(String, Option<Expression>)>,
}

impl LogMessage {
    pub(crate) fn parse(text: &str) -> Result<LogMessage, ParseError> {
        let (mut parts, mut rest, mut at) = (Vec::new(), text, 0);
        while let Some((before, after)) = rest.split_once('{') {
            let offset = at + before.len() + 1;
            let Some((inner, left)) = after.split_once('}') else {
                return Err(ParseError { offset, message: "expected `}`, found the end".to_owned() });
            };
            let expression = Expression::parse(inner)
                .map_err(|error| ParseError { offset: offset + error.offset, ..error })?;
            parts.push((before.to_owned(), Some(expression)));
            at = offset + inner.len() + 1;
            rest = left;
        }
        parts.push((rest.to_owned(), None));
        Ok(LogMessage { parts })
    }

    pub(crate) fn render(&self, at: &At<'_>, show: impl Fn(&Expression, &At<'_>) -> String) -> String {
        let mut text = String::new();
        for (before, expression) in &self.parts {
            text.push_str(before);
            if let Some(expression) = expression {
                text.push_str(&show(expression, at));
            }
        }
        text
    }

    fn needs_visit(&self) -> bool {
        self.parts.iter().any(|(_, part)| part.as_ref().is_some_and(Expression::needs_visit))
    }
}

/// What a data breakpoint watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Watched {
    /// A register of a warp, in a lane or in all.
    Register {
        warp: u32,
        lane: Option<u32>,
        cell: CellId,
    },
    Bytes {
        space: Space,
        owner: u64,
        address: u64,
        len: u64,
    },
}

pub(crate) struct DataBreakpoint {
    pub(crate) id: u64,
    pub(crate) watched: Watched,
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    pub(crate) condition: Option<Expression>,
}

impl DataBreakpoint {
    /// Whether steps with a summary may access what is watched. Nothing is known about reads of memory.
    fn may_be_in(&self, summary: &Summary) -> bool {
        match self.watched {
            Watched::Register { warp, cell, .. } => {
                let written = Place::Register { warp, lane: 0, cell };
                self.writes && summary.may_write(written) || self.reads && summary.has_warp(warp)
            }
            Watched::Bytes { .. } if self.reads => true,
            Watched::Bytes { space, owner, address, len } => {
                summary.may_write_bytes((space, owner, address), len)
            }
        }
    }

    /// Whether an event accesses what is watched.
    fn is_hit(&self, event: &Event<'_>, facts: &Facts) -> bool {
        match self.watched {
            Watched::Register { warp, lane, cell } => {
                if event.warp != warp {
                    return false;
                }
                let lanes = lane.map_or(u64::MAX, |lane| 1 << lane);
                let writes = || {
                    let found = event.writes().into_iter().find(|write| write.cell == cell);
                    found.is_some_and(|write| write.low.lanes & lanes != 0)
                };
                let reads = || {
                    let name = &facts.layout.get(cell).name;
                    let both = || facts.prepared.program.reads(event.statement).contains(name);
                    let mut named = facts.layout.registers(event.statement);
                    let activation = facts.layout.at_depth(facts.layout.base(cell), event.depth);
                    activation == cell
                        && named
                            .any(|(other, written)| other == facts.layout.base(cell) && (!written || both()))
                };
                self.writes && event.may_write(cell, &facts.layout) && writes()
                    || self.reads && !event.is_late && event.executed & lanes != 0 && reads()
            }
            Watched::Bytes { space, owner, address, len } => {
                event.has_accesses()
                    && event.accesses().iter().any(|access| {
                        let is_wanted = self.writes && access.writes || self.reads && access.reads;
                        let overlaps = |lane: u32, at: u64| {
                            access.owner_of(event.warp, lane) == owner
                                && at < address.saturating_add(len)
                                && address < at.saturating_add(access.bytes)
                        };
                        is_wanted
                            && access.space == space
                            && access.lanes.iter().any(|(lane, at)| overlaps(*lane, *at))
                    })
            }
        }
    }
}

/// A finding of the run, at the step where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FindingStep {
    /// Its index in the result.
    pub(crate) index: usize,
    pub(crate) kind: FindingKind,
}

/// Why the launch stops at a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stop {
    pub(crate) position: u64,
    pub(crate) warp: u32,
    pub(crate) reason: Reason,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reason {
    Breakpoint(Vec<u64>),
    Function(Vec<u64>),
    Data(Vec<u64>),
    Finding(usize),
    Pause,
    /// The first step or the end of the launch.
    End,
}

/// Which exceptions stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Filters {
    All,
    Kinds(Vec<String>),
}

pub(crate) struct Stops {
    pub(crate) lines: Vec<Breakpoint>,
    pub(crate) functions: Vec<Breakpoint>,
    pub(crate) data: Vec<DataBreakpoint>,
    pub(crate) filters: Filters,
    pub(crate) findings: FxHashMap<u64, Vec<FindingStep>>,
    /// The steps of each breakpoint with a hit condition at which it stops.
    pub(crate) hits: FxHashMap<u64, FxHashSet<u64>>,
    /// The visits of statements with breakpoints that need their numbers, in order, by warp and statement.
    pub(crate) visits: FxHashMap<(u32, StatementId), Vec<u64>>,
}

impl Stops {
    fn breakpoints(&self) -> impl Iterator<Item = &Breakpoint> {
        self.lines.iter().chain(&self.functions)
    }

    /// The breakpoints of each statement.
    pub(crate) fn by_statement(&self) -> FxHashMap<StatementId, Vec<Alike<'_>>> {
        let mut groups: FxHashMap<(StatementId, Option<&str>), Alike<'_>> = FxHashMap::default();
        for breakpoint in self.breakpoints() {
            let condition = breakpoint.condition.as_ref();
            let key = (breakpoint.statement, condition.map(|condition| condition.text.as_str()));
            let new = || Alike { condition, breakpoints: Vec::new() };
            groups.entry(key).or_insert_with(new).breakpoints.push(breakpoint);
        }
        let mut found: FxHashMap<_, Vec<_>> = FxHashMap::default();
        for ((statement, _), alike) in groups {
            found.entry(statement).or_default().push(alike);
        }
        found
    }

    /// Whether there may be a stop at steps with a summary.
    pub(crate) fn may_be_in(
        &self,
        by_statement: &FxHashMap<StatementId, Vec<Alike<'_>>>,
        steps: Range<u64>,
        summary: &Summary,
    ) -> bool {
        by_statement.keys().any(|statement| summary.visits(*statement))
            || self.data.iter().any(|data| data.may_be_in(summary))
            || self.findings.keys().any(|step| steps.contains(step))
    }

    /// Whether the state before a step decides whether to stop.
    pub(crate) fn needs_state(&self) -> bool {
        self.breakpoints().any(|breakpoint| breakpoint.condition.is_some() || breakpoint.log.is_some())
            || self.data.iter().any(|data| data.condition.is_some())
    }

    /// The statements whose visits have to be numbered.
    pub(crate) fn numbered(&self) -> FxHashSet<StatementId> {
        let needs = |breakpoint: &&Breakpoint| {
            breakpoint.condition.as_ref().is_some_and(|condition| condition.expression.needs_visit())
                || breakpoint.log.as_ref().is_some_and(LogMessage::needs_visit)
        };
        self.breakpoints().filter(needs).map(|breakpoint| breakpoint.statement).collect()
    }

    pub(crate) fn at<'d>(&self, event: &Event<'_>, state: &'d State, facts: &'d Facts) -> At<'d> {
        let visits = self.visits.get(&(event.warp, event.statement));
        let visit = visits.map(|steps| steps.partition_point(|step| *step <= event.step) as u64);
        At {
            facts,
            state,
            step: event.step,
            warp: event.warp,
            activation: facts.activation(Visit::of(event)),
            active: event.active,
            executed: event.executed,
            visit,
        }
    }

    /// Whether the condition of a breakpoint holds. One that cannot be evaluated holds: a stop shows the problem.
    fn satisfied(&self, condition: Option<&Expression>, at: &At<'_>) -> bool {
        condition.is_none_or(|condition| condition.holds(at).unwrap_or(true))
    }

    /// Whether a breakpoint is hit at an event, apart from its hit condition.
    pub(crate) fn is_hit(
        &self,
        breakpoint: &Breakpoint,
        event: &Event<'_>,
        state: &State,
        facts: &Facts,
    ) -> bool {
        let condition = breakpoint.condition.as_ref().map(|condition| &condition.expression);
        self.satisfied(condition, &self.at(event, state, facts))
    }

    /// The reason to stop before a step.
    pub(crate) fn before(
        &self,
        event: &Event<'_>,
        state: &State,
        facts: &Facts,
        by_statement: &FxHashMap<StatementId, Vec<Alike<'_>>>,
        log: &mut dyn FnMut(&LogMessage, &At<'_>, StatementId),
    ) -> Option<Reason> {
        let (mut lines, mut functions) = (Vec::new(), Vec::new());
        for alike in by_statement.get(&event.statement).into_iter().flatten() {
            let condition = alike.condition.map(|condition| &condition.expression);
            if !self.satisfied(condition, &self.at(event, state, facts)) {
                continue;
            }
            let counts = |breakpoint: &&&Breakpoint| {
                self.hits.get(&breakpoint.id).is_none_or(|steps| steps.contains(&event.step))
            };
            for breakpoint in alike.breakpoints.iter().filter(counts) {
                match &breakpoint.log {
                    Some(message) => log(message, &self.at(event, state, facts), event.statement),
                    None if breakpoint.is_function => functions.push(breakpoint.id),
                    None => lines.push(breakpoint.id),
                }
            }
        }
        lines.sort_unstable();
        let finding =
            self.findings.get(&event.step).into_iter().flatten().find(|finding| match &self.filters {
                Filters::All => true,
                Filters::Kinds(kinds) => kinds.iter().any(|kind| kind == finding.kind.name()),
            });
        match finding {
            Some(finding) => Some(Reason::Finding(finding.index)),
            None if !lines.is_empty() => Some(Reason::Breakpoint(lines)),
            None if !functions.is_empty() => Some(Reason::Function(functions)),
            None => None,
        }
    }

    /// The data breakpoints that an event hits.
    pub(crate) fn data(&self, event: &Event<'_>, state: &State, facts: &Facts) -> Option<Reason> {
        let is_hit = |data: &&DataBreakpoint| {
            data.is_hit(event, facts)
                && self.satisfied(data.condition.as_ref(), &self.at(event, state, facts))
        };
        let hit: Vec<u64> = self.data.iter().filter(is_hit).map(|data| data.id).collect();
        (!hit.is_empty()).then_some(Reason::Data(hit))
    }
}
