//! Writes a recording while the run goes on.

use std::any::Any;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::access::{Access, LateWrite, Space};
use super::checkpoint::{Checkpoint, Checkpoints, Held};
use super::codec::{self, Previous};
use super::edit::{DueChange, EDIT, Edit};
use super::event::{Event, EventWith, Row, Write};
use super::layout::{CellId, Layout};
use super::segments::{Recording, Segment};
use super::state::State;
use crate::ids::{Mask, StatementId, WarpId};
use crate::lane_iter::lanes;
use crate::trace::RegisterValues;
use crate::traced_value::TracedValue;

/// The steps of a segment, if the state is small.
const INTERVAL: u64 = 2048;

/// Stands for the launch where an event has a statement.
pub(super) const LAUNCH: u32 = u32::MAX;

/// Which steps are kept: from the first, until they take too many bytes.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    pub from: u64,
    /// No step from this one on is needed.
    pub until: u64,
    pub max_bytes: usize,
}

/// An event that has no number yet.
pub(super) type Step = EventWith<()>;

impl Step {
    /// A step outside activations of functions.
    pub(super) fn new(warp: u32, statement: StatementId, active: Mask, executed: Mask) -> Step {
        let (step, is_late, depth, enters, writes, accesses) = (0, false, 0, None, (), ());
        Step { step, is_late, warp, statement, active, executed, depth, enters, writes, accesses }
    }

    /// What lanes receive from a statement later.
    fn late(warp: u32, statement: StatementId, lanes: Mask) -> Step {
        Step { is_late: true, ..Step::new(warp, statement, lanes, lanes) }
    }
}

/// The function and the depth of its activation, and the registers by name, with a value for each lane of the warp.
pub type PassedRegisters<'r> = (u32, u32, &'r [(SmolStr, Vec<u64>)]);

#[derive(Debug)]
pub(super) struct Writer {
    layout: Arc<Layout>,
    grid: [u32; 3],
    window: Window,
    state: State,
    segments: Vec<Segment>,
    /// The segment that is being written; `None` before the window and after it.
    open: Option<Segment>,
    previous: Previous,
    /// The number of the next step.
    step: u64,
    /// Bytes of the segments and of what their states do not share.
    used_bytes: usize,
    /// Bytes of the state at the start of the window.
    base: usize,
    end: Option<u64>,
    /// How often warps have visited statements before the window.
    visits: FxHashMap<(u32, StatementId), u64>,
    /// The step after the last one of warps that have ended.
    ends: FxHashMap<u32, u64>,
    /// In order of their steps.
    edits: Arc<[Edit]>,
    /// How many of them are recorded.
    recorded_edits: usize,
    /// The recorded ones that the run still has to make.
    due_edits: Vec<usize>,
    pub(super) checkpoints: Checkpoints,
    /// Where the run goes on.
    resumed: Option<Arc<Checkpoint>>,
    /// What the next event writes and accesses, encoded.
    writes: Vec<u8>,
    accesses: Vec<u8>,
}

impl Writer {
    pub(super) fn new(layout: Arc<Layout>, grid: [u32; 3], window: Window, edits: Arc<[Edit]>) -> Writer {
        Writer {
            layout,
            grid,
            window,
            state: State::default(),
            segments: Vec::new(),
            open: None,
            previous: Previous::default(),
            step: 0,
            used_bytes: 0,
            base: 0,
            end: None,
            visits: FxHashMap::default(),
            ends: FxHashMap::default(),
            edits,
            recorded_edits: 0,
            due_edits: Vec::new(),
            checkpoints: Checkpoints::none(),
            resumed: None,
            writes: Vec::new(),
            accesses: Vec::new(),
        }
    }

    /// The run goes on at the last checkpoint before a step.
    pub(super) fn go_on_before(&mut self, step: u64, checkpoints: Checkpoints) {
        self.resumed = checkpoints.before(step).cloned();
        self.checkpoints = checkpoints;
        if let Some(Held { state, bytes, ends }) = self.resumed.as_ref().map(|resumed| resumed.held.clone()) {
            (self.state, self.used_bytes, self.ends) = (state, bytes, ends);
        }
    }

    pub(super) fn resumed(&self) -> Option<&(dyn Any + Send + Sync)> {
        self.resumed.as_ref().map(|resumed| &*resumed.machine)
    }

    pub(super) fn leave_checkpoint(&mut self, step: u64, bytes: usize, machine: Box<dyn Any + Send + Sync>) {
        let held = Held { state: self.state.clone(), bytes: self.used_bytes, ends: self.ends.clone() };
        self.checkpoints.add(step, bytes, machine, held);
    }

    /// The number of a warp in the launch.
    pub(super) fn number(&self, WarpId { cta, warp }: WarpId) -> u32 {
        let [x, y, _] = self.grid;
        let block = (cta[2] * y + cta[1]) * x + cta[0];
        block * self.layout.warps + warp
    }

    /// The run begins to send its steps; this is the number of the next one.
    pub(super) fn begin(&mut self, step: u64) {
        self.step = step;
    }

    /// Sets what a warp holds in registers of a function, in an activation of it.
    pub(super) fn holds(
        &mut self,
        warp: WarpId,
        (function, depth): (u32, u32),
        registers: &[RegisterValues],
    ) {
        let number = self.number(warp);
        for register in registers {
            let Some(cell) = self.layout.find(function, &register.name) else { continue };
            let cell = self.layout.at_depth(cell, depth);
            let known = || (0..).zip(&register.lanes).filter_map(|(lane, value)| Some((lane, (*value)?)));
            let mask = known().fold(0, |mask: Mask, (lane, _): (u32, u128)| mask | 1 << lane);
            if mask == 0 {
                continue;
            }
            let row = |shift: u32| Row {
                lanes: mask,
                values: known().map(|(_, value)| (value >> shift) as u64).collect(),
            };
            let write = Write { cell, low: row(0), high: (register.bits > 64).then(|| row(64)) };
            self.used_bytes += self.state.write(number, &write, self.layout.len());
        }
    }

    /// Sets what memory holds from an address on, where it differs from what it held at the start of the launch.
    pub(super) fn holds_bytes(
        &mut self,
        (space, owner, address): (Space, u64, u64),
        initial: &[u8],
        bytes: &[u8],
    ) {
        self.used_bytes += self.state.differs((space, owner, address), initial, bytes);
    }

    pub(super) fn visited(&mut self, warp: WarpId, visits: &[(StatementId, u64)]) {
        let number = self.number(warp);
        self.visits.extend(visits.iter().map(|(statement, count)| ((number, *statement), *count)));
    }

    pub(super) fn ended(&mut self, warp: WarpId, step: u64) {
        self.ends.insert(self.number(warp), step);
    }

    /// Whether what warps held that have ended takes less than an eighth of the memory.
    pub(super) fn has_room(&self) -> bool {
        self.used_bytes < self.window.max_bytes / 8
    }

    pub(super) fn is_complete(&self) -> bool {
        self.end.is_some()
    }

    /// Sends a step whose registers have these values.
    pub(super) fn step(&mut self, step: Step, written: Mask, values: &[TracedValue], accesses: &[Access]) {
        let Writer { layout, state, used_bytes, writes, .. } = self;
        for (named, value) in layout.named(step.statement).iter().zip(values) {
            let mask = written & value.known;
            if mask == 0 {
                continue;
            }
            for word in 0..named.written {
                let cell = layout.at_depth(CellId(named.first.0 + u32::from(word)), step.depth);
                let write = write_of(cell, value, mask, named.cells, word);
                codec::put_write(writes, step.executed, &write);
                *used_bytes += state.write(step.warp, &write, layout.len());
            }
        }
        accesses.iter().for_each(|access| self.access(step.warp, access));
        self.put(&step);
    }

    /// Sends what a call or a return passes to an activation of a function. Registers have a value for each lane of the warp.
    pub(super) fn passed(
        &mut self,
        step: &Step,
        (function, depth, registers): PassedRegisters<'_>,
        accesses: &[Access],
    ) {
        if let Some(activation) = step.enters {
            self.state.enter(step.warp, activation, step.executed, &self.layout);
        }
        for (name, by_lane) in registers {
            let Some(cell) = self.layout.find(function, name) else { continue };
            let cell = self.layout.at_depth(cell, depth);
            let values = lanes(step.executed).map(|lane| by_lane[lane]).collect();
            let write = Write { cell, low: Row { lanes: step.executed, values }, high: None };
            self.write(step.warp, step.executed, &write);
        }
        accesses.iter().for_each(|access| self.access(step.warp, access));
        self.put(step);
    }

    /// The launch gives a register this value in every lane.
    pub(super) fn initial(&mut self, warp: u32, register: &str, value: u64) {
        let Some(cell) = self.layout.find(0, register) else { return };
        let lanes = if self.layout.width < 64 { (1 << self.layout.width) - 1 } else { Mask::MAX };
        let values = vec![value; lanes.count_ones() as usize];
        let write = Write { cell, low: Row { lanes, values }, high: None };
        self.write(warp, lanes, &write);
        self.put(&Step::late(warp, StatementId(LAUNCH), lanes));
    }

    pub(super) fn late_memory(&mut self, write: LateWrite) {
        let LateWrite { space, owner, address, data, source, issuer: (block, warp), lanes: mask, statement } =
            write;
        let number = block as u32 * self.layout.warps + warp;
        let lane = mask.trailing_zeros() % 32;
        let bytes = data.len() as u64;
        let lanes = vec![(lane, address)];
        let access = Access { space, owner, reads: false, writes: true, bytes, lanes, data };
        if let Some((space, owner, address)) = source {
            let (lanes, data) = (vec![(lane, address)], Vec::new());
            let read = Access { space, owner, reads: true, writes: false, bytes, lanes, data };
            self.access(number, &read);
        }
        self.access(number, &access);
        self.put(&Step::late(number, StatementId(statement), mask.into()));
    }

    pub(super) fn has_edits(&self) -> bool {
        !self.edits.is_empty()
    }

    /// The changes that a group of lanes of a warp in a function makes before its next step.
    pub(super) fn due(&mut self, group: (u32, (u32, u32), Mask)) -> Vec<DueChange> {
        self.record_edits();
        let (edits, layout) = (Arc::clone(&self.edits), Arc::clone(&self.layout));
        let mut made = Vec::new();
        self.due_edits.retain(|number| match edits[*number].change.due(group, &layout) {
            Some(change) => {
                made.push(change);
                false
            }
            None => true,
        });
        made
    }

    /// Records the changes before the next step.
    fn record_edits(&mut self) {
        let edits = Arc::clone(&self.edits);
        while let Some(edit) = edits.get(self.recorded_edits).filter(|edit| edit.before <= self.step) {
            let (warp, lanes, write, access) = edit.change.event(&self.layout);
            if let Some(write) = write {
                self.write(warp, lanes, &write);
            }
            if let Some(access) = access {
                self.access(warp, &access);
            }
            self.put(&Step::late(warp, EDIT, lanes));
            self.due_edits.push(self.recorded_edits);
            self.recorded_edits += 1;
        }
    }

    /// Encodes a write of the next event and applies it to the state.
    fn write(&mut self, warp: u32, lanes: Mask, write: &Write) {
        codec::put_write(&mut self.writes, lanes, write);
        self.used_bytes += self.state.write(warp, write, self.layout.len());
    }

    /// Encodes an access of the next event and applies it to the state.
    fn access(&mut self, warp: u32, access: &Access) {
        codec::put_access(&mut self.accesses, access);
        self.used_bytes += self.state.store(warp, access);
    }

    /// Appends an event with the writes and accesses since the last one.
    fn put(&mut self, step: &Step) {
        let &Step { warp, statement, is_late, .. } = step;
        if let Some(open) = &mut self.open {
            let event = Event { writes: &self.writes, accesses: &self.accesses, ..step.map(|()| &[][..]) };
            codec::put_event(&mut open.bytes, &mut self.previous, &event);
            if !is_late {
                open.add_step(warp, statement);
            }
        } else if self.step == 0 && self.window.from == 0 && self.end.is_none() {
            // The first event: the state before it is empty.
            self.open = Some(Segment::default());
            return self.put(step);
        } else if self.end.is_none() && !is_late {
            *self.visits.entry((warp, statement)).or_default() += 1;
        }
        self.writes.clear();
        self.accesses.clear();
        if !is_late {
            self.step += 1;
            self.next_segment();
            self.record_edits();
        }
    }

    /// Starts another segment where the open one is long enough, or where the window begins.
    fn next_segment(&mut self) {
        if self.end.is_some() || self.step < self.window.from {
            return;
        }
        let is_long = |open: &Segment| self.step - open.first >= INTERVAL.max(self.state.size() as u64 / 2);
        if self.open.as_ref().is_some_and(|open| !is_long(open)) {
            return;
        }
        match self.segments.is_empty() && self.open.is_none() {
            // What the window starts with leaves it as much room as any other.
            true => (self.base, self.used_bytes) = (self.used_bytes, 0),
            false => self.close(),
        }
        if self.used_bytes > self.window.max_bytes || self.step >= self.window.until {
            self.end = Some(self.step);
            return;
        }
        self.used_bytes += self.state.own_bytes();
        self.previous = Previous::default();
        self.open = Some(Segment { first: self.step, state: self.state.clone(), ..Segment::default() });
    }

    fn close(&mut self) {
        let Some(mut open) = self.open.take() else { return };
        open.complete();
        self.used_bytes += open.bytes.len() + size_of_val(&*open.warps) + 64;
        self.segments.push(open);
    }

    pub(super) fn take(&mut self) -> Recording {
        self.close();
        let segments = std::mem::take(&mut self.segments);
        let end = self.end.unwrap_or(self.step);
        let last = std::mem::take(&mut self.state);
        let ends = std::mem::take(&mut self.ends);
        let visits = std::mem::take(&mut self.visits);
        let bytes = self.base + self.used_bytes + 32 * visits.len();
        Recording::new(Arc::clone(&self.layout), segments, (end, bytes), (last, ends), visits)
    }
}

/// What was written to a cell, which is one word of a value in several cells.
fn write_of(cell: CellId, value: &TracedValue, mask: Mask, cells: u16, word: u16) -> Write {
    let row = |values: &[u64]| Row { lanes: mask, values: values_in(mask, values) };
    if cells > 1 {
        let half = 32 * (word % 2);
        let mut low = row(if word < 2 { &value.low } else { &value.high });
        low.values.iter_mut().for_each(|value| *value = *value >> half & 0xffff_ffff);
        return Write { cell, low, high: None };
    }
    Write { cell, low: row(&value.low), high: (!value.high.is_empty()).then(|| row(&value.high)) }
}

/// The values of the lanes of a mask.
fn values_in(mask: Mask, values: &[u64]) -> Vec<u64> {
    let count = mask.count_ones() as usize;
    if mask.trailing_ones() as usize == count
        && let Some(values) = values.get(..count)
    {
        return values.to_vec();
    }
    let mut chosen = Vec::with_capacity(count);
    chosen.extend(lanes(mask).map(|lane| values.get(lane).copied().unwrap_or(0)));
    chosen
}
