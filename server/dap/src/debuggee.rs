//! The debugged launch: its recording, its text, and the position.

use std::ops::{ControlFlow, Deref};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use warplens_ide_lanes::why::without_comment;
use warplens_ide_lanes::{Prepared, Replay, Statement};
use warplens_sim_cuda::windows;
use warplens_sim_warp::memory::DeviceMemory;
use warplens_sim_warp::recording::{CellId, EDIT, Event, Layout, Space, State};
use warplens_sim_warp::{Cancelled, Control, Mask, ScalarType, StatementId, WarpId};

use crate::expression::{Scope, Value};
use crate::failure::Failure;
use crate::special;

/// What a launch request names, opened.
pub struct Opened {
    /// The path, as the client gave it.
    pub path: String,
    pub text: String,
    pub replay: Replay,
}

/// A step of a warp, without its registers and accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Visit {
    pub(crate) step: u64,
    pub(crate) warp: u32,
    pub(crate) statement: StatementId,
    pub(crate) active: Mask,
    pub(crate) executed: Mask,
    pub(crate) depth: u32,
}

impl Visit {
    pub(crate) fn of(event: &Event<'_>) -> Visit {
        let Event { step, warp, statement, active, executed, depth, .. } = *event;
        Visit { step, warp, statement, active, executed, depth }
    }
}

/// A function, and how many activations of it are among the callers of this one: each has registers of its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Activation {
    pub(crate) function: u32,
    pub(crate) depth: u32,
}

/// Lanes of a warp that are at the same statement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group {
    /// The next visit; `None` if the lanes execute nothing more.
    pub(crate) next: Option<Visit>,
    pub(crate) lanes: Mask,
    /// Whether it is the next one of its warp to run.
    pub(crate) runs: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The group runs next.
    Runs,
    Waits,
    /// The lanes are in a call that this frame has made.
    Called,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct ShownFrame {
    /// The next visit of a group, or the call that it is in; `None` if the lanes execute nothing more.
    pub(crate) at: Option<Visit>,
    pub(crate) lanes: Mask,
    pub(crate) role: Role,
}

pub(crate) type Frames = Arc<[ShownFrame]>;

pub(crate) struct Debuggee {
    pub(crate) replay: Replay,
    /// Before this step.
    pub(crate) position: u64,
    /// The warp that has the focus, by its number in the launch.
    pub(crate) warp: u32,
    /// The frames that were shown at the position, by position and warp.
    pub(crate) shown_frames: FxHashMap<(u64, u32), Frames>,
    pub(crate) facts: Facts,
}

/// What is known about a launch without its recording, which may be in use at the same time.
pub(crate) struct Facts {
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) prepared: Prepared,
    pub(crate) layout: Arc<Layout>,
    /// By statement, from 0.
    lines: Vec<u32>,
    /// The statements of each line that has any, in order of lines.
    pub(crate) by_line: Vec<(u32, StatementId)>,
    /// The variables in shared memory: name, address and bytes.
    shared: Vec<(String, u64, u64)>,
    /// How the bits of registers are read.
    types: FxHashMap<SmolStr, ScalarType>,
    /// Addresses of variables in their state spaces.
    symbols: FxHashMap<SmolStr, u64>,
    initial: DeviceMemory,
    variables: Vec<DeviceMemory>,
}

impl Debuggee {
    pub(crate) fn new(opened: Opened) -> Result<Debuggee, Cancelled> {
        let Opened { path, text, replay } = opened;
        let starts: Vec<usize> =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let line = |offset: usize| starts.partition_point(|start| *start <= offset) as u32 - 1;
        let prepared = &replay.prepared;
        let lines: Vec<u32> =
            prepared.statements.iter().map(|statement| line(statement.range.start().into())).collect();
        let mut by_line: Vec<_> = lines.iter().copied().zip((0..).map(StatementId)).collect();
        by_line.sort_unstable();
        let (mut types, mut symbols, mut shared) = (FxHashMap::default(), FxHashMap::default(), Vec::new());
        for statement in prepared.statements.iter() {
            for (name, ty) in &statement.registers {
                types.entry(name.clone()).or_insert(*ty);
            }
            for object in statement
                .address
                .iter()
                .filter_map(|address| address.objects.as_ref())
                .flat_map(|it| it.iter())
            {
                symbols.insert(object.name.clone(), object.start);
                let opcode = mnemonic(&text, statement);
                let is_shared = opcode.contains(".shared")
                    || ["LDS", "STS", "ATOMS"].iter().any(|it| opcode.starts_with(it));
                let entry = (object.name.to_string(), object.start, object.len);
                if is_shared && !shared.contains(&entry) {
                    shared.push(entry);
                }
            }
        }
        for buffer in &prepared.resolved.buffers {
            symbols.entry(buffer.name.clone()).or_insert(buffer.address);
        }
        let initial = prepared.resolved.start(&|| false)?.memory;
        let variables = prepared.program.variables().into_iter().cloned().collect();
        let (prepared, layout) = (prepared.clone(), replay.shared_layout());
        let facts = Facts {
            path,
            text,
            prepared,
            layout,
            lines,
            by_line,
            shared,
            types,
            symbols,
            initial,
            variables,
        };
        Ok(Debuggee { position: 0, warp: 0, shown_frames: FxHashMap::default(), replay, facts })
    }

    pub(crate) fn steps(&self) -> u64 {
        self.replay.steps()
    }

    /// How the launch has run, in a line.
    pub(crate) fn summary(&self) -> String {
        let result = &self.replay.result;
        let (status, findings) = (result.status.as_str(), result.findings.len());
        format!("{} steps, {status}, {findings} findings\n", self.steps())
    }

    /// The warps of the shown block.
    pub(crate) fn warps(&self) -> std::ops::Range<u32> {
        let warps = self.layout.warps;
        let first = self.block_of(self.warp) * warps;
        first..first + warps
    }

    /// The next step of the launch.
    pub(crate) fn current(&mut self, control: Control<'_>) -> Result<Option<Visit>, Cancelled> {
        self.replay.with_event(self.position, control, Visit::of)
    }

    /// The first step of a warp from a step on.
    pub(crate) fn next_of(
        &mut self,
        warp: u32,
        from: u64,
        control: Control<'_>,
    ) -> Result<Option<Visit>, Cancelled> {
        self.find_next(warp, from, control, |_| true)
    }

    /// The first step of a warp from a step on that is wanted.
    pub(crate) fn find_next(
        &mut self,
        warp: u32,
        from: u64,
        control: Control<'_>,
        is_it: impl Fn(&Event<'_>) -> bool,
    ) -> Result<Option<Visit>, Cancelled> {
        self.replay.forward_of(warp, from, control, |event| match is_it(event) {
            true => ControlFlow::Break(Visit::of(event)),
            false => ControlFlow::Continue(()),
        })
    }

    /// The last step of a warp before a step.
    pub(crate) fn previous_of(
        &mut self,
        warp: u32,
        before: u64,
        control: Control<'_>,
    ) -> Result<Option<Visit>, Cancelled> {
        self.replay.backward_of(warp, before, control, |event| Some(Visit::of(event)))
    }

    /// The number of a visit among those of its statement by its warp, from 1.
    pub(crate) fn visit_of(
        &mut self,
        warp: u32,
        visit: Visit,
        control: Control<'_>,
    ) -> Result<u64, Cancelled> {
        self.replay.visits(warp, visit.statement, visit.step, control)
    }

    /// Moves the position, and the focus to the warp that runs there.
    pub(crate) fn go_to(&mut self, step: u64, control: Control<'_>) -> Result<(), Cancelled> {
        self.position = step;
        if let Some(visit) = self.current(control)? {
            self.warp = visit.warp;
        }
        Ok(())
    }

    pub(crate) fn state(&mut self, control: Control<'_>) -> Result<State, Cancelled> {
        self.replay.state(self.position, control)
    }

    /// The state at the position, with the registers of a warp also if it has ended before what the recording keeps.
    pub(crate) fn state_of(&mut self, warp: u32, control: Control<'_>) -> Result<State, Cancelled> {
        let state = self.state(control)?;
        if self.next_of(warp, self.position, control)?.is_some() {
            return Ok(state);
        }
        let Some(last) = self.previous_of(warp, self.position, control)? else { return Ok(state) };
        Ok(state.with_registers_of(warp, &self.replay.state(last.step + 1, control)?))
    }

    /// The groups of a warp at the position, the one that runs next first. The statement of each lane is the next one that it visits.
    pub(crate) fn groups(&mut self, warp: u32, control: Control<'_>) -> Result<Vec<Group>, Cancelled> {
        let (mut left, position) = (self.launched(warp), self.position);
        let mut groups: Vec<Group> = Vec::new();
        let _: Option<()> = self.replay.forward_of(warp, position, control, |event| {
            let lanes = event.active & left;
            if lanes != 0 {
                let next = Visit::of(event);
                let is_there = |other: Visit| (other.statement, other.depth) == (next.statement, next.depth);
                match groups.iter_mut().find(|group| group.next.is_some_and(is_there)) {
                    Some(group) => group.lanes |= lanes,
                    None => groups.push(Group { next: Some(next), lanes, runs: groups.is_empty() }),
                }
                left &= !lanes;
            }
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if left != 0 {
            groups.push(Group { next: None, lanes: left, runs: false });
        }
        Ok(groups)
    }
}

impl Deref for Debuggee {
    type Target = Facts;

    fn deref(&self) -> &Facts {
        &self.facts
    }
}

impl Facts {
    pub(crate) fn width(&self) -> u32 {
        self.layout.width
    }

    /// The line of a statement, from 0.
    pub(crate) fn line(&self, statement: StatementId) -> u32 {
        self.lines.get(statement.index()).copied().unwrap_or(0)
    }

    pub(crate) fn text_of(&self, statement: StatementId) -> &str {
        if statement == EDIT {
            return "set in the debugger";
        }
        let range = self.prepared.statements.get(statement.index()).map(|statement| statement.range);
        range.map_or("", |range| without_comment(&self.text[range]))
    }

    /// The opcode of a statement with its modifiers.
    pub(crate) fn opcode(&self, statement: StatementId) -> &str {
        self.prepared
            .statements
            .get(statement.index())
            .map_or("", |statement| mnemonic(&self.text, statement))
    }

    /// The column of a statement in UTF-16 code units, from 0.
    pub(crate) fn column(&self, statement: StatementId) -> u32 {
        let Some(statement) = self.prepared.statements.get(statement.index()) else { return 0 };
        let start = usize::from(statement.range.start());
        let line = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        self.text[line..start].encode_utf16().count() as u32
    }

    /// The number of the function of a statement.
    pub(crate) fn function_of(&self, statement: StatementId) -> u32 {
        self.layout.function(statement)
    }

    pub(crate) fn block_of(&self, warp: u32) -> u32 {
        warp / self.layout.warps.max(1)
    }

    pub(crate) fn id(&self, warp: u32) -> WarpId {
        self.prepared.warp_at(warp)
    }

    pub(crate) fn launched(&self, warp: u32) -> Mask {
        let width = u64::from(self.width());
        let within = u64::from(warp % self.layout.warps.max(1));
        let lanes = self.prepared.resolved.config.threads().saturating_sub(within * width).min(width);
        if lanes == 0 { 0 } else { Mask::MAX >> (64 - lanes) }
    }

    pub(crate) fn activation(&self, visit: Visit) -> Activation {
        Activation { function: self.function_of(visit.statement), depth: visit.depth }
    }

    /// The register with this name: of the activation, or else of the entry.
    pub(crate) fn cell(&self, Activation { function, depth }: Activation, name: &str) -> Option<CellId> {
        let layout = &self.layout;
        let own = layout.find(function, name).map(|cell| layout.at_depth(cell, depth));
        own.or_else(|| layout.find(0, name))
    }

    pub(crate) fn type_of(&self, cell: CellId) -> ScalarType {
        let cell = self.layout.get(cell);
        let bits = match cell.bits {
            0..=1 => ScalarType::Predicate,
            2..=8 => ScalarType::U8,
            9..=16 => ScalarType::B16,
            17..=32 => ScalarType::B32,
            33..=64 => ScalarType::B64,
            _ => ScalarType::B128,
        };
        let named = self.types.get(&cell.name).copied();
        named.filter(|ty| ty.bits() == bits.bits()).unwrap_or(bits)
    }

    /// Whether the kernel may declare a register that no statement names: it has others of the same name with another number.
    pub(crate) fn may_declare(&self, name: &str) -> bool {
        let base = |name: &str| name.trim_end_matches(|digit: char| digit.is_ascii_digit()).to_owned();
        let wanted = base(name);
        wanted != name && self.layout.cells().any(|(_, cell)| base(&cell.name) == wanted)
    }

    /// The byte at an address before the position, whether or not the launch wrote it.
    pub(crate) fn byte(&self, state: &State, space: Space, owner: u64, address: u64) -> Option<u8> {
        if let Some(byte) = state.byte(space, owner, address) {
            return Some(byte);
        }
        let one = |memory: &DeviceMemory| memory.bytes(address, 1).map(|bytes| bytes[0]);
        match space {
            Space::Global | Space::Const => {
                one(&self.initial).or_else(|| self.variables.iter().find_map(one))
            }
            Space::Param => self.prepared.resolved.config.params.get(address as usize).copied(),
            // Zeros until it is written, as far as it reaches.
            Space::Shared => {
                let size = self.prepared.program.shared_bytes(&self.prepared.resolved.config);
                (self.has_owner(space, owner) && address < size).then_some(0)
            }
            Space::Local => (self.has_owner(space, owner) && address < 1 << 20).then_some(0),
        }
    }

    /// Whether the block of shared memory, or the thread of local memory, is one of the launch.
    fn has_owner(&self, space: Space, owner: u64) -> bool {
        let blocks = self.prepared.grid().into_iter().map(u64::from).product::<u64>();
        match space {
            Space::Shared => owner < blocks,
            Space::Local => {
                let (warp, lane) = Space::local_thread(owner);
                let is_warp = u64::from(warp) < blocks * u64::from(self.layout.warps);
                is_warp && self.launched(warp) >> lane & 1 == 1
            }
            _ => true,
        }
    }

    /// Refuses a reference to memory of a block or a thread that the launch does not have.
    pub(crate) fn check_owner(&self, space: Space, owner: u64) -> Result<(), Failure> {
        if self.has_owner(space, owner) {
            return Ok(());
        }
        let [x, y, z] = self.prepared.grid().map(u64::from);
        let last = x * y * z - 1;
        Err(Failure(match space {
            Space::Shared => {
                format!("block {owner} does not exist: the launch has the blocks 0 to {last}")
            }
            _ => format!("the launch has no thread with local memory {owner}"),
        }))
    }

    /// The space and the address that a generic address stands for.
    pub(crate) fn space_of(&self, address: u64) -> (Space, u64) {
        match address {
            // WAVE has no generic addresses.
            _ if self.is_wave() => (Space::Global, address),
            0..windows::SHARED => (Space::Shared, address),
            windows::SHARED..windows::LOCAL => (Space::Shared, address % windows::RANK),
            windows::LOCAL..windows::PARAM => (Space::Local, address - windows::LOCAL),
            _ => (Space::Global, address),
        }
    }

    /// The owner of memory as a lane of a warp addresses it.
    pub(crate) fn owner(&self, space: Space, warp: u32, lane: u32) -> u64 {
        match space {
            Space::Shared => self.block_of(warp).into(),
            Space::Local => Space::local_owner(warp, lane),
            _ => 0,
        }
    }

    /// The variables in shared memory: name, address and bytes.
    pub(crate) fn shared_objects(&self) -> Vec<(String, u64, u64)> {
        self.shared.clone()
    }

    /// Whether addresses start at 0, in a language without generic addresses.
    pub(crate) fn is_wave(&self) -> bool {
        self.initial.bytes(0, 1).is_some()
    }

    /// The first statement of the function with this name, or of the kernel.
    pub(crate) fn function_named(&self, name: &str) -> Option<StatementId> {
        let count = self.prepared.statements.len() as u32;
        (0..count).map(StatementId).find(|statement| self.function_name(*statement) == name)
    }

    pub(crate) fn function_name(&self, statement: StatementId) -> String {
        let function = self.function_of(statement);
        if function == 0 {
            return self.prepared.resolved.launch.entry.clone().unwrap_or_else(|| "kernel".to_owned());
        }
        self.prepared.program.function_name(function)
    }

    pub(crate) fn symbol(&self, name: &str) -> Option<u64> {
        self.symbols.get(name).copied()
    }
}

/// The opcode of a statement with its modifiers.
fn mnemonic<'t>(text: &'t str, statement: &Statement) -> &'t str {
    let rest = &text[usize::from(statement.opcode.start())..usize::from(statement.range.end())];
    rest.split(|character: char| character.is_whitespace() || character == ';').next().unwrap_or_default()
}

/// A warp before a step, for expressions.
pub(crate) struct At<'d> {
    pub(crate) facts: &'d Facts,
    pub(crate) state: &'d State,
    pub(crate) step: u64,
    pub(crate) warp: u32,
    pub(crate) activation: Activation,
    pub(crate) active: Mask,
    pub(crate) executed: Mask,
    pub(crate) visit: Option<u64>,
}

impl Scope for At<'_> {
    fn width(&self) -> u32 {
        self.facts.width()
    }

    fn active(&self) -> Mask {
        self.active
    }

    fn register(&self, name: &str) -> Option<(CellId, ScalarType)> {
        let cell = self.facts.cell(self.activation, name)?;
        Some((cell, self.facts.type_of(cell)))
    }

    fn bits(&self, cell: CellId, lane: u32) -> Option<u128> {
        self.state.cell(self.warp, cell)?.of(lane)
    }

    fn special(&self, name: &str, lane: u32) -> Option<i128> {
        Some(match name {
            "lane" => lane.into(),
            "active" => self.active.into(),
            "executed" => self.executed.into(),
            "step" => self.step.into(),
            "visit" => self.visit?.into(),
            "warp" => (self.warp % self.facts.layout.warps.max(1)).into(),
            "block" => self.facts.block_of(self.warp).into(),
            _ => {
                let config = &self.facts.prepared.resolved.config;
                let warp = self.facts.id(self.warp);
                return special::value(name, config, warp, lane, self.facts.width())
                    .or_else(|| self.facts.symbol(name))
                    .map(i128::from);
            }
        })
    }

    fn byte(&self, space: Space, lane: u32, address: u64) -> Option<u8> {
        let owner = self.facts.owner(space, self.warp, lane);
        self.facts.byte(self.state, space, owner, address)
    }

    fn space_of(&self, address: u64) -> (Space, u64) {
        self.facts.space_of(address)
    }
}

/// The number that a value is in hexadecimal digits of its type.
pub(crate) fn hex(bits: u128, width: u16) -> String {
    let digits = usize::from(width.div_ceil(4).max(1));
    format!("{bits:0digits$x}")
}

/// A value as its type is written.
pub(crate) fn written(bits: u128, ty: ScalarType, is_hex: bool) -> String {
    if is_hex {
        return format!("0x{}", hex(bits, ty.bits() as u16));
    }
    match Value::of_bits(bits, ty) {
        Value::Integer(value) => value.to_string(),
        Value::Float(value) => format!("{value:?}"),
    }
}
