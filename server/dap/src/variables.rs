//! Scopes and variables of a warp at the position.

use serde_json::{Value as Json, json};
use warplens_sim_warp::recording::{CellId, Place, Space, State};
use warplens_sim_warp::{Control, Mask, ScalarType, StatementId};

use crate::debuggee::{Activation, At, Debuggee, written};
use crate::expression::{Lanes, Value};
use crate::failure::Failure;
use crate::requested::number;
use crate::special;

/// The elements that a client gets at once unless it asks for some.
const MAX_ELEMENTS: u64 = 1024;

/// What a reference of a client stands for.
#[derive(Debug, Clone)]
pub(crate) enum Container {
    Scope {
        kind: ScopeKind,
        warp: u32,
        activation: Activation,
        statement: Option<StatementId>,
    },
    /// A register by lane.
    Register {
        warp: u32,
        cell: CellId,
    },
    /// Values by lane, already computed.
    Lanes(Lanes),
    /// Memory in elements.
    Memory {
        space: Space,
        owner: u64,
        address: u64,
        len: u64,
        ty: ScalarType,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    Lanes,
    Registers,
    Special,
    Parameters,
    Shared,
    Local,
    Global,
    Divergence,
    Barriers,
}

impl ScopeKind {
    pub(crate) const ALL: [(ScopeKind, &'static str); 9] = [
        (ScopeKind::Lanes, "Lanes"),
        (ScopeKind::Registers, "Registers"),
        (ScopeKind::Special, "Special"),
        (ScopeKind::Parameters, "Parameters"),
        (ScopeKind::Shared, "Shared"),
        (ScopeKind::Local, "Local"),
        (ScopeKind::Global, "Global"),
        (ScopeKind::Divergence, "Divergence"),
        (ScopeKind::Barriers, "Barriers"),
    ];
}

/// The references that a client has, until the launch goes on. None is given twice, so that a late question about an earlier stop
/// gets no answer of another variable.
#[derive(Default)]
pub(crate) struct Handles {
    containers: Vec<Container>,
    /// How many references of earlier stops there are.
    earlier: u64,
}

impl Handles {
    pub(crate) fn clear(&mut self) {
        self.earlier += self.containers.len() as u64;
        self.containers.clear();
    }

    pub(crate) fn add(&mut self, container: Container) -> u64 {
        self.containers.push(container);
        self.earlier + self.containers.len() as u64
    }

    pub(crate) fn get(&self, reference: u64) -> Option<Container> {
        let number = reference.checked_sub(self.earlier + 1)?;
        self.containers.get(usize::try_from(number).ok()?).cloned()
    }
}

/// Which variables a client wants.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wanted {
    pub(crate) start: u64,
    pub(crate) count: Option<u64>,
    pub(crate) hex: bool,
}

/// The lanes of a mask as a client reads them.
pub(crate) fn lanes_text(mask: Mask) -> String {
    warplens_sim_warp::LaneSet(mask).to_string()
}

/// A value of an expression as a client reads it; `-` if there is none.
pub(crate) fn text_of(value: Option<Value>, hex: bool) -> String {
    match value {
        None => "-".to_owned(),
        Some(Value::Integer(value)) if hex => format!("{value:#x}"),
        Some(Value::Integer(value)) => value.to_string(),
        Some(Value::Float(value)) => format!("{value:?}"),
    }
}

/// A vector in a line: one value if it is uniform, a function of the lane if it is affine, else all values in groups of eight.
pub(crate) fn summary(values: &[Option<Value>], texts: &[String], active: Mask) -> String {
    let among: Vec<(i128, usize)> =
        (0..values.len()).filter(|lane| active >> lane & 1 == 1).map(|lane| (lane as i128, lane)).collect();
    let Some(&(first_lane, first)) = among.first() else { return grouped(texts) };
    if among.iter().all(|(_, lane)| texts[*lane] == texts[first]) {
        return texts[first].clone();
    }
    let integer = |lane: usize| match values[lane] {
        Some(Value::Integer(value)) => Some(value),
        _ => None,
    };
    if let [_, (second_lane, second), _, ..] = among[..]
        && let (Some(low), Some(next)) = (integer(first), integer(second))
    {
        let gap = second_lane - first_lane;
        let difference = next.wrapping_sub(low);
        let stride = difference / gap;
        let base = low.wrapping_sub(stride.wrapping_mul(first_lane));
        let fits = difference % gap == 0
            && among.iter().all(|(number, lane)| {
                integer(*lane) == Some(base.wrapping_add(stride.wrapping_mul(*number)))
            });
        if fits {
            let product = if stride == 1 { "lane".to_owned() } else { format!("{stride}*lane") };
            return match base {
                0 => product,
                1.. => format!("{product}+{base}"),
                _ => format!("{product}{base}"),
            };
        }
    }
    grouped(texts)
}

fn grouped(texts: &[String]) -> String {
    texts.chunks(8).map(|row| row.join(" ")).collect::<Vec<_>>().join(" | ")
}

fn variable(name: impl Into<String>, value: impl Into<String>, reference: u64) -> Json {
    json!({ "name": name.into(), "value": value.into(), "variablesReference": reference })
}

impl Debuggee {
    /// The warp at the position, for expressions: as of its next statement, whose visit is counted.
    pub(crate) fn scope_of<'d>(
        &'d mut self,
        warp: u32,
        state: &'d State,
        needs_visit: bool,
        control: Control<'_>,
    ) -> Result<At<'d>, Failure> {
        let next = self.next_of(warp, self.position, control)?;
        let visit = match next.filter(|_| needs_visit) {
            None => None,
            Some(next) => Some(self.visit_of(warp, next, control)?),
        };
        // At the end of a warp, its lanes as they were launched.
        let all = self.launched(warp);
        let (active, executed) = next.map_or((all, all), |next| (next.active, next.executed));
        let activation = next.map_or_else(Activation::default, |next| self.activation(next));
        Ok(At { facts: &self.facts, state, step: self.position, warp, activation, active, executed, visit })
    }

    pub(crate) fn register(
        &self,
        handles: &mut Handles,
        (warp, cell): (u32, CellId),
        active: Mask,
        state: &State,
        hex: bool,
    ) -> Json {
        let (values, texts) = self.lanes_of(warp, cell, state, hex);
        let layout = &self.layout;
        let name = layout.get(cell).name.to_string();
        let is_written = state.cell(warp, cell).is_some_and(|value| value.known != 0);
        let active = if active == 0 { self.launched(warp) } else { active };
        let text = if is_written { summary(&values, &texts, active) } else { "never written".to_owned() };
        json!({
            "name": name,
            "value": text,
            "type": self.type_of(cell).name(),
            "variablesReference": handles.add(Container::Register { warp, cell }),
            "indexedVariables": self.width(),
            "evaluateName": name,
        })
    }

    /// The values of a register by lane.
    fn lanes_of(&self, warp: u32, cell: CellId, state: &State, hex: bool) -> (Lanes, Vec<String>) {
        let ty = self.type_of(cell);
        let bits = |lane: u32| state.cell(warp, cell).and_then(|value| value.of(lane));
        let values = (0..self.width()).map(|lane| bits(lane).map(|bits| Value::of_bits(bits, ty))).collect();
        let text = |lane: u32| bits(lane).map_or_else(|| "-".to_owned(), |bits| written(bits, ty, hex));
        (values, (0..self.width()).map(text).collect())
    }

    /// The variables of a container.
    pub(crate) fn variables(
        &mut self,
        container: &Container,
        handles: &mut Handles,
        wanted: Wanted,
        control: Control<'_>,
    ) -> Result<Vec<Json>, Failure> {
        let state = match container {
            Container::Register { warp, .. } | Container::Scope { warp, .. } => {
                self.state_of(*warp, control)?
            }
            Container::Lanes(_) | Container::Memory { .. } => self.state(control)?,
        };
        let of_lanes = |texts: Vec<String>| {
            let lanes = texts.into_iter().enumerate();
            lanes.map(|(lane, text)| variable(lane.to_string(), text, 0)).collect()
        };
        let all: Vec<Json> = match container {
            Container::Memory { .. } => return Ok(self.elements(container, &state, wanted)),
            Container::Register { warp, cell } => of_lanes(self.lanes_of(*warp, *cell, &state, wanted.hex).1),
            Container::Lanes(values) => {
                of_lanes(values.iter().map(|value| text_of(*value, wanted.hex)).collect())
            }
            Container::Scope { kind, warp, activation, statement } => {
                let warp = *warp;
                match kind {
                    ScopeKind::Lanes | ScopeKind::Registers => {
                        let named = match kind {
                            ScopeKind::Lanes => self.named_by(*statement, *activation),
                            _ => self.registers_of(*activation),
                        };
                        let next = self.next_of(warp, self.position, control)?;
                        let active = next.map_or(0, |next| next.active);
                        let register =
                            |cell| self.register(handles, (warp, cell), active, &state, wanted.hex);
                        named.into_iter().map(register).collect()
                    }
                    ScopeKind::Special => self.special_registers(warp, handles),
                    ScopeKind::Parameters => self.parameters(wanted.hex),
                    ScopeKind::Global => self.buffers(handles),
                    ScopeKind::Shared => self.shared(warp, handles),
                    ScopeKind::Local => self.local(warp, handles),
                    ScopeKind::Divergence => self.divergence(warp, control)?,
                    ScopeKind::Barriers => self.barriers(control)?,
                }
            }
        };
        let count = wanted.count.filter(|count| *count != 0).unwrap_or(u64::MAX);
        Ok(all.into_iter().skip(wanted.start as usize).take(count.min(1 << 20) as usize).collect())
    }

    /// The registers that a statement names, each once.
    fn named_by(&self, statement: Option<StatementId>, activation: Activation) -> Vec<CellId> {
        let mut cells = Vec::new();
        for (cell, _) in statement.iter().flat_map(|statement| self.layout.registers(*statement)) {
            let cell = self.layout.at_depth(cell, activation.depth);
            if !cells.contains(&cell) {
                cells.push(cell);
            }
        }
        cells
    }

    fn registers_of(&self, Activation { function, depth }: Activation) -> Vec<CellId> {
        let own = self.layout.cells().filter(|(_, cell)| cell.function == function);
        own.map(|(id, _)| self.layout.at_depth(id, depth)).collect()
    }

    /// The wanted elements of a range of memory.
    fn elements(&self, memory: &Container, state: &State, wanted: Wanted) -> Vec<Json> {
        let &Container::Memory { space, owner, address, len, ty } = memory else { return Vec::new() };
        let size = u64::from(ty.bits() / 8).max(1);
        let count = wanted.count.filter(|count| *count != 0).unwrap_or(MAX_ELEMENTS).min(1 << 16);
        let element = |index: u64| {
            let at = address + index * size;
            let bits = (0..size).try_fold(0, |all, byte| {
                let held = self.byte(state, space, owner, at + byte)?;
                Some(all | u128::from(held) << (8 * byte))
            });
            let text = bits.map_or_else(|| "-".to_owned(), |bits| written(bits, ty, wanted.hex));
            json!({
                "name": index.to_string(), "value": text, "variablesReference": 0,
                "memoryReference": memory_reference(space, owner, at),
            })
        };
        let end = wanted.start.saturating_add(count).min(len / size);
        (wanted.start.min(end)..end).map(element).collect()
    }

    fn special_registers(&self, warp: u32, handles: &mut Handles) -> Vec<Json> {
        // The registers of the kernel tell how its language writes names.
        let first = self.layout.cells().next().and_then(|(_, cell)| cell.name.chars().next());
        let names: &[&str] = match first {
            Some('r' | 'p') => &special::WAVE,
            Some('R' | 'U' | 'P') => &special::SASS,
            _ => &special::PTX,
        };
        let (config, id, width) = (&self.prepared.resolved.config, self.id(warp), self.width());
        let of = |name: &&str| {
            let value = |lane| special::value(name, config, id, lane, width);
            let values: Lanes =
                (0..width).map(|lane| value(lane).map(|value| Value::Integer(value.into()))).collect();
            let texts: Vec<String> = (0..width).map(|lane| value(lane).unwrap_or(0).to_string()).collect();
            let text = summary(&values, &texts, self.launched(warp));
            json!({
                "name": name, "value": text, "variablesReference": handles.add(Container::Lanes(values)),
                "indexedVariables": width, "evaluateName": name,
            })
        };
        names.iter().map(of).collect()
    }

    fn parameters(&self, hex: bool) -> Vec<Json> {
        let config = &self.prepared.resolved.config;
        let words = config.params.chunks(8).enumerate().map(|(index, bytes)| {
            let value = bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
            let buffers = self.prepared.resolved.buffers.iter();
            let names =
                buffers.filter(|buffer| buffer.address == value).map(|buffer| format!(" = {}", buffer.name));
            let number = if hex { format!("0x{value:016x}") } else { value.to_string() };
            variable(format!("param+{}", 8 * index), number + &names.collect::<String>(), 0)
        });
        let registers = config
            .registers
            .iter()
            .map(|(register, value)| variable(format!("r{register}"), value.to_string(), 0));
        words.chain(registers).collect()
    }

    fn buffers(&self, handles: &mut Handles) -> Vec<Json> {
        let buffers = self.prepared.resolved.buffers.iter();
        let all = buffers.map(|buffer| {
            let (ty, len) = (buffer.element, buffer.len);
            let memory =
                Container::Memory { space: Space::Global, owner: 0, address: buffer.address, len, ty };
            let elements = len / u64::from(ty.bits() / 8).max(1);
            json!({
                "name": buffer.name.as_str(),
                "value": format!("{}[{elements}] at {:#x}", ty.name(), buffer.address),
                "variablesReference": handles.add(memory),
                "indexedVariables": elements,
                "memoryReference": memory_reference(Space::Global, 0, buffer.address),
            })
        });
        all.collect()
    }

    fn shared(&self, warp: u32, handles: &mut Handles) -> Vec<Json> {
        let owner = self.block_of(warp).into();
        let mut all: Vec<Json> = Vec::new();
        let mut objects: Vec<_> = self.shared_objects().into_iter().collect();
        let dynamic = u64::from(self.prepared.resolved.config.shared_memory);
        if objects.is_empty() && dynamic != 0 {
            objects.push(("shared".to_owned(), 0, dynamic));
        }
        for (name, address, len) in objects {
            let ty = ScalarType::U32;
            let memory = Container::Memory { space: Space::Shared, owner, address, len, ty };
            all.push(json!({
                "name": name,
                "value": format!("{len} bytes at {address:#x}"),
                "variablesReference": handles.add(memory),
                "indexedVariables": len / 4,
                "memoryReference": memory_reference(Space::Shared, owner, address),
            }));
        }
        all
    }

    fn local(&self, warp: u32, handles: &mut Handles) -> Vec<Json> {
        let of = |lane: u32| {
            let owner = Space::local_owner(warp, lane);
            let memory =
                Container::Memory { space: Space::Local, owner, address: 0, len: 4096, ty: ScalarType::U32 };
            json!({
                "name": format!("lane {lane}"), "value": "local memory", "variablesReference": handles.add(memory),
                "memoryReference": memory_reference(Space::Local, owner, 0),
            })
        };
        (0..self.width()).filter(|lane| self.launched(warp) >> lane & 1 == 1).map(of).collect()
    }

    fn divergence(&mut self, warp: u32, control: Control<'_>) -> Result<Vec<Json>, Failure> {
        let groups = self.groups(warp, control)?;
        let of = |group: crate::debuggee::Group| match group.next.map(|next| next.statement) {
            None => variable(lanes_text(group.lanes), "have executed their last statement", 0),
            Some(statement) => {
                let how = if group.runs { "run next" } else { "wait" };
                let text = self.text_of(statement);
                variable(
                    lanes_text(group.lanes),
                    format!("{how} at line {}: {text}", self.line(statement) + 1),
                    0,
                )
            }
        };
        Ok(groups.into_iter().map(of).collect())
    }
}

/// A reference to memory for `readMemory`: `global:0x10000000`, `shared:BLOCK:0x40`, `local:OWNER:0x0`.
pub(crate) fn memory_reference(space: Space, owner: u64, address: u64) -> String {
    match space {
        Space::Shared => format!("shared:{owner}:{address:#x}"),
        Space::Local => format!("local:{owner}:{address:#x}"),
        _ => format!("{address:#x}"),
    }
}

/// Reads what [`memory_reference`] writes.
pub(crate) fn parse_reference(text: &str) -> Option<(Space, u64, u64)> {
    let mut parts = text.split(':');
    let (first, second, third) = (parts.next()?, parts.next(), parts.next());
    match (first, second, third) {
        ("shared", Some(owner), Some(address)) => Some((Space::Shared, number(owner)?, number(address)?)),
        ("local", Some(owner), Some(address)) => Some((Space::Local, number(owner)?, number(address)?)),
        (address, None, None) => Some((Space::Global, 0, number(address)?)),
        _ => None,
    }
}

/// A place as a client names it.
pub(crate) fn place(register: Option<(u32, u32, CellId)>, byte: Option<(Space, u64, u64)>) -> Option<Place> {
    let register = register.map(|(warp, lane, cell)| Place::Register { warp, lane, cell });
    register.or_else(|| byte.map(|(space, owner, address)| Place::Byte { space, owner, address }))
}
