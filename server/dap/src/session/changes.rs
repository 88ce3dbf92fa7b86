//! Changes of registers and memory. The launch runs again with them, so that its history branches at the position.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use warplens_sim_warp::recording::{CellId, Change, Edit, Space};
use warplens_sim_warp::{Class, Control, Mask, ScalarType};

use super::inspect::Format;
use super::{Failure, Request, Session, control, read};
use crate::debuggee::{Debuggee, written};
use crate::expression::{Expression, Lanes, ParseError, Value};
use crate::variables::{Container, parse_reference};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SetVariable {
    variables_reference: u64,
    name: String,
    value: String,
    format: Option<Format>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SetExpression {
    expression: String,
    value: String,
    frame_id: Option<u64>,
    format: Option<Format>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WriteMemory {
    memory_reference: String,
    #[serde(default)]
    offset: i64,
    data: String,
}

/// What a client names as a variable.
enum Target {
    /// A register, in one lane or in the active ones.
    Register {
        warp: u32,
        cell: CellId,
        lane: Option<u32>,
    },
    Element {
        space: Space,
        owner: u64,
        address: u64,
        ty: ScalarType,
    },
}

impl<W: Write + Send> Session<'_, W> {
    /// Answers a request that changes a value, and tells the client that history branches here.
    pub(super) fn change(&mut self, request: &Request, arguments: &Json) -> io::Result<()> {
        let changed = match request.command.as_str() {
            "setVariable" => self.set_variable(arguments),
            "setExpression" => self.set_expression(arguments),
            _ => self.write_memory(arguments),
        };
        let is_changed = changed.is_ok();
        self.respond(request, changed)?;
        let Some(debuggee) = self.debuggee.as_ref().filter(|_| is_changed) else { return Ok(()) };
        let text = format!("history branches before step {}: {}", debuggee.position, debuggee.summary());
        self.output("console", &text)?;
        if self.client.invalidates {
            self.event("invalidated", json!({ "areas": ["all"] }))?;
        }
        Ok(())
    }

    fn set_variable(&mut self, arguments: &Json) -> Result<Json, Failure> {
        let SetVariable { variables_reference, name, value, format } = read("setVariable", arguments)?;
        let container = self.handles.get(variables_reference);
        let container = container.ok_or("the variables are those of an earlier stop")?;
        let hex = format.is_some_and(|format| format.hex);
        let target = self.launched()?.target(&container, &name)?;
        self.set(&target, &value, hex)
    }

    fn set_expression(&mut self, arguments: &Json) -> Result<Json, Failure> {
        let SetExpression { expression, value, frame_id, format } = read("setExpression", arguments)?;
        let hex = format.is_some_and(|format| format.hex);
        let warp = match frame_id {
            Some(frame) => self.warp_of_frame(frame)?,
            None => self.launched()?.warp,
        };
        let (debuggee, interrupt) = self.running()?;
        control!(interrupt => control);
        let target = debuggee.target_of(warp, &expression, control)?;
        self.set(&target, &value, hex)
    }

    /// Sets what a client names to the value of an expression.
    fn set(&mut self, target: &Target, value: &str, hex: bool) -> Result<Json, Failure> {
        let (debuggee, interrupt) = self.running()?;
        control!(interrupt => control);
        match *target {
            Target::Register { warp, cell, lane } => {
                let lanes = debuggee.changed_lanes(warp, cell, lane, control)?;
                let (values, ty) = (debuggee.values(warp, value, control)?, debuggee.type_of(cell));
                let one = lane.map_or(Mask::MAX, |lane| 1 << lane);
                let chosen = |other: u32| if one >> other & 1 == 1 { other } else { one.trailing_zeros() };
                let bits = |lane: u32| Ok((lane, bits_of(values[chosen(lane) as usize], ty, value)?));
                let lanes = lanes.map(bits).collect::<Result<Vec<_>, Failure>>()?;
                let bits = lanes.iter().find(|(other, _)| lane.is_none_or(|lane| lane == *other));
                let text = bits.map_or_else(String::new, |(_, bits)| written(*bits, ty, hex));
                self.branch(Change::Register { warp, lanes, cell })?;
                match lane {
                    Some(_) => Ok(json!({ "value": text, "variablesReference": 0 })),
                    None => self.register_variable(warp, cell, hex),
                }
            }
            Target::Element { space, owner, address, ty } => {
                let warp = debuggee.warp;
                let active =
                    debuggee.next_of(warp, debuggee.position, control)?.map_or(1, |next| next.active);
                let values = debuggee.values(warp, value, control)?;
                let bits = bits_of(values[active.trailing_zeros() as usize], ty, value)?;
                let data = bits.to_le_bytes()[..ty.bytes()].to_vec();
                self.branch(Change::Memory { space, owner, address, data })?;
                Ok(json!({ "value": written(bits, ty, hex), "variablesReference": 0 }))
            }
        }
    }

    fn write_memory(&mut self, arguments: &Json) -> Result<Json, Failure> {
        let WriteMemory { memory_reference, offset, data } = read("writeMemory", arguments)?;
        let (space, owner, address) =
            parse_reference(&memory_reference).ok_or("writeMemory: not a memory reference")?;
        let address = address.wrapping_add_signed(offset);
        let data = STANDARD.decode(&data).map_err(|_| "writeMemory: `data` is not base64")?;
        if data.is_empty() {
            return Ok(json!({ "bytesWritten": 0 }));
        }
        let count = data.len();
        self.branch(Change::Memory { space, owner, address, data })?;
        Ok(json!({ "bytesWritten": count }))
    }

    /// Runs the launch again with a change at the position.
    fn branch(&mut self, change: Change) -> Result<(), Failure> {
        let (debuggee, interrupt) = self.running()?;
        control!(interrupt => control);
        let before = debuggee.position;
        if before == debuggee.steps() {
            return Err("the launch has ended: step back before you change a value".into());
        }
        debuggee.check_memory(&change, control)?;
        debuggee.replay.edit(Edit { before, change }, control)?;
        debuggee.shown_frames.clear();
        let findings = debuggee.finding_steps(control)?;
        self.stops.findings = findings;
        Ok(())
    }
}

impl Debuggee {
    fn target(&self, container: &Container, name: &str) -> Result<Target, Failure> {
        let lane = || {
            let lane = name.parse::<u32>().ok().filter(|lane| *lane < self.width());
            lane.ok_or_else(|| Failure(format!("`{name}` is not a lane")))
        };
        match container {
            Container::Register { warp, cell } => {
                Ok(Target::Register { warp: *warp, cell: *cell, lane: Some(lane()?) })
            }
            Container::Memory { space, owner, address, len, ty } => {
                let size = ty.bytes().max(1) as u64;
                let index = name.parse::<u64>().ok().filter(|index| *index < len / size);
                let index = index.ok_or_else(|| Failure(format!("`{name}` is not an element")))?;
                let address = address + index * size;
                Ok(Target::Element { space: *space, owner: *owner, address, ty: *ty })
            }
            Container::Scope { warp, activation, .. } => match self.cell(*activation, name) {
                Some(cell) => Ok(Target::Register { warp: *warp, cell, lane: None }),
                None => Err(Failure(format!("`{name}` cannot be changed: it is not a register"))),
            },
            Container::Lanes(_) => Err("the values of an expression cannot be changed".into()),
        }
    }

    /// What an expression names for a warp: a register, or memory at one address.
    fn target_of(&mut self, warp: u32, text: &str, control: Control<'_>) -> Result<Target, Failure> {
        let expression = Expression::parse(text).map_err(|error| positioned(&error))?;
        let state = self.state(control)?;
        let at = self.scope_of(warp, &state, expression.needs_visit(), control)?;
        if let Some(cell) = expression.name().and_then(|name| at.facts.cell(at.activation, name)) {
            return Ok(Target::Register { warp, cell, lane: None });
        }
        let Some((space, address, ty)) = expression.memory() else {
            return Err(Failure(format!("`{text}` cannot be changed: it is not a register or memory")));
        };
        let addresses = address.evaluate(&at).map_err(|error| positioned(&error))?;
        let mut addresses = (0..).zip(addresses).filter(|(lane, _)| at.active >> lane & 1 == 1);
        let (lane, address) = addresses.next().ok_or("no lane is active")?;
        let address = address.ok_or_else(|| Failure(format!("`{text}` has no address in lane {lane}")))?;
        if addresses.any(|(_, other)| other != Some(address)) {
            let message = "has another address in each lane: name one, as in `[x + 20]`";
            return Err(Failure(format!("`{text}` {message}")));
        }
        let (space, address) = space.resolve(address.integer() as u64, &at);
        if space == Space::Local && at.active.count_ones() > 1 {
            return Err(Failure(format!(
                "`{text}` is in the local memory of each lane: set it in the scope Local"
            )));
        }
        Ok(Target::Element { space, owner: at.facts.owner(space, warp, lane), address, ty })
    }

    /// The lanes in which a register changes: a lane, or those that run next. A uniform register is the same in all lanes.
    fn changed_lanes(
        &mut self,
        warp: u32,
        cell: CellId,
        lane: Option<u32>,
        control: Control<'_>,
    ) -> Result<impl Iterator<Item = u32> + use<>, Failure> {
        let next = self.next_of(warp, self.position, control)?;
        let next = next.ok_or("the warp has ended: nothing reads its registers")?;
        let is_uniform = self.layout.get(cell).name.starts_with('U');
        let mask = match lane {
            _ if is_uniform => Mask::MAX >> (64 - self.width()),
            Some(lane) => 1 << lane,
            None => next.active,
        };
        Ok((0..self.width()).filter(move |lane| mask >> lane & 1 == 1))
    }

    /// The value of an expression in each lane of a warp.
    fn values(&mut self, warp: u32, text: &str, control: Control<'_>) -> Result<Lanes, Failure> {
        let expression = Expression::parse(text).map_err(|error| positioned(&error))?;
        let state = self.state(control)?;
        let at = self.scope_of(warp, &state, expression.needs_visit(), control)?;
        expression.evaluate(&at).map_err(|error| positioned(&error))
    }

    /// Refuses memory that the launch does not have, or cannot change.
    fn check_memory(&mut self, change: &Change, control: Control<'_>) -> Result<(), Failure> {
        let Change::Memory { space, owner, address, data } = change else { return Ok(()) };
        if matches!(space, Space::Param | Space::Const) {
            return Err("parameters and constants cannot be changed".into());
        }
        self.check_owner(*space, *owner)?;
        let state = self.state(control)?;
        let missing = (0..data.len() as u64)
            .map(|at| address.wrapping_add(at))
            .find(|address| self.byte(&state, *space, *owner, *address).is_none());
        match missing {
            Some(address) => Err(Failure(format!("the launch has no memory at {address:#x}"))),
            None => Ok(()),
        }
    }
}

fn positioned(error: &ParseError) -> Failure {
    Failure(format!("column {}: {}", error.offset + 1, error.message))
}

/// The bits of a value as a type; `text` is what the client wrote. The bits of a floating-point value may be given in hexadecimal.
fn bits_of(value: Option<Value>, ty: ScalarType, text: &str) -> Result<u128, Failure> {
    let refused = || Failure(format!("`{text}` does not fit in {}", ty.name()));
    let value = value.ok_or_else(|| Failure(format!("`{text}` has no value in every lane")))?;
    let bits = ty.bits();
    let is_float = ty.class() == Class::Float && !matches!(ty, ScalarType::F16x2 | ScalarType::Bf16x2);
    match value {
        Value::Integer(value) if is_float && !text.trim_start().starts_with("0x") => {
            Ok(ty.bits_of_float(value as f64).into())
        }
        Value::Integer(value) => {
            let (low, high) = match bits {
                1 => (0, 1),
                128 => (i128::MIN, i128::MAX),
                _ => (-1 << (bits - 1), (1 << bits) - 1),
            };
            let mask = if bits == 128 { u128::MAX } else { (1 << bits) - 1 };
            (low..=high).contains(&value).then_some(value as u128 & mask).ok_or_else(refused)
        }
        Value::Float(value) if is_float => Ok(ty.bits_of_float(value).into()),
        Value::Float(_) => Err(refused()),
    }
}
