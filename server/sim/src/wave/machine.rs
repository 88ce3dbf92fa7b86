//! One wave and what it does with each operation.

use crate::record::Recorder;
use crate::trace::{Finding, Mask, RegisterValues, Severity, StatementId, Status};

use super::frames::{Frame, Frames, MAX_CALLS, MAX_NESTING};
use super::memory::{Memory, OutOfRange};
use super::program::{Action, Halves, Op, Program, Row, Space};
use super::spin::Watch;
use super::state::{Geometry, Place, State};

/// What a wave runs in.
pub(crate) struct Surroundings<'s> {
    pub(crate) program: &'s Program,
    pub(crate) geometry: Geometry,
    pub(crate) workgroup: [u32; 3],
    pub(crate) memory: Memory<'s>,
    /// Visits of the whole launch so far.
    pub(crate) steps: &'s mut u64,
    /// When to stop and ask the caller, in steps.
    pub(crate) pause: u64,
    pub(crate) findings: &'s mut Vec<Finding>,
    pub(crate) max_findings: usize,
}

impl Surroundings<'_> {
    /// Adds a finding, unless the same wave found the same at the same place.
    fn push(&mut self, finding: Finding) {
        let key = |finding: &Finding| (finding.code, finding.statement, finding.cta, finding.warp);
        let same = |old: &Finding| key(old) == key(&finding);
        if self.findings.len() < self.max_findings && !self.findings.iter().any(same) {
            self.findings.push(finding);
        }
    }
}

/// Why a wave stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// No lane is left.
    Ended,
    /// It waits at a barrier.
    Barrier,
    /// It goes round in a loop until memory changes.
    Spinning,
    /// The steps that it was given are used up.
    Paused,
}

/// What ends the whole run.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) status: Status,
    pub(crate) finding: Finding,
}

/// A wave.
#[derive(Debug)]
pub(crate) struct Wave<const W: usize> {
    pub(crate) index: u32,
    pub(crate) launched: Mask,
    /// Lanes that have not ended.
    live: Mask,
    active: Mask,
    pc: u32,
    state: State<W>,
    frames: Frames,
    pub(crate) recorder: Recorder,
    watch: Watch<W>,
}

impl<const W: usize> Wave<W> {
    /// Wave `index` of a workgroup at the start of `program`, with `registers` set in every lane.
    pub(crate) fn new(
        program: &Program,
        geometry: Geometry,
        index: u32,
        registers: &[(u8, u32)],
        recorder: Recorder,
    ) -> Self {
        let launched = geometry.launched(index);
        let mut state = State::new(program.rows(), geometry.width);
        let rows = &mut state.rows;
        for &(register, value) in
            registers.iter().filter(|(register, _)| u16::from(*register) < program.registers)
        {
            rows.fill(Row::from(register), value);
        }
        for (row, value) in (Program::first_constant(program.registers)..).zip(&program.constants) {
            rows.fill(row, *value);
        }
        Wave {
            index,
            launched,
            live: launched,
            active: launched,
            pc: 0,
            state,
            frames: Frames::default(),
            recorder,
            watch: Watch::default(),
        }
    }

    /// Runs until something stops the wave.
    pub(crate) fn run(&mut self, around: &mut Surroundings<'_>) -> Result<Stop, Fault> {
        let program = around.program;
        while self.active != 0 {
            if *around.steps >= around.pause {
                return Ok(Stop::Paused);
            }
            let Some(op) = program.ops.get(self.pc as usize) else {
                self.run_past_end(around);
                continue;
            };
            let executed = match op.guard {
                None => self.active,
                Some(guard) => self.active & self.state.holds(guard),
            };
            match &op.action {
                Action::Else => self.resume(around),
                Action::EndIf => self.end_if(around)?,
                Action::Loop { end } => {
                    self.nest(around)?;
                    let (open, all) = (self.pc, self.active);
                    self.frames.push(Frame::Loop { open, end: *end, looping: all, all });
                    self.visit(around, executed);
                    self.pc += 1;
                }
                Action::EndLoop => {
                    self.visit(around, executed);
                    self.end_loop(around)?;
                    if self.is_spinning(around) {
                        return Ok(Stop::Spinning);
                    }
                }
                Action::If { condition, otherwise, end } => {
                    let taken = executed & self.state.holds(*condition);
                    self.visit(around, taken);
                    self.nest(around)?;
                    let (all, open) = (self.active, self.pc);
                    let other = if otherwise.is_some() { all & !taken } else { 0 };
                    self.frames.push(Frame::If { open, otherwise: *otherwise, other, end: *end, all });
                    self.active = taken;
                    self.go_on(around);
                }
                Action::Break { condition } | Action::Continue { condition } => {
                    let again = matches!(op.action, Action::Continue { .. });
                    let leaving = executed & self.state.holds(*condition);
                    self.visit(around, leaving);
                    if !self.frames.leave_loop(leaving, again) {
                        return Err(self.lost(around, "no loop is open here"));
                    }
                    self.active &= !leaving;
                    let waits = self.active == 0;
                    self.go_on(around);
                    if waits && self.is_spinning(around) {
                        return Ok(Stop::Spinning);
                    }
                }
                Action::Call { target } => {
                    self.visit(around, executed);
                    if executed == 0 {
                        self.pc += 1;
                        continue;
                    }
                    if self.frames.calls() >= MAX_CALLS {
                        let message = format!("more than {MAX_CALLS} calls inside of each other");
                        return Err(self.fault(around, "call-depth", message, executed));
                    }
                    self.frames.push(Frame::Call { back: self.pc + 1, all: self.active });
                    self.active = executed;
                    self.pc = *target;
                }
                Action::Return => {
                    self.visit(around, executed);
                    if self.frames.leave_call(executed) {
                        self.active &= !executed;
                        self.go_on(around);
                    } else {
                        self.halt(around, executed);
                    }
                }
                Action::Halt => {
                    self.visit(around, executed);
                    self.halt(around, executed);
                }
                Action::Barrier => {
                    self.visit(around, executed);
                    self.pc += 1;
                    if executed != 0 {
                        self.check_barrier(around, executed);
                        return Ok(Stop::Barrier);
                    }
                }
                Action::Unsupported { message } => {
                    let message = program.messages[*message as usize].clone();
                    return Err(self.stop(around, Status::Unsupported, "unsupported", message, self.active));
                }
                _ => {
                    self.visit(around, executed);
                    if executed != 0 {
                        self.perform(op, executed, around)?;
                    }
                    self.pc += 1;
                }
            }
        }
        Ok(Stop::Ended)
    }

    #[inline]
    fn visit(&mut self, around: &mut Surroundings<'_>, executed: Mask) {
        self.recorder.visit(StatementId(self.pc), self.active, executed);
        *around.steps += 1;
    }

    /// Notes that the lanes now active are at another statement than the one at hand, and goes on behind it.
    fn arrive(&mut self, around: &mut Surroundings<'_>, at: u32) {
        self.pc = at;
        self.visit(around, self.active);
        self.pc += 1;
    }

    /// To the next operation, or where somebody waits if no lane is left here.
    fn go_on(&mut self, around: &mut Surroundings<'_>) {
        if self.active == 0 { self.resume(around) } else { self.pc += 1 }
    }

    /// No lane has anything more to do here: the innermost lanes that wait go on. Leaves no lane active if nobody waits.
    fn resume(&mut self, around: &mut Surroundings<'_>) {
        self.active = 0;
        while self.active == 0 {
            match self.frames.top() {
                Some(Frame::If { otherwise: Some(otherwise), other, .. }) if *other != 0 => {
                    let otherwise = *otherwise;
                    self.active = std::mem::take(other);
                    self.arrive(around, otherwise);
                }
                Some(Frame::Loop { open, looping, .. }) if *looping != 0 => {
                    let open = *open;
                    self.active = *looping;
                    self.arrive(around, open);
                }
                _ => match self.frames.pop() {
                    Some(Frame::If { end, all, .. }) => {
                        self.active = all;
                        if all != 0 {
                            self.arrive(around, end);
                        }
                    }
                    Some(Frame::Loop { end, all, .. }) => (self.active, self.pc) = (all, end + 1),
                    Some(Frame::Call { back, all }) => (self.active, self.pc) = (all, back),
                    None => return,
                },
            }
        }
    }

    fn end_if(&mut self, around: &mut Surroundings<'_>) -> Result<(), Fault> {
        match self.frames.top() {
            Some(Frame::If { end, .. }) if *end == self.pc => {
                self.resume(around);
                Ok(())
            }
            _ => Err(self.lost(around, "this `endif` closes another `if` than the one that is open")),
        }
    }

    fn end_loop(&mut self, around: &mut Surroundings<'_>) -> Result<(), Fault> {
        match self.frames.top() {
            Some(Frame::Loop { end, .. }) if *end == self.pc => {
                self.resume(around);
                Ok(())
            }
            _ => Err(self.lost(around, "this `endloop` closes another `loop` than the one that is open")),
        }
    }

    fn halt(&mut self, around: &mut Surroundings<'_>, lanes: Mask) {
        self.live &= !lanes;
        self.frames.leave_all(lanes);
        self.active &= !lanes;
        self.go_on(around);
    }

    fn run_past_end(&mut self, around: &mut Surroundings<'_>) {
        let last = around.program.ops.len().checked_sub(1).map(|last| StatementId(last as u32));
        let message = "lanes ran past the end of the kernel; they end here".to_owned();
        let finding = Finding {
            statement: last,
            ..self.finding(around, "missing-halt", Severity::Warning, message, self.active)
        };
        around.push(finding);
        self.halt(around, self.active);
    }

    fn nest(&mut self, around: &mut Surroundings<'_>) -> Result<(), Fault> {
        if self.frames.nesting() < MAX_NESTING {
            return Ok(());
        }
        let message = format!("more than {MAX_NESTING} `if` and `loop` are open inside of each other");
        Err(self.fault(around, "nesting-depth", message, self.active))
    }

    fn is_spinning(&mut self, around: &Surroundings<'_>) -> bool {
        let place = (self.pc, self.active, self.state.predicates);
        self.watch.is_back(*around.memory.changes, place, &self.frames, &self.state.rows)
    }

    fn check_barrier(&mut self, around: &mut Surroundings<'_>, arrived: Mask) {
        if arrived == self.live {
            return;
        }
        let missing = self.live & !arrived;
        let count = missing.count_ones();
        let message = format!("{count} lanes of the wave that have not ended did not come to this barrier");
        let at = StatementId(self.pc - 1);
        let finding = Finding {
            statement: Some(at),
            ..self.finding(around, "divergent-barrier", Severity::Error, message, missing)
        };
        around.push(finding);
    }

    /// An operation that moves no lanes.
    fn perform(&mut self, op: &Op, mask: Mask, around: &mut Surroundings<'_>) -> Result<(), Fault> {
        let halves = op.halves.checked_sub(1).map(|index| &around.program.halves[index as usize]);
        if let Some(halves) = halves {
            self.read_halves(halves);
        }
        let place = Place { geometry: around.geometry, workgroup: around.workgroup, wave: self.index };
        if let Err(outside) = self.state.compute(&op.action, mask, place, &mut around.memory) {
            return Err(self.out_of_range(around, outside));
        }
        if let Some(Halves { write: Some((from, to, shift)), .. }) = halves {
            let keep = !(0xffff << shift);
            self.state.rows.map2(mask, *to, [*to, *from], |old, new| old & keep | (new & 0xffff) << shift);
        }
        Ok(())
    }

    fn read_halves(&mut self, halves: &Halves) {
        for (scratch, register, shift) in &halves.reads {
            self.state.rows.map1(self.active, *scratch, *register, |value| value >> shift & 0xffff);
        }
    }

    fn finding(
        &self,
        around: &Surroundings<'_>,
        code: &'static str,
        severity: Severity,
        message: String,
        lanes: Mask,
    ) -> Finding {
        Finding {
            code,
            severity,
            message,
            statement: Some(StatementId(self.pc)),
            cta: around.workgroup,
            warp: self.index,
            lanes,
            related: Vec::new(),
        }
    }

    fn stop(
        &self,
        around: &Surroundings<'_>,
        status: Status,
        code: &'static str,
        message: String,
        lanes: Mask,
    ) -> Fault {
        Fault { status, finding: self.finding(around, code, Severity::Error, message, lanes) }
    }

    fn fault(&self, around: &Surroundings<'_>, code: &'static str, message: String, lanes: Mask) -> Fault {
        self.stop(around, Status::Faulted, code, message, lanes)
    }

    fn lost(&self, around: &Surroundings<'_>, message: &str) -> Fault {
        self.fault(around, "control-flow", message.to_owned(), self.active)
    }

    fn out_of_range(&self, around: &Surroundings<'_>, outside: OutOfRange) -> Fault {
        let OutOfRange { lanes, address, bytes, space, size } = outside;
        let memory = match space {
            Space::Local => "local",
            Space::Device => "device",
        };
        let first = lanes.trailing_zeros();
        let message = format!(
            "lane {first} reaches for {bytes} bytes at address {address:#x}, but {memory} memory has {size} bytes"
        );
        self.fault(around, "out-of-bounds", message, lanes)
    }

    /// The registers as they stand, in every lane of the wave.
    pub(crate) fn registers(&self, program: &Program, width: u32) -> Vec<RegisterValues> {
        self.state.registers(program.registers, width)
    }

    /// Where the wave is and which lanes are there.
    pub(crate) fn place(&self) -> (StatementId, Mask) {
        (StatementId(self.pc), self.active)
    }
}
