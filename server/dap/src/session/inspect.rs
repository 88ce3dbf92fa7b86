//! Requests that look at the position.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use warplens_sim_warp::StatementId;
use warplens_sim_warp::recording::CellId;

use super::{Answer, Failure, Session, control, read};
use crate::debuggee::{At, Role, Visit, written};
use crate::expression::Expression;
use crate::frames::MAX_FRAMES;
use crate::stops::Reason;
use crate::variables::{Container, ScopeKind, Wanted, parse_reference, summary, text_of};

/// Frames of a warp have consecutive numbers.
const FRAMES: u64 = MAX_FRAMES as u64;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StackArguments {
    thread_id: u64,
    start_frame: Option<usize>,
    levels: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VariableArguments {
    variables_reference: u64,
    filter: Option<String>,
    start: Option<u64>,
    count: Option<u64>,
    format: Option<Format>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EvaluateArguments {
    expression: String,
    frame_id: Option<u64>,
    #[serde(default)]
    context: String,
    format: Option<Format>,
}

#[derive(Deserialize)]
struct FocusLane {
    lane: Option<u32>,
}

#[derive(Deserialize)]
pub(super) struct Format {
    #[serde(default)]
    pub(super) hex: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReadMemory {
    memory_reference: String,
    offset: Option<i64>,
    count: u64,
}

/// An expression in a line of text, as log points print it.
pub(super) fn one_line(expression: &Expression, at: &At<'_>) -> String {
    match expression.evaluate(at) {
        Err(error) => format!("<{}>", error.message),
        Ok(values) => {
            let texts: Vec<String> = values.iter().map(|value| text_of(*value, false)).collect();
            summary(&values, &texts, at.active)
        }
    }
}

impl<W: Write + Send> Session<'_, W> {
    /// The warp of a thread; that with the focus by default.
    pub(super) fn warp_of_thread(&self, thread: Option<u64>) -> Result<u32, Failure> {
        let debuggee = self.launched()?;
        let Some(thread) = thread else { return Ok(debuggee.warp) };
        let count = debuggee.layout.warps * debuggee.prepared.grid().iter().product::<u32>();
        let warp =
            thread.checked_sub(1).and_then(|warp| u32::try_from(warp).ok()).filter(|warp| *warp < count);
        warp.ok_or_else(|| {
            Failure(format!("thread {thread} does not exist: the launch has the threads 1 to {count}"))
        })
    }

    pub(super) fn warp_of_frame(&self, frame: u64) -> Result<u32, Failure> {
        self.warp_of_thread(Some(frame / FRAMES))
    }

    pub(super) fn threads(&mut self) -> Answer {
        let Ok((debuggee, interrupt)) = self.running() else { return Ok(json!({ "threads": [] })) };
        control!(interrupt => control);
        let (warps, focus, width) = (debuggee.warps(), debuggee.warp, debuggee.width());
        let mut shown = Vec::new();
        for warp in std::iter::once(focus).chain(warps.clone().filter(|warp| *warp != focus)) {
            let next = debuggee.next_of(warp, debuggee.position, control)?;
            shown.push((warp, next.map(|visit| (visit.active.count_ones(), debuggee.line(visit.statement)))));
        }
        let thread = |(warp, next): (u32, Option<(u32, u32)>)| {
            let place = match next {
                Some((lanes, line)) => format!("{lanes}/{width}  L{}", self.line(line)),
                None => "done".to_owned(),
            };
            json!({ "id": warp + 1, "name": format!("w{}  {place}", warp - warps.start) })
        };
        Ok(json!({ "threads": shown.into_iter().map(thread).collect::<Vec<_>>() }))
    }

    pub(super) fn stack_trace(&mut self, arguments: &Json) -> Answer {
        let StackArguments { thread_id, start_frame, levels } = read("stackTrace", arguments)?;
        let warp = self.warp_of_thread(Some(thread_id))?;
        let source = self.source()?;
        let (debuggee, interrupt) = self.running()?;
        control!(interrupt => control);
        let shown = debuggee.frames(warp, control)?;
        let last = debuggee.previous_of(warp, debuggee.position, control)?;
        let has_ended = shown.iter().all(|frame| frame.at.is_none());
        let mut frames = Vec::new();
        for (index, frame) in shown.iter().enumerate() {
            let ended = last.map_or(StatementId(0), |last| last.statement);
            let statement = frame.at.map(|visit| visit.statement).or_else(|| has_ended.then_some(ended));
            let Some(statement) = statement else { continue };
            let (name, line, column) =
                (debuggee.function_name(statement), debuggee.line(statement), debuggee.column(statement));
            let lanes = crate::variables::lanes_text(frame.lanes);
            let what = match (has_ended, frame.role) {
                (true, _) => "has ended".to_owned(),
                (false, Role::Runs) => lanes,
                (false, Role::Waits) => format!("{lanes}, waiting"),
                (false, Role::Called) => format!("{lanes}, in a call"),
            };
            frames.push((
                index,
                format!("{name}  {what}"),
                line,
                column,
                frame.role == Role::Runs || has_ended,
            ));
        }
        let total = frames.len();
        let count = levels.filter(|levels| *levels != 0).unwrap_or(usize::MAX);
        let frames = frames.into_iter().skip(start_frame.unwrap_or(0)).take(count);
        let frames: Vec<Json> = frames
            .map(|(index, name, line, column, runs)| {
                let hint = if runs { "normal" } else { "subtle" };
                json!({
                    "id": thread_id * FRAMES + index as u64, "name": name, "source": source,
                    "line": self.line(line), "column": self.column(column), "presentationHint": hint,
                })
            })
            .collect();
        Ok(json!({ "stackFrames": frames, "totalFrames": total }))
    }

    pub(super) fn scopes(&mut self, arguments: &Json) -> Answer {
        let frame = arguments.get("frameId").and_then(Json::as_u64).ok_or("scopes: `frameId` is missing")?;
        let warp = self.warp_of_frame(frame)?;
        let (debuggee, interrupt) = self.running()?;
        control!(interrupt => control);
        let visit = debuggee.frame(warp, frame % FRAMES, control)?;
        let activation = visit.map(|visit| debuggee.activation(visit)).unwrap_or_default();
        let statement = visit.map(|visit| visit.statement);
        let scopes: Vec<Json> = ScopeKind::ALL
            .into_iter()
            .map(|(kind, name)| {
                let reference = self.handles.add(Container::Scope { kind, warp, activation, statement });
                let is_registers = matches!(kind, ScopeKind::Lanes | ScopeKind::Registers);
                let mut scope =
                    json!({ "name": name, "variablesReference": reference, "expensive": !is_registers });
                if kind == ScopeKind::Registers {
                    scope["presentationHint"] = json!("registers");
                }
                scope
            })
            .collect();
        Ok(json!({ "scopes": scopes }))
    }

    pub(super) fn variables(&mut self, arguments: &Json) -> Answer {
        let VariableArguments { variables_reference, filter, start, count, format } =
            read("variables", arguments)?;
        // A client may still ask about an earlier stop.
        let Some(container) = self.handles.get(variables_reference) else {
            return Ok(json!({ "variables": [] }));
        };
        let is_vector = !matches!(container, Container::Scope { .. });
        if filter.as_deref() == Some(if is_vector { "named" } else { "indexed" }) {
            return Ok(json!({ "variables": [] }));
        }
        let hex = format.is_some_and(|format| format.hex);
        let wanted = Wanted { start: start.unwrap_or(0), count, hex };
        let Session { debuggee: Some(debuggee), interrupt, handles, .. } = self else {
            return Err("nothing has been launched".into());
        };
        control!(interrupt => control);
        Ok(json!({ "variables": debuggee.variables(&container, handles, wanted, control)? }))
    }

    /// A register as a client sees it after a change.
    pub(super) fn register_variable(&mut self, warp: u32, cell: CellId, hex: bool) -> Answer {
        let Session { debuggee: Some(debuggee), interrupt, handles, .. } = self else {
            return Err("nothing has been launched".into());
        };
        control!(interrupt => control);
        let state = debuggee.state(control)?;
        let active = debuggee.next_of(warp, debuggee.position, control)?.map_or(0, |next| next.active);
        let mut variable = debuggee.register(handles, (warp, cell), active, &state, hex);
        if let Some(fields) = variable.as_object_mut() {
            fields.retain(|name, _| !matches!(name.as_str(), "name" | "evaluateName"));
        }
        Ok(variable)
    }

    /// Makes hovers and watches show the values of a lane, or of all lanes.
    pub(super) fn focus_lane(&mut self, arguments: &Json) -> Answer {
        let FocusLane { lane } = read("warplens/focusLane", arguments)?;
        let width = self.launched()?.width();
        if let Some(lane) = lane.filter(|lane| *lane >= width) {
            return Err(Failure(format!("a warp has the lanes 0 to {}, not {lane}", width - 1)));
        }
        self.lane = lane;
        Ok(json!({ "lane": lane }))
    }

    pub(super) fn evaluate(&mut self, arguments: &Json) -> Answer {
        let EvaluateArguments { expression: text, frame_id, context, format } = read("evaluate", arguments)?;
        let lane = self.lane.filter(|_| matches!(context.as_str(), "hover" | "watch"));
        let hex = format.is_some_and(|format| format.hex);
        let positioned = |error: crate::expression::ParseError| {
            Failure(format!("column {}: {}", error.offset + 1, error.message))
        };
        let expression = Expression::parse(&text).map_err(positioned)?;
        let warp = match frame_id {
            Some(frame) => self.warp_of_frame(frame)?,
            None => self.launched()?.warp,
        };
        let (debuggee, interrupt) = self.running()?;
        control!(interrupt => control);
        let state = debuggee.state_of(warp, control)?;
        let width = debuggee.width();
        let launched = debuggee.launched(warp);
        let shown = match frame_id {
            Some(frame) => debuggee.frame(warp, frame % FRAMES, control)?,
            None => None,
        };
        let shown = shown.map(|visit| debuggee.activation(visit));
        let at = debuggee.scope_of(warp, &state, expression.needs_visit(), control)?;
        let at = At { activation: shown.unwrap_or(at.activation), ..at };
        let values = expression.evaluate(&at).map_err(positioned)?;
        let ty = expression
            .name()
            .and_then(|name| at.facts.cell(at.activation, name))
            .map(|cell| (cell, at.facts.type_of(cell)));
        let text_in = |lane: u32| match ty {
            Some((cell, ty)) => {
                let bits = state.cell(warp, cell).and_then(|value| value.of(lane));
                bits.map_or_else(|| "-".to_owned(), |bits| written(bits, ty, hex))
            }
            None => text_of(values[lane as usize], hex),
        };
        let texts: Vec<String> = (0..width).map(text_in).collect();
        let active = if at.active == 0 { launched } else { at.active };
        let result = match lane.and_then(|lane| texts.get(lane as usize)) {
            Some(text) => text.clone(),
            None => summary(&values, &texts, active),
        };
        let is_vector = ty.is_some() || texts.iter().any(|text| *text != texts[0]);
        let mut body = json!({ "result": result, "variablesReference": 0 });
        if let Some((_, ty)) = ty {
            body["type"] = json!(ty.name());
        }
        if is_vector {
            let container = match ty {
                Some((cell, _)) => Container::Register { warp, cell },
                None => Container::Lanes(values),
            };
            body["variablesReference"] = json!(self.handles.add(container));
            body["indexedVariables"] = json!(width);
        }
        Ok(body)
    }

    pub(super) fn read_memory(&mut self, arguments: &Json) -> Answer {
        let ReadMemory { memory_reference, offset, count } = read("readMemory", arguments)?;
        let wrong = || {
            Failure(format!(
                "`{memory_reference}` is not a memory reference, such as 0x10000000 or shared:0:0x40"
            ))
        };
        let (space, owner, address) = parse_reference(&memory_reference).ok_or_else(wrong)?;
        let address = address.wrapping_add_signed(offset.unwrap_or(0));
        let count = count.min(1 << 20);
        let (debuggee, interrupt) = self.running()?;
        control!(interrupt => control);
        debuggee.check_owner(space, owner)?;
        let state = debuggee.state(control)?;
        let byte = |at: u64| debuggee.byte(&state, space, owner, address.wrapping_add(at));
        let bytes: Vec<u8> = (0..count).map_while(byte).collect();
        // Up to the next byte that can be read: a client asks again from there.
        let unreadable = (bytes.len() as u64..count).take_while(|at| byte(*at).is_none()).count();
        let mut body = json!({ "address": format!("{address:#x}"), "data": STANDARD.encode(&bytes) });
        if unreadable != 0 {
            body["unreadableBytes"] = json!(unreadable);
        }
        Ok(body)
    }

    pub(super) fn exception_info(&mut self) -> Answer {
        let Some(Reason::Finding(index)) = self.reason else {
            return Err("the launch is not stopped at a finding".into());
        };
        let debuggee = self.launched()?;
        let finding = debuggee.replay.result.findings.get(index).ok_or("the finding is not known")?;
        let mut message = finding.message.clone();
        for related in &finding.related {
            let (line, text) =
                (self.line(debuggee.line(related.statement)), debuggee.text_of(related.statement));
            message += &format!("\nline {line}: {text} ({})", related.message);
        }
        let sides: Vec<Json> = finding
            .related
            .iter()
            .map(|related| {
                let line = self.line(debuggee.line(related.statement));
                json!({ "message": format!("line {line}: {}", related.message), "typeName": "related" })
            })
            .collect();
        Ok(json!({
            "exceptionId": finding.kind.name(),
            "description": message,
            "breakMode": "always",
            "details": {
                "message": finding.message, "typeName": finding.kind.name(),
                "stackTrace": format!("block {:?}, warp {}, {}", finding.cta, finding.warp, crate::variables::lanes_text(finding.lanes)),
                "innerException": sides,
            },
        }))
    }

    /// The visits of a line by the warp with the focus.
    pub(super) fn goto_targets(&mut self, arguments: &Json) -> Answer {
        let line = arguments.get("line").and_then(Json::as_u64).ok_or("gotoTargets: `line` is missing")?;
        let own = self.own_line(line);
        let (debuggee, interrupt) = self.running()?;
        control!(interrupt => control);
        let Some(statement) =
            debuggee.by_line.iter().find(|(other, _)| u64::from(*other) == own).map(|(_, it)| *it)
        else {
            return Ok(json!({ "targets": [] }));
        };
        let (warp, mut visits) = (debuggee.warp, Vec::new());
        let _: Option<()> = debuggee.replay.forward_of(warp, 0, control, |event| {
            if event.statement == statement {
                visits.push(event.step);
            }
            if visits.len() < 1000 {
                std::ops::ControlFlow::Continue(())
            } else {
                std::ops::ControlFlow::Break(())
            }
        })?;
        let target = |(index, step): (usize, u64)| json!({ "id": step, "label": format!("visit {} (step {step})", index + 1), "line": line });
        Ok(json!({ "targets": visits.into_iter().enumerate().map(target).collect::<Vec<_>>() }))
    }

    /// The warps of the shown block, and the visit of the next statement of the one with the focus.
    pub(super) fn warps(&mut self) -> Answer {
        let (debuggee, interrupt) = self.running()?;
        control!(interrupt => control);
        let (warps, focus, position) = (debuggee.warps(), debuggee.warp, debuggee.position);
        let digits = debuggee.width().div_ceil(4) as usize;
        let barriers = debuggee.prepared.program.control_flow().barriers;
        let current = debuggee.current(control)?.map(|visit| visit.warp);
        let mut shown = Vec::new();
        for warp in warps {
            let next = debuggee.next_of(warp, position, control)?;
            let previous = debuggee.previous_of(warp, position, control)?;
            let state = match (next, previous) {
                (None, _) => "done",
                _ if current == Some(warp) => "next",
                (_, Some(previous)) if barriers.binary_search(&previous.statement).is_ok() => "barrier",
                _ => "ready",
            };
            shown.push((warp, next, state));
        }
        let visit = match shown.iter().find(|(warp, ..)| *warp == focus) {
            Some((_, Some(next), _)) => Some(debuggee.visit_of(focus, *next, control)?),
            _ => None,
        };
        let debuggee = self.launched()?;
        let warp = |(warp, next, state): (u32, Option<Visit>, &str)| {
            let id = debuggee.id(warp);
            let line = next.map(|next| self.line(debuggee.line(next.statement)));
            let active = next.map_or(0, |next| next.active);
            json!({
                "threadId": warp + 1, "cta": id.cta, "warp": id.warp, "line": line,
                "active": format!("{active:0digits$x}"), "state": state,
            })
        };
        let warps: Vec<Json> = shown.into_iter().map(warp).collect();
        Ok(json!({ "warps": warps, "focus": focus + 1, "visit": visit }))
    }

    pub(super) fn blocks(&mut self) -> Answer {
        let debuggee = self.launched()?;
        let grid = debuggee.prepared.grid();
        Ok(json!({ "grid": grid, "block": debuggee.id(debuggee.warp).cta }))
    }

    /// Shows another block, without moving.
    pub(super) fn show_block(&mut self, arguments: &Json) -> Answer {
        let (debuggee, _) = self.running()?;
        let block = arguments.get("block").ok_or("warplens/showBlock: `block` is missing")?;
        let number = super::block_number(block, debuggee.prepared.grid());
        let number = number.ok_or("warplens/showBlock: `block` is not a block of this launch")?;
        debuggee.warp = number * debuggee.layout.warps;
        let cta = debuggee.id(debuggee.warp).cta;
        Ok(json!({ "block": cta, "threadId": number * self.launched()?.layout.warps + 1 }))
    }
}
