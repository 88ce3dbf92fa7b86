//! Requests that move the position, and the events of a stop.

use std::io::{self, Write};

use serde::Deserialize;
use serde_json::{Value as Json, json};

use warplens_sim_warp::{Control, WarpId};

use super::{Answer, Failure, Request, Session, control, read};
use crate::motion::{Depth, Unit};
use crate::stops::{Filters, Reason, Stop};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StepArguments {
    thread_id: Option<u64>,
    granularity: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PositionArguments {
    to: Option<i64>,
    thread_id: Option<u64>,
}

#[derive(Deserialize)]
struct GoToArguments {
    line: Option<u64>,
    visit: Option<u64>,
    cta: Option<[u32; 3]>,
    warp: Option<u32>,
}

impl<W: Write + Send> Session<'_, W> {
    pub(super) fn move_by(&mut self, request: &Request, arguments: &Json) -> io::Result<()> {
        if self.debuggee.is_none() {
            return self
                .respond(request, Err("nothing has been launched: send a launch request first".into()));
        }
        match request.command.as_str() {
            "continue" => {
                self.respond(request, Ok(json!({ "allThreadsContinued": true })))?;
                self.resume(false)
            }
            "reverseContinue" => {
                self.respond(request, Ok(Json::Null))?;
                self.resume(true)
            }
            "pause" => {
                self.respond(request, Ok(Json::Null))?;
                self.stopped("pause", None)
            }
            "goto" => {
                let answer = self.goto(arguments);
                let is_there = answer.is_ok();
                self.respond(request, answer)?;
                if is_there { self.stopped("goto", None) } else { Ok(()) }
            }
            "warplens/goTo" => {
                let answer = self.go_to_visit(arguments);
                let is_there = answer.is_ok();
                self.respond(request, answer)?;
                if is_there { self.moved("goto") } else { Ok(()) }
            }
            "warplens/position" => {
                let answer = self.position(arguments);
                let has_moved = answer.is_ok() && arguments.get("to").is_some_and(|to| !to.is_null());
                self.respond(request, answer)?;
                if has_moved { self.moved("goto") } else { Ok(()) }
            }
            command => {
                let (depth, is_back) = match command {
                    "stepIn" => (Depth::Into, false),
                    "stepOut" => (Depth::Out, false),
                    "stepBack" => (Depth::Over, true),
                    "warplens/stepBackInto" => (Depth::Into, true),
                    "warplens/stepBackOut" => (Depth::Out, true),
                    _ => (Depth::Over, false),
                };
                let moved = self.step(command, arguments, depth, is_back);
                match moved {
                    Ok(()) => {
                        self.respond(request, Ok(Json::Null))?;
                        if command.starts_with("warplens/") {
                            self.moved("step")
                        } else {
                            self.stopped("step", None)
                        }
                    }
                    Err(failure) => self.respond(request, Err(failure)),
                }
            }
        }
    }

    fn step(&mut self, command: &str, arguments: &Json, depth: Depth, is_back: bool) -> Result<(), Failure> {
        let StepArguments { thread_id, granularity } = read(command, arguments)?;
        let warp = self.warp_of_thread(thread_id)?;
        let unit = if granularity.as_deref() == Some("line") { Unit::Line } else { Unit::Statement };
        let (debuggee, interrupt) = self.running()?;
        control!(interrupt => control);
        let position = match is_back {
            true => debuggee.step_back(warp, depth, unit, control)?,
            false => debuggee.step_forward(warp, depth, unit, control)?,
        };
        debuggee.position = position;
        debuggee.warp = warp;
        self.reason = None;
        Ok(())
    }

    /// Moves to the next stop in a direction.
    pub(super) fn resume(&mut self, is_reverse: bool) -> io::Result<()> {
        let mut lines = Vec::new();
        let found = self.search(is_reverse, &mut lines);
        for line in lines {
            self.event("output", line)?;
        }
        let (reason, description): (&str, Option<String>) = match found {
            Err(_) => ("pause", None),
            Ok(Stop { position, warp, reason }) => {
                let Some(debuggee) = &mut self.debuggee else { return Ok(()) };
                debuggee.position = position;
                debuggee.warp = warp;
                let name = match &reason {
                    Reason::Breakpoint(_) => "breakpoint",
                    Reason::Function(_) => "function breakpoint",
                    Reason::Data(_) => "data breakpoint",
                    Reason::Finding(_) => "exception",
                    Reason::Pause => "pause",
                    Reason::End if is_reverse => "entry",
                    Reason::End => "end",
                };
                let description = match &reason {
                    Reason::End if is_reverse => Some("Before the first step of the launch".to_owned()),
                    Reason::End => Some("The launch has ended".to_owned()),
                    Reason::Finding(index) => {
                        let finding = debuggee.replay.result.findings.get(*index);
                        finding.map(|finding| format!("Paused on {}", finding.kind.name()))
                    }
                    _ => None,
                };
                self.reason = Some(reason);
                (name, description)
            }
        };
        self.stopped(reason, description)
    }

    fn search(&mut self, is_reverse: bool, lines: &mut Vec<Json>) -> Result<Stop, Failure> {
        let source = self.source()?;
        let starts_at_1 = u64::from(self.lines_start_at_1);
        let Session { debuggee: Some(debuggee), interrupt, stops, .. } = self else {
            return Err("nothing has been launched".into());
        };
        let cancelled = || interrupt.is_paused();
        let control = Control { cancelled: &cancelled, ..Control::none() };
        debuggee.prepare_stops(stops, control)?;
        let mut log = |message: &crate::stops::LogMessage, at: &crate::debuggee::At<'_>, statement| {
            // Only the first ones of an endless flood are kept.
            if lines.len() < 100_000 {
                let text = message.render(at, super::inspect::one_line);
                lines.push(json!({
                    "category": "console", "output": format!("{text}\n"), "source": source,
                    "line": u64::from(at.facts.line(statement)) + starts_at_1,
                }));
            }
        };
        Ok(debuggee.run_to_stop(stops, is_reverse, control, &mut log)?)
    }

    /// Tells the client that a request of our own has moved the position: it does not expect that the launch continues then.
    fn moved(&mut self, reason: &str) -> io::Result<()> {
        let thread = self.debuggee.as_ref().map_or(1, |debuggee| debuggee.warp + 1);
        self.event("continued", json!({ "threadId": thread, "allThreadsContinued": true }))?;
        self.stopped(reason, None)
    }

    /// Tells the client that the launch is at another position.
    pub(super) fn stopped(&mut self, reason: &str, description: Option<String>) -> io::Result<()> {
        self.handles.clear();
        if !matches!(reason, "exception" | "breakpoint" | "function breakpoint" | "data breakpoint") {
            self.reason = None;
        }
        let thread = self.debuggee.as_ref().map_or(1, |debuggee| debuggee.warp + 1);
        let mut body = json!({ "reason": reason, "threadId": thread, "allThreadsStopped": true });
        if let Some(description) = description {
            body["description"] = json!(description);
        }
        if let (Some(Reason::Finding(index)), Some(debuggee)) = (&self.reason, &self.debuggee)
            && let Some(finding) = debuggee.replay.result.findings.get(*index)
        {
            body["text"] = json!(finding.message.lines().next());
        }
        if let Some(Reason::Breakpoint(ids) | Reason::Function(ids) | Reason::Data(ids)) = &self.reason {
            body["hitBreakpointIds"] = json!(ids);
        }
        self.event("stopped", body)
    }

    fn position(&mut self, arguments: &Json) -> Answer {
        let empty = json!({});
        let arguments = if arguments.is_null() { &empty } else { arguments };
        let PositionArguments { to, thread_id } = read("warplens/position", arguments)?;
        let warp = thread_id.map(|thread| self.warp_of_thread(Some(thread))).transpose()?;
        let (debuggee, interrupt) = self.running()?;
        control!(interrupt => control);
        if let Some(to) = to {
            let steps = debuggee.steps();
            let to = u64::try_from(to).ok().filter(|to| *to <= steps);
            let to = to.ok_or_else(|| {
                Failure(format!("`to` must be between 0 and {steps}, the end of the launch"))
            })?;
            debuggee.go_to(to, control)?;
            if let Some(warp) = warp {
                debuggee.warp = warp;
            }
        }
        let (position, steps, width) = (debuggee.position, debuggee.steps(), debuggee.width());
        let current = debuggee.current(control)?;
        // At the end, the warp that ran last.
        let warp = current.map_or(debuggee.warp, |visit| visit.warp);
        let id = debuggee.id(warp);
        let line = current.map(|visit| debuggee.line(visit.statement));
        let digits = if width <= 32 { 8 } else { 16 };
        let mask = |lanes: u64| format!("{lanes:0digits$x}");
        Ok(json!({
            "step": position,
            "steps": steps,
            "line": line.map(|line| self.line(line)),
            "active": mask(current.map_or(0, |visit| visit.active)),
            "executed": mask(current.map_or(0, |visit| visit.executed)),
            "cta": id.cta,
            "warp": id.warp,
        }))
    }

    /// Moves to a visit of a line by a warp, or only gives the warp the focus.
    fn go_to_visit(&mut self, arguments: &Json) -> Answer {
        let GoToArguments { line, visit, cta, warp } = read("warplens/goTo", arguments)?;
        let line = line.map(|line| self.own_line(line));
        let (debuggee, interrupt) = self.running()?;
        control!(interrupt => control);
        let focus = debuggee.id(debuggee.warp);
        let id = WarpId { cta: cta.unwrap_or(focus.cta), warp: warp.unwrap_or(focus.warp) };
        if !debuggee.prepared.has_warp(id) {
            return Err("warplens/goTo: the launch has no such warp".into());
        }
        let warp = debuggee.replay.number(id);
        if let Some(line) = line {
            let statement = debuggee.by_line.iter().find(|(other, _)| u64::from(*other) == line);
            let statement = statement.ok_or("warplens/goTo: the line has no statement")?.1;
            let visit = visit.unwrap_or(1);
            let step = debuggee.replay.step_of(warp, statement, Some(visit), control)?;
            debuggee.position = step.ok_or_else(|| {
                Failure(match visit {
                    1 => "warplens/goTo: the warp does not execute the line".to_owned(),
                    _ => format!("warplens/goTo: the warp has no visit {visit} of the line"),
                })
            })?;
        }
        debuggee.warp = warp;
        Ok(json!({ "threadId": warp + 1 }))
    }

    fn goto(&mut self, arguments: &Json) -> Answer {
        let target = arguments.get("targetId").and_then(Json::as_u64).ok_or("goto: `targetId` is missing")?;
        let (debuggee, interrupt) = self.running()?;
        control!(interrupt => control);
        if target > debuggee.steps() {
            return Err("goto: the target is not known".into());
        }
        debuggee.go_to(target, control)?;
        Ok(Json::Null)
    }

    pub(super) fn set_exception_breakpoints(&mut self, arguments: &Json) -> Json {
        let list = |key: &str| arguments.get(key).and_then(Json::as_array).cloned().unwrap_or_default();
        let named = list("filters").into_iter().filter_map(|filter| filter.as_str().map(str::to_owned));
        let options = list("filterOptions").into_iter();
        let options = options.filter_map(|option| Some(option.get("filterId")?.as_str()?.to_owned()));
        let kinds: Vec<String> = named.chain(options).collect();
        // A client that sends all of them has the defaults, which `stopOnFinding` decides.
        let all =
            warplens_sim_warp::FindingKind::all().all(|kind| kinds.iter().any(|name| name == kind.name()));
        self.stops.filters = if all { self.default_filters() } else { Filters::Kinds(kinds) };
        Json::Null
    }
}
