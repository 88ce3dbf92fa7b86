//! Moves of the position: by statements of a warp, and to the next stop.

use std::ops::{ControlFlow, Range};

use rustc_hash::FxHashMap;
use warplens_ide_lanes::Search;
use warplens_sim_warp::recording::{State, Summary};
use warplens_sim_warp::{Cancelled, Control, StatementId};

use crate::debuggee::{At, Debuggee, Facts, Visit};
use crate::stops::{FindingStep, LogMessage, Reason, Stop, Stops};

/// How a step treats calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    Over,
    Into,
    Out,
}

/// What one step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Statement,
    Line,
}

impl Facts {
    pub(crate) fn is_call(&self, statement: StatementId) -> bool {
        let opcode = self.opcode(statement);
        opcode.split('.').next().is_some_and(|word| word.eq_ignore_ascii_case("call"))
    }

    pub(crate) fn is_return(&self, statement: StatementId) -> bool {
        matches!(self.opcode(statement).split('.').next(), Some("ret" | "RET" | "return"))
    }
}

impl Debuggee {
    /// Whether a step by lines does not stop between two statements that a warp visits one after the other.
    fn are_one_line(&self, earlier: StatementId, later: StatementId) -> bool {
        self.line(earlier) == self.line(later) && earlier.0 < later.0
    }

    /// The position after a step of a warp forwards.
    pub(crate) fn step_forward(
        &mut self,
        warp: u32,
        depth: Depth,
        unit: Unit,
        control: Control<'_>,
    ) -> Result<u64, Cancelled> {
        let Some(mut here) = self.next_of(warp, self.position, control)? else { return Ok(self.position) };
        loop {
            let next = match depth {
                Depth::Out => self.leave(here, control)?,
                Depth::Over if self.is_call(here.statement) && here.executed != 0 => {
                    self.after_call(here, control)?
                }
                Depth::Over | Depth::Into => self.next_of(warp, here.step + 1, control)?,
            };
            let Some(next) = next else {
                // One past the last statement of the warp.
                let last = self.previous_of(warp, self.steps(), control)?;
                return Ok(last.map_or(self.position, |last| last.step + 1));
            };
            let goes_on = unit == Unit::Line && depth != Depth::Out;
            if !goes_on || !self.are_one_line(here.statement, next.statement) {
                return Ok(next.step);
            }
            here = next;
        }
    }

    /// The position after a step of a warp backwards.
    pub(crate) fn step_back(
        &mut self,
        warp: u32,
        depth: Depth,
        unit: Unit,
        control: Control<'_>,
    ) -> Result<u64, Cancelled> {
        let mut before = self.position;
        let here = self.next_of(warp, before, control)?;
        if let Some(here) = here.filter(|_| depth == Depth::Out) {
            return Ok(self.call_of(here, before, control)?.map_or(0, |call| call.step));
        }
        let mut at = here;
        let mut later: Option<Visit> = None;
        loop {
            let Some(mut previous) = self.previous_of(warp, before, control)? else {
                let first = self.next_of(warp, 0, control)?;
                return Ok(first.map_or(0, |first| first.step.min(self.position)));
            };
            if depth == Depth::Over
                && let Some(at) = at
                && let Some(call) = at.statement.0.checked_sub(1).map(StatementId)
                && self.is_call(call)
                && previous.statement != call
            {
                let lanes = at.active;
                let found = self.replay.backward_of(warp, previous.step, control, |event| {
                    let is_it = event.statement == call && event.executed & lanes != 0;
                    is_it.then(|| Visit::of(event))
                })?;
                previous = found.unwrap_or(previous);
            }
            if unit == Unit::Statement {
                return Ok(previous.step);
            }
            // The first statement of the line, as long as it was reached from within the line.
            if let Some(later) = later.replace(previous)
                && !self.are_one_line(previous.statement, later.statement)
            {
                return Ok(later.step);
            }
            (before, at) = (previous.step, Some(previous));
        }
    }

    /// The statement after a call, once lanes that called are there.
    fn after_call(&mut self, call: Visit, control: Control<'_>) -> Result<Option<Visit>, Cancelled> {
        let (back, lanes) = (StatementId(call.statement.0 + 1), call.executed);
        let found = self.find_next(call.warp, call.step + 1, control, |event| {
            event.statement == back && event.active & lanes != 0
        })?;
        match found {
            Some(found) => Ok(Some(found)),
            None => self.next_of(call.warp, call.step + 1, control),
        }
    }

    /// The first statement of a warp after it has left the function that it is in.
    fn leave(&mut self, here: Visit, control: Control<'_>) -> Result<Option<Visit>, Cancelled> {
        let mut depth = 0_i64;
        let mut at = Some(here);
        while let Some(visit) = at {
            if self.is_return(visit.statement) && visit.executed & here.active != 0 {
                if depth == 0 {
                    return self.next_of(here.warp, visit.step + 1, control);
                }
                depth -= 1;
            }
            let next = self.next_of(here.warp, visit.step + 1, control)?;
            let enters = next.is_some_and(|next| next.statement.0 != visit.statement.0 + 1);
            if self.is_call(visit.statement) && visit.executed & here.active != 0 && enters {
                depth += 1;
            }
            at = next;
        }
        Ok(None)
    }

    /// The call of the function that a warp is in.
    pub(crate) fn call_of(
        &mut self,
        here: Visit,
        before: u64,
        control: Control<'_>,
    ) -> Result<Option<Visit>, Cancelled> {
        let (mut depth, mut before) = (0_i64, before);
        let mut after = here;
        while let Some(visit) = self.previous_of(here.warp, before, control)? {
            let is_ours = visit.executed & here.active != 0;
            if self.is_return(visit.statement) && is_ours {
                depth += 1;
            }
            let enters = after.statement.0 != visit.statement.0 + 1;
            if self.is_call(visit.statement) && is_ours && enters {
                if depth == 0 {
                    return Ok(Some(visit));
                }
                depth -= 1;
            }
            (before, after) = (visit.step, visit);
        }
        Ok(None)
    }

    /// The next stop in a direction. `log` receives the messages of log points on the way.
    pub(crate) fn run_to_stop(
        &mut self,
        stops: &Stops,
        is_reverse: bool,
        control: Control<'_>,
        log: &mut dyn FnMut(&LogMessage, &At<'_>, StatementId),
    ) -> Result<Stop, Cancelled> {
        let by_statement = stops.by_statement();
        let (position, has_data) = (self.position, !stops.data.is_empty());
        let Debuggee { facts, replay, warp, .. } = self;
        let steps = replay.steps();
        let may_have = |steps: Range<u64>, summary: &Summary| stops.may_be_in(&by_statement, steps, summary);
        let search = Search { may_have: &may_have, needs_state: stops.needs_state() };
        if is_reverse {
            let found = replay.backward(position, control, search, |event, state| {
                let stop = |reason| Stop { position: event.step, warp: event.warp, reason };
                let data = if has_data { stops.data(event, state, facts) } else { None };
                if event.is_late {
                    return data.map(stop);
                }
                if event.step >= position {
                    return None;
                }
                if (control.cancelled)() {
                    return Some(stop(Reason::Pause));
                }
                data.or_else(|| stops.before(event, state, facts, &by_statement, log)).map(stop)
            })?;
            return Ok(found.unwrap_or(Stop { position: 0, warp: *warp, reason: Reason::End }));
        }
        let found = replay.forward(position, control, search, |event, state| {
            let at = |position, reason| ControlFlow::Break(Stop { position, warp: event.warp, reason });
            if !event.is_late && event.step > position {
                if (control.cancelled)() {
                    return at(event.step, Reason::Pause);
                }
                if let Some(reason) = stops.before(event, state, facts, &by_statement, log) {
                    return at(event.step, reason);
                }
            }
            if has_data && let Some(reason) = stops.data(event, state, facts) {
                let after = if event.is_late { event.step } else { event.step + 1 };
                return if after > position { at(after, reason) } else { ControlFlow::Continue(()) };
            }
            ControlFlow::Continue(())
        })?;
        Ok(found.unwrap_or(Stop { position: steps, warp: *warp, reason: Reason::End }))
    }

    /// Prepares what conditions need: the numbers of visits, and the hits that count.
    pub(crate) fn prepare_stops(&mut self, stops: &mut Stops, control: Control<'_>) -> Result<(), Cancelled> {
        let numbered = stops.numbered();
        let mut visits: FxHashMap<_, Vec<u64>> = FxHashMap::default();
        if !numbered.is_empty() {
            let may_have = |_: Range<u64>, summary: &Summary| {
                numbered.iter().any(|statement| summary.visits(*statement))
            };
            let search = Search { may_have: &may_have, needs_state: false };
            let _: Option<()> = self.replay.forward(0, control, search, |event, _| {
                if !event.is_late && numbered.contains(&event.statement) {
                    visits.entry((event.warp, event.statement)).or_default().push(event.step);
                }
                ControlFlow::Continue(())
            })?;
        }
        stops.visits = visits;
        stops.hits = self.hits(stops, control)?;
        Ok(())
    }

    fn hits(
        &mut self,
        stops: &Stops,
        control: Control<'_>,
    ) -> Result<FxHashMap<u64, rustc_hash::FxHashSet<u64>>, Cancelled> {
        let counted: Vec<_> =
            stops.lines.iter().chain(&stops.functions).filter(|it| it.hits.is_some()).collect();
        let mut hits: FxHashMap<u64, rustc_hash::FxHashSet<u64>> =
            counted.iter().map(|breakpoint| (breakpoint.id, Default::default())).collect();
        if counted.is_empty() {
            return Ok(hits);
        }
        let mut counts = vec![0; counted.len()];
        let Debuggee { facts, replay, .. } = self;
        let visit = |event: &warplens_sim_warp::recording::Event<'_>, state: &State| {
            for (breakpoint, count) in counted.iter().zip(&mut counts) {
                let is_here = !event.is_late && breakpoint.statement == event.statement;
                if !is_here || !stops.is_hit(breakpoint, event, state, facts) {
                    continue;
                }
                *count += 1;
                if breakpoint.hits.is_some_and(|condition| condition.holds(*count)) {
                    hits.entry(breakpoint.id).or_default().insert(event.step);
                }
            }
            ControlFlow::<()>::Continue(())
        };
        let may_have = |_: Range<u64>, summary: &Summary| {
            counted.iter().any(|breakpoint| summary.visits(breakpoint.statement))
        };
        let search = Search { may_have: &may_have, needs_state: stops.needs_state() };
        replay.forward(0, control, search, visit)?;
        Ok(hits)
    }

    pub(crate) fn finding_steps(
        &mut self,
        control: Control<'_>,
    ) -> Result<FxHashMap<u64, Vec<FindingStep>>, Cancelled> {
        // The findings at each statement of a warp, with their visits.
        type Dated = (Option<u64>, FindingStep);
        let mut wanted: FxHashMap<(u32, StatementId), Vec<Dated>> = FxHashMap::default();
        for (index, finding) in self.replay.result.findings.iter().enumerate() {
            let Some(statement) = finding.statement else { continue };
            let id = warplens_sim_warp::WarpId { cta: finding.cta, warp: finding.warp };
            let at = (self.replay.number(id), statement);
            wanted.entry(at).or_default().push((finding.visit, FindingStep { index, kind: finding.kind }));
        }
        let mut found: FxHashMap<u64, Vec<FindingStep>> = FxHashMap::default();
        if wanted.is_empty() {
            return Ok(found);
        }
        let mut visits: FxHashMap<(u32, StatementId), (u64, u64)> = FxHashMap::default();
        let may_have = |_: Range<u64>, summary: &Summary| {
            wanted.keys().any(|(warp, statement)| summary.has_warp(*warp) && summary.visits(*statement))
        };
        let search = Search { may_have: &may_have, needs_state: false };
        let _: Option<()> = self.replay.forward(0, control, search, |event, _| {
            let key = (event.warp, event.statement);
            if let Some(findings) = wanted.get(&key).filter(|_| !event.is_late) {
                let (count, last) = visits.entry(key).or_default();
                (*count, *last) = (*count + 1, event.step);
                for (visit, finding) in findings {
                    if *visit == Some(*count) {
                        found.entry(event.step).or_default().push(*finding);
                    }
                }
            }
            ControlFlow::Continue(())
        })?;
        for (key, findings) in &wanted {
            let Some((count, last)) = visits.get(key) else { continue };
            let late = findings.iter().filter(|(visit, _)| visit.is_none_or(|visit| visit > *count));
            found.entry(*last).or_default().extend(late.map(|(_, finding)| *finding));
        }
        found.retain(|_, findings| !findings.is_empty());
        Ok(found)
    }
}
