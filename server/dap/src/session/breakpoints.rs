//! Requests about breakpoints.

use std::io::{self, Write};

use serde::Deserialize;
use serde_json::{Value as Json, json};
use warplens_sim_warp::StatementId;
use warplens_sim_warp::recording::Space;

use super::{Answer, Failure, Session, read};
use crate::debuggee::{Activation, Debuggee};
use crate::expression::Expression;
use crate::requested::{Asked, SourceBreakpoints};
use crate::stops::{Breakpoint, Condition, DataBreakpoint, Filters, HitCondition, LogMessage, Watched};
use crate::variables::{Container, parse_reference};

#[derive(Deserialize)]
struct SetBreakpoints {
    source: Json,
    #[serde(default)]
    breakpoints: Vec<Asked>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AskedData {
    data_id: String,
    access_type: Option<String>,
    condition: Option<String>,
    hit_condition: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DataInfo {
    variables_reference: Option<u64>,
    name: String,
    bytes: Option<u64>,
    as_address: Option<bool>,
    frame_id: Option<u64>,
}

/// A text of the client that is empty is none.
fn given(text: Option<&String>) -> Option<&str> {
    text.map(String::as_str).filter(|text| !text.trim().is_empty())
}

fn condition(text: Option<&String>) -> Result<Option<Expression>, String> {
    let parsed = given(text).map(Expression::parse).transpose();
    parsed.map_err(|error| format!("condition, column {}: {}", error.offset + 1, error.message))
}

impl<W: Write + Send> Session<'_, W> {
    fn number(&mut self) -> u64 {
        self.next_breakpoint += 1;
        self.next_breakpoint - 1
    }

    pub(super) fn set_breakpoints(&mut self, arguments: &Json) -> Answer {
        let SetBreakpoints { source, breakpoints } = read("setBreakpoints", arguments)?;
        let path = |json: &Json| json.get("path").cloned();
        self.requested.retain(|other| path(&other.source) != path(&source));
        let breakpoints: Vec<_> = breakpoints.into_iter().map(|asked| (self.number(), asked)).collect();
        self.requested.push(SourceBreakpoints { source, breakpoints });
        self.are_unreported |= self.debuggee.is_none();
        let answers = self.renew_lines();
        Ok(json!({ "breakpoints": answers.last() }))
    }

    /// Resolves the breakpoints again, for a launch that has been opened.
    pub(super) fn renew_breakpoints(&mut self) -> Result<(), Failure> {
        self.stops.filters = match std::mem::replace(&mut self.stops.filters, Filters::All) {
            Filters::All => self.default_filters(),
            filters @ Filters::Kinds(_) => filters,
        };
        self.renew_lines();
        if let Some(arguments) = self.requested_functions.clone() {
            self.set_function_breakpoints(&arguments)?;
        }
        Ok(())
    }

    /// Tells the client where breakpoints are that it set before the launch was known.
    pub(super) fn report_breakpoints(&mut self) -> io::Result<()> {
        if self.debuggee.is_none() || !std::mem::take(&mut self.are_unreported) {
            return Ok(());
        }
        for breakpoint in self.renew_lines().into_iter().flatten() {
            self.event("breakpoint", json!({ "reason": "changed", "breakpoint": breakpoint }))?;
        }
        Ok(())
    }

    /// Resolves all breakpoints on lines; returns the answers for each source.
    fn renew_lines(&mut self) -> Vec<Vec<Json>> {
        let (mut all, mut answers) = (Vec::new(), Vec::new());
        for requested in &self.requested {
            let is_here = self.is_debugged(&requested.source);
            let mut answered = Vec::new();
            for (id, asked) in &requested.breakpoints {
                let (resolved, answer) = self.resolve(*id, asked, is_here);
                all.extend(resolved);
                answered.push(answer);
            }
            answers.push(answered);
        }
        self.stops.lines = all;
        answers
    }

    fn is_debugged(&self, source: &Json) -> bool {
        let Some(debuggee) = &self.debuggee else { return true };
        let Some(path) = source.get("path").and_then(Json::as_str) else { return true };
        path == debuggee.path || self.loader.is_same_file(path, &debuggee.path)
    }

    fn resolve(&self, id: u64, asked: &Asked, is_here: bool) -> (Option<Breakpoint>, Json) {
        let refused = |message: String| (None, json!({ "id": id, "verified": false, "message": message }));
        if !is_here {
            return refused("this file is not debugged".to_owned());
        }
        let Some(debuggee) = &self.debuggee else {
            // Resolved once the launch is known.
            return (None, json!({ "id": id, "verified": true, "line": asked.line }));
        };
        let line = self.own_line(asked.line);
        let from = debuggee.by_line.partition_point(|(other, _)| u64::from(*other) < line);
        let Some(&(found, statement)) = debuggee.by_line.get(from) else {
            return refused("no statement of the kernel is on this line or after it".to_owned());
        };
        let column = asked.column.map(|column| column.saturating_sub(u64::from(self.columns_start_at_1)));
        let on_line =
            debuggee.by_line[from..].iter().take_while(|(other, _)| *other == found).map(|(_, at)| *at);
        let at_column =
            |column: u64| on_line.clone().filter(|at| u64::from(debuggee.column(*at)) <= column).last();
        let is_same = u64::from(found) == line;
        let statement = column.filter(|_| is_same).and_then(at_column).unwrap_or(statement);
        let (line, column) = (self.line(found), self.column(debuggee.column(statement)));
        match self.with_conditions(id, asked, statement, false) {
            Ok(breakpoint) => {
                (Some(breakpoint), json!({ "id": id, "verified": true, "line": line, "column": column }))
            }
            Err(message) => (None, json!({ "id": id, "verified": false, "line": line, "message": message })),
        }
    }

    fn with_conditions(
        &self,
        id: u64,
        asked: &Asked,
        statement: StatementId,
        is_function: bool,
    ) -> Result<Breakpoint, String> {
        let log = given(asked.log_message.as_ref()).map(LogMessage::parse).transpose();
        let log =
            log.map_err(|error| format!("log message, column {}: {}", error.offset + 1, error.message))?;
        let hits = given(asked.hit_condition.as_ref()).map(HitCondition::parse).transpose()?;
        let parsed = condition(asked.condition.as_ref())?;
        let known = parsed.map(|parsed| self.known(parsed, statement)).transpose()?;
        let text = asked.condition.clone().unwrap_or_default();
        let condition = known.map(|expression| Condition { text, expression });
        Ok(Breakpoint { id, statement, condition, hits, log, is_function })
    }

    /// The condition, if all its names are known at the statement.
    fn known(&self, condition: Expression, statement: StatementId) -> Result<Expression, String> {
        let Some(debuggee) = &self.debuggee else { return Ok(condition) };
        let (state, warp) = (Default::default(), debuggee.warp);
        let at = crate::debuggee::At {
            facts: &debuggee.facts,
            state: &state,
            step: 0,
            warp,
            activation: Activation { function: debuggee.function_of(statement), depth: 0 },
            active: 1,
            executed: 1,
            visit: Some(1),
        };
        match condition.evaluate(&at) {
            Ok(_) => Ok(condition),
            Err(error) => Err(format!("condition, column {}: {}", error.offset + 1, error.message)),
        }
    }

    pub(super) fn set_function_breakpoints(&mut self, arguments: &Json) -> Answer {
        #[derive(Deserialize)]
        struct Functions {
            #[serde(default)]
            breakpoints: Vec<Asked>,
        }
        let Functions { breakpoints } = read("setFunctionBreakpoints", arguments)?;
        self.requested_functions = Some(arguments.clone());
        let (mut all, mut answers) = (Vec::new(), Vec::new());
        for asked in &breakpoints {
            let id = self.number();
            let statement = self.debuggee.as_ref().map(|debuggee| debuggee.function_named(&asked.name));
            let resolved = match statement {
                None => {
                    answers.push(json!({ "id": id, "verified": true }));
                    continue;
                }
                Some(None) => Err(format!("the launch has no function `{}`", asked.name)),
                Some(Some(statement)) => self.with_conditions(id, asked, statement, true),
            };
            match resolved {
                Ok(breakpoint) => {
                    let line =
                        self.debuggee.as_ref().map_or(0, |debuggee| debuggee.line(breakpoint.statement));
                    answers.push(json!({ "id": id, "verified": true, "line": self.line(line) }));
                    all.push(breakpoint);
                }
                Err(message) => answers.push(json!({ "id": id, "verified": false, "message": message })),
            }
        }
        self.stops.functions = all;
        Ok(json!({ "breakpoints": answers }))
    }

    pub(super) fn breakpoint_locations(&mut self, arguments: &Json) -> Answer {
        let line = arguments.get("line").and_then(Json::as_u64).unwrap_or(0);
        let end = arguments.get("endLine").and_then(Json::as_u64).unwrap_or(line);
        let (first, last) = (self.own_line(line), self.own_line(end));
        let debuggee = self.launched()?;
        let within = |(line, _): &&(u32, StatementId)| (first..=last).contains(&u64::from(*line));
        let found = debuggee.by_line.iter().filter(within).take(10_000);
        let at = |(line, statement): &(u32, StatementId)| json!({ "line": self.line(*line), "column": self.column(debuggee.column(*statement)) });
        Ok(json!({ "breakpoints": found.map(at).collect::<Vec<_>>() }))
    }

    pub(super) fn data_breakpoint_info(&mut self, arguments: &Json) -> Answer {
        let DataInfo { variables_reference, name, bytes, as_address, frame_id } =
            read("dataBreakpointInfo", arguments)?;
        if as_address == Some(true) {
            let Some((space, owner, address)) = parse_reference(&name) else {
                return refused("not an address");
            };
            return watchable_bytes(space, owner, address, bytes.unwrap_or(4).max(1));
        }
        let container = variables_reference.and_then(|reference| self.handles.get(reference));
        let warp = match frame_id {
            Some(frame) => self.warp_of_frame(frame)?,
            None => self.launched()?.warp,
        };
        let debuggee = self.launched()?;
        match container {
            Some(Container::Register { warp, cell }) => {
                let Ok(lane) = name.parse::<u32>() else { return refused("not a lane") };
                let register = &debuggee.layout.get(cell).name;
                watchable(&format!("r:{warp}:{lane}:{}", cell.0), &format!("{register} in lane {lane}"))
            }
            Some(Container::Memory { space, owner, address, ty, .. }) => {
                let Ok(index) = name.parse::<u64>() else { return refused("not an element") };
                let size = u64::from(ty.bits() / 8).max(1);
                watchable_bytes(space, owner, address + index * size, bytes.unwrap_or(size))
            }
            other => {
                let (warp, activation) = match other {
                    Some(Container::Scope { warp, activation, .. }) => (warp, activation),
                    _ => (warp, Activation::default()),
                };
                watchable_name(debuggee, (warp, activation), &name, bytes)
            }
        }
    }

    pub(super) fn set_data_breakpoints(&mut self, arguments: &Json) -> Answer {
        #[derive(Deserialize)]
        struct Data {
            breakpoints: Vec<AskedData>,
        }
        let Data { breakpoints } = read("setDataBreakpoints", arguments)?;
        let (mut all, mut answers) = (Vec::new(), Vec::new());
        for asked in &breakpoints {
            let id = self.number();
            let watched = watched(&asked.data_id).ok_or_else(|| format!("unknown data `{}`", asked.data_id));
            let parsed = watched.and_then(|watched| {
                if given(asked.hit_condition.as_ref()).is_some() {
                    return Err("data breakpoints have no hit condition; use a condition".to_owned());
                }
                Ok((watched, condition(asked.condition.as_ref())?))
            });
            match parsed {
                Ok((watched, condition)) => {
                    let access = asked.access_type.as_deref().unwrap_or("write");
                    let (reads, writes) = (access != "write", access != "read");
                    all.push(DataBreakpoint { id, watched, reads, writes, condition });
                    answers.push(json!({ "id": id, "verified": true }));
                }
                Err(message) => answers.push(json!({ "id": id, "verified": false, "message": message })),
            }
        }
        self.stops.data = all;
        Ok(json!({ "breakpoints": answers }))
    }
}

/// Whether a register (`%r3`, or `%r3[5]` in one lane) or a buffer can be watched. Of a buffer, the first `bytes` are watched, or all.
fn watchable_name(
    debuggee: &Debuggee,
    (warp, activation): (u32, Activation),
    name: &str,
    bytes: Option<u64>,
) -> Answer {
    let (register, lane) = match name.split_once('[') {
        Some((register, lane)) => (register, lane.trim_end_matches(']').parse::<u32>().ok()),
        None => (name, None),
    };
    if let Some(cell) = debuggee.cell(activation, register) {
        let (lane, text) = match lane {
            Some(lane) => (lane.to_string(), format!("lane {lane}")),
            None => ("*".to_owned(), "any lane".to_owned()),
        };
        return watchable(&format!("r:{warp}:{lane}:{}", cell.0), &format!("{register} in {text}"));
    }
    match debuggee.prepared.resolved.buffer(name) {
        Some(buffer) => watchable_bytes(Space::Global, 0, buffer.address, bytes.unwrap_or(buffer.len)),
        None => refused("neither a register of the kernel nor a buffer of the launch"),
    }
}

fn watchable_bytes(space: Space, owner: u64, address: u64, len: u64) -> Answer {
    let name = match space {
        Space::Shared => "shared",
        Space::Local => "local",
        _ => "global",
    };
    watchable(&format!("m:{name}:{owner}:{address}:{len}"), &format!("{len} bytes at {address:#x} ({name})"))
}

fn watchable(id: &str, description: &str) -> Answer {
    let access = ["read", "write", "readWrite"];
    Ok(json!({ "dataId": id, "description": description, "accessTypes": access, "canPersist": false }))
}

fn refused(message: &str) -> Answer {
    Ok(json!({ "dataId": null, "description": message }))
}

/// Reads a `dataId`.
fn watched(id: &str) -> Option<Watched> {
    let parts: Vec<&str> = id.split(':').collect();
    match parts[..] {
        ["r", warp, lane, cell] => Some(Watched::Register {
            warp: warp.parse().ok()?,
            lane: if lane == "*" { None } else { Some(lane.parse().ok().filter(|lane| *lane < 64)?) },
            cell: warplens_sim_warp::recording::CellId(cell.parse().ok()?),
        }),
        ["m", space, owner, address, len] => Some(Watched::Bytes {
            space: match space {
                "shared" => Space::Shared,
                "local" => Space::Local,
                _ => Space::Global,
            },
            owner: owner.parse().ok()?,
            address: address.parse().ok()?,
            len: len.parse().ok()?,
        }),
        _ => None,
    }
}
