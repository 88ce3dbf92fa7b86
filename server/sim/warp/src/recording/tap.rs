//! How a run sends its steps to a recording.

use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::access::{Access, LateWrite, Space};
use super::checkpoint::Checkpoints;
use super::edit::{DueChange, Edit};
use super::layout::Layout;
use super::segments::Recording;
use super::writer::{PassedRegisters, Step, Window, Writer};
use crate::ids::{Mask, StatementId, WarpId};
use crate::trace::RegisterValues;
use crate::traced_value::TracedValue;

/// Receives the steps of all warps of a run without workers, from a step on. The run up to there is as fast as any other.
#[derive(Clone)]
pub struct Tap(Arc<Shared>);

struct Shared {
    /// The step from which on the run sends its steps.
    begins: u64,
    is_on: AtomicBool,
    writer: Mutex<Writer>,
}

impl fmt::Debug for Tap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tap")
    }
}

impl Tap {
    /// Records the steps of a window of a run that a user changes. The edits are in order of their steps. The run may go on from a
    /// checkpoint of an earlier one, and adds others.
    pub fn new(
        layout: Arc<Layout>,
        grid: [u32; 3],
        window: Window,
        edits: Arc<[Edit]>,
        checkpoints: Checkpoints,
    ) -> Tap {
        // The run begins to send steps at the end of straight-line code, which has at most all statements.
        let margin = 64 + layout.statements();
        let first = edits.first().map_or(window.from, |edit| window.from.min(edit.before));
        let begins = first.saturating_sub(margin);
        let mut writer = Writer::new(layout, grid, window, edits);
        writer.go_on_before(begins, checkpoints);
        let writer = Mutex::new(writer);
        Tap(Arc::new(Shared { begins, is_on: AtomicBool::new(begins == 0), writer }))
    }

    fn with<T>(&self, act: impl FnOnce(&mut Writer) -> T) -> T {
        act(&mut self.0.writer.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether the run sends its steps now.
    pub fn is_on(&self) -> bool {
        self.0.is_on.load(Ordering::Relaxed)
    }

    /// The step from which on the run sends its steps, if it does not yet.
    pub fn begins(&self) -> Option<u64> {
        (!self.is_on()).then_some(self.0.begins)
    }

    /// From now on the run sends its steps; this is the number of the next one. What registers and memory hold follows.
    pub fn begin(&self, step: u64) {
        self.with(|writer| writer.begin(step));
        self.0.is_on.store(true, Ordering::Relaxed);
    }

    /// What a warp holds in registers of a function, in an activation of it, when the run begins to send its steps, or when
    /// the warp ended before.
    pub fn holds(&self, warp: WarpId, activation: (u32, u32), registers: &[RegisterValues]) {
        self.with(|writer| writer.holds(warp, activation, registers));
    }

    /// What memory holds from an address on when the run begins to send its steps; `initial` is what it held at the start of
    /// the launch.
    pub fn holds_bytes(&self, at: (Space, u64, u64), initial: &[u8], bytes: &[u8]) {
        self.with(|writer| writer.holds_bytes(at, initial, bytes));
    }

    /// How often a warp has visited statements when the run begins to send its steps.
    pub fn visited(&self, warp: WarpId, visits: &[(StatementId, u64)]) {
        self.with(|writer| writer.visited(warp, visits));
    }

    /// A warp has ended; `step` is the number of the next step of the launch.
    pub fn ended(&self, warp: WarpId, step: u64) {
        self.with(|writer| writer.ended(warp, step));
    }

    /// Whether there is room for what warps held that have ended before the run begins to send its steps.
    pub fn has_room(&self) -> bool {
        !self.is_on() && self.with(|writer| writer.has_room())
    }

    pub fn of(&self, warp: WarpId) -> WarpTap {
        let (warp, has_edits) = self.with(|writer| (writer.number(warp), writer.has_edits()));
        let (tap, values, accesses) = (self.clone(), Vec::new(), Vec::new());
        WarpTap { tap, warp, has_edits, depth: 0, visit: None, values, accesses }
    }

    /// The number of a warp in the launch.
    pub fn number(&self, warp: WarpId) -> u32 {
        self.with(|writer| writer.number(warp))
    }

    /// The run at the checkpoint where this one goes on; `None` at the start of the launch.
    pub fn resumed<M: Clone + 'static>(&self) -> Option<M> {
        self.with(|writer| writer.resumed().and_then(|machine| machine.downcast_ref().cloned()))
    }

    /// The step from which on the run should leave a checkpoint, if it does not send its steps yet.
    pub fn next_checkpoint(&self) -> Option<u64> {
        (!self.is_on()).then(|| self.with(|writer| writer.checkpoints.next()))
    }

    /// The next step after this one at which the run should pause for a checkpoint, or from which on to begin sending its steps, if it
    /// does not send them yet.
    pub fn next_pause(&self, step: u64) -> Option<u64> {
        let checkpoint = self.next_checkpoint().filter(|next| *next > step);
        Some(self.begins()?.max(step).min(checkpoint.unwrap_or(u64::MAX)))
    }

    /// Whether a checkpoint of about this size fits; if not, the run leaves none.
    pub fn admits_checkpoint(&self, bytes: u64) -> bool {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        self.with(|writer| writer.checkpoints.admit(bytes))
    }

    /// Leaves a checkpoint of about `bytes` bytes. Another run can go on with the machine.
    pub fn leave_checkpoint(&self, step: u64, bytes: u64, machine: impl Any + Send + Sync) {
        self.with(|writer| writer.leave_checkpoint(step, bytes as usize, Box::new(machine)));
    }

    /// The checkpoints, those of earlier runs too.
    pub fn take_checkpoints(&self) -> Checkpoints {
        self.with(|writer| std::mem::replace(&mut writer.checkpoints, Checkpoints::none()))
    }

    /// Whether the window has been recorded, so that the run may end.
    pub fn is_complete(&self) -> bool {
        self.with(|writer| writer.is_complete())
    }

    /// An asynchronous operation has written memory.
    pub fn wrote_late(&self, write: LateWrite) {
        if self.is_on() {
            self.with(|writer| writer.late_memory(write));
        }
    }

    /// The recording so far.
    pub fn take(&self) -> Recording {
        self.with(Writer::take)
    }
}

/// A visit that is not sent yet.
#[derive(Clone, Copy, Debug)]
struct Visit {
    statement: StatementId,
    active: Mask,
    executed: Mask,
    /// The lanes in which registers are written.
    written: Mask,
}

/// Collects a step of a warp before it is sent.
#[derive(Clone, Debug)]
pub struct WarpTap {
    tap: Tap,
    warp: u32,
    has_edits: bool,
    /// The activation whose statements the warp visits: how many others of its function are among its callers.
    pub depth: u32,
    visit: Option<Visit>,
    values: Vec<TracedValue>,
    accesses: Vec<Access>,
}

impl WarpTap {
    /// The launch gives a register this value in every lane.
    pub fn starts_with(&self, register: &str, value: u64) {
        self.tap.with(|writer| writer.initial(self.warp, register, value));
    }

    /// The changes that a user makes before the next step of these lanes, which are in a function.
    pub fn due(&self, function: u32, lanes: Mask) -> Vec<DueChange> {
        if !self.has_edits {
            return Vec::new();
        }
        self.tap.with(|writer| writer.due((self.warp, (function, self.depth), lanes)))
    }

    /// The accesses of the next step.
    pub fn accessed(&mut self, accesses: Vec<Access>) {
        self.accesses = accesses;
    }

    /// A step begins. Its registers follow.
    pub(crate) fn visit(&mut self, statement: StatementId, (active, executed): (Mask, Mask)) {
        self.visit = Some(Visit { statement, active, executed, written: executed });
    }

    /// The step writes registers in other lanes than those that execute it.
    pub(crate) fn writes_in(&mut self, lanes: Mask) {
        if let Some(visit) = &mut self.visit {
            visit.written = lanes;
        }
    }

    pub(crate) fn values(&mut self, registers: usize) -> &mut [TracedValue] {
        self.values.resize_with(registers, TracedValue::default);
        // Only wide values are written there.
        self.values.iter_mut().for_each(|value| value.high = Box::default());
        &mut self.values
    }

    fn step(&self, statement: StatementId, active: Mask, executed: Mask) -> Step {
        Step { depth: self.depth, ..Step::new(self.warp, statement, active, executed) }
    }

    /// Sends the step.
    pub(crate) fn send(&mut self) {
        let Some(Visit { statement, active, executed, written }) = self.visit.take() else { return };
        let step = self.step(statement, active, executed);
        let accesses = std::mem::take(&mut self.accesses);
        self.tap.with(|writer| writer.step(step, written, &self.values, &accesses));
    }

    /// Sends what lanes receive from an earlier statement.
    pub(crate) fn send_late(&mut self, statement: StatementId, lanes: Mask) {
        let step = Step { is_late: true, ..self.step(statement, lanes, lanes) };
        self.tap.with(|writer| writer.step(step, lanes, &self.values, &[]));
    }

    /// Sends what a call or a return passes to an activation, registers and memory. With a call, the activation begins.
    pub fn passed(
        &self,
        (statement, begins): (StatementId, bool),
        lanes: Mask,
        registers: PassedRegisters<'_>,
        accesses: &[Access],
    ) {
        let enters = begins.then_some((registers.0, registers.1));
        let step = Step { is_late: true, enters, ..self.step(statement, lanes, lanes) };
        self.tap.with(|writer| writer.passed(&step, registers, accesses));
    }

    /// Sends a step without registers: one that faults, or that the run takes for lanes that exit.
    pub fn send_bare(&mut self, statement: StatementId, active: Mask, executed: Mask) {
        let step = self.step(statement, active, executed);
        let accesses = std::mem::take(&mut self.accesses);
        self.tap.with(|writer| writer.step(step, 0, &[], &accesses));
    }
}
