//! One wave of the reference emulator, run step by step.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::record::Recorder;
use warplens_sim_warp::trace::{Finding, Mask, RunResult, Severity, StatementId, Status, WarpId};

use crate::lanes::filter_lanes;
use crate::launch_state::Fault;
use crate::memory::{Memory, OutOfRange};
use crate::op::{Action, Binary, PREDICATES, Ternary};
use crate::recorded_accesses;
use crate::state::{Geometry, State, WavePosition};
use crate::value_tracer::ValueTracer;

use super::comparison::RunComparison;
use super::decode::{Control, EXTRA_ROWS, Kind, Undecodable};
use super::frames::Frame;
use super::program::Program;
use super::quirk::Quirk;

pub(crate) struct ExecContext<'s> {
    pub(crate) program: &'s Program,
    pub(crate) geometry: Geometry,
    pub(crate) workgroup: [u32; 3],
    pub(crate) memory: Memory<'s>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Continue,
    Exited,
    /// The wave waits at a barrier, where its program counter stays.
    Barrier,
    /// The wave loops forever without an active lane.
    Livelock,
}

/// Program counters count words from the first word of the kernel.
#[derive(Debug)]
pub(crate) struct Wave<'o, const W: usize> {
    pub(crate) id: WarpId,
    pub(crate) launched: Mask,
    pub(super) active: Mask,
    pub(super) halted: Mask,
    pub(super) pc: u32,
    pub(super) state: State<W>,
    pub(super) frames: Vec<Frame>,
    pub(super) calls: Vec<u32>,
    /// The last `continue` without active lanes, with the number of open frames and calls. Any other progress
    /// clears it.
    pub(super) empty_at: Option<(u32, usize, usize)>,
    pub(crate) recorder: Recorder,
    pub(super) comparison: RunComparison<'o>,
    pub(crate) tracer: Option<Box<ValueTracer>>,
    /// The visits of the current step, if the wave is traced: statement, active and executed lanes.
    visits: Vec<(StatementId, Mask, Mask)>,
}

impl<'o, const W: usize> Wave<'o, W> {
    /// A wave at the start of `program`, with `registers` set in every lane, compared with `other`.
    pub(crate) fn new(
        program: &Program,
        geometry: Geometry,
        id: WarpId,
        registers: &[(u8, u32)],
        recorder: Recorder,
        other: Option<&'o RunResult>,
    ) -> Self {
        let rows = usize::from(program.registers) + EXTRA_ROWS;
        let state = State::new(rows, program.registers, registers);
        let launched = geometry.launched(id.warp);
        Wave {
            id,
            launched,
            active: launched,
            halted: 0,
            pc: 0,
            state,
            frames: Vec::new(),
            calls: Vec::new(),
            empty_at: None,
            recorder,
            comparison: RunComparison::new(id, program.statements(), other),
            tracer: None,
            visits: Vec::new(),
        }
    }

    /// Executes one step, even without active lanes.
    pub(crate) fn step(&mut self, ctx: &mut ExecContext<'_>) -> Result<Step, Fault> {
        let at = self.pc;
        if let Some(tracer) = &mut self.tracer {
            tracer.make_edits(&mut self.state, &mut ctx.memory);
            tracer.before(&[], &self.state, || None);
        }
        let stepped = self.act(ctx);
        if self.tracer.is_some() {
            self.trace(ctx.program, at);
        }
        stepped
    }

    /// Reports the instruction at `at` to the value tracer.
    #[cold]
    fn trace(&mut self, program: &Program, at: u32) {
        let slot = program.slots.get(at as usize).and_then(|slot| slot.as_ref().ok());
        let is_control = slot.is_some_and(|instruction| matches!(instruction.kind, Kind::Control(_)));
        let stack = is_control.then(|| self.entries(program));
        let Some(tracer) = &mut self.tracer else { return };
        for (statement, active, executed) in self.visits.drain(..) {
            tracer.visited(&program.named, statement, (active, executed), &self.state, stack.clone());
        }
    }

    fn act(&mut self, ctx: &mut ExecContext<'_>) -> Result<Step, Fault> {
        if self.active == 0 && self.frames.is_empty() {
            return Ok(self.exit());
        }
        let program = ctx.program;
        let instruction = match program.slots.get(self.pc as usize) {
            Some(Ok(instruction)) => instruction,
            Some(Err(why)) => return Err(self.undecodable(ctx, why)),
            None => return Err(self.past_the_end(ctx)),
        };
        let chosen = match instruction.guard {
            None => self.active,
            Some(guard) => self.active & self.state.holds(guard),
        };
        if self.active != 0 {
            self.empty_at = None;
            self.note_quirks(program);
        }
        let at = self.pc;
        self.pc += instruction.words;
        let guarded = instruction.guard.map(|_| chosen);
        match instruction.kind {
            Kind::Control(control @ (Control::Halt | Control::Return | Control::Barrier)) => {
                return Ok(self.leave(program, control, at, guarded));
            }
            Kind::Control(control) => return self.control(ctx, control, at, guarded),
            _ => {}
        }
        self.visit(program, at, chosen);
        if chosen != 0 {
            self.perform(ctx, &instruction.kind, at, chosen)?;
        }
        Ok(Step::Continue)
    }

    fn exit(&mut self) -> Step {
        self.active = 0;
        self.comparison.end();
        Step::Exited
    }

    /// Records a visit of the word at `at` by the active lanes. `executed` are the lanes that execute it.
    pub(super) fn visit(&mut self, program: &Program, at: u32, executed: Mask) {
        if self.active == 0 {
            return;
        }
        if let Some(origin) = program.origin(at) {
            self.recorder.visit(origin.statement, self.active, executed);
            self.comparison.visit(origin.statement, self.active, executed);
            if self.tracer.is_some() {
                self.visits.push((origin.statement, self.active, executed));
            }
        }
    }

    /// Records the known bugs that the current statement triggers.
    fn note_quirks(&mut self, program: &Program) {
        let Some(origin) = program.origin(self.pc) else { return };
        if let Some(quirk) = origin.quirk {
            self.comparison.note(quirk, origin.statement);
        }
        if origin.guard_p0 && self.active & !self.state.predicates[0] != 0 {
            self.comparison.note(Quirk::GuardP0, origin.statement);
        }
    }

    pub(super) fn note(&mut self, program: &Program, at: u32, quirk: Quirk) {
        if let Some(origin) = program.origin(at) {
            self.comparison.note(quirk, origin.statement);
        }
    }

    /// `halt`, `return` and `barrier` apply to the whole wave unless a guard selects no lane.
    fn leave(&mut self, program: &Program, control: Control, at: u32, chosen: Option<Mask>) -> Step {
        self.visit(program, at, chosen.unwrap_or(self.active));
        if let (Control::Halt, Some(chosen)) = (control, chosen) {
            self.active &= !chosen;
            self.halted |= chosen;
            return if self.active == 0 { self.exit_early(program, at) } else { Step::Continue };
        }
        if chosen == Some(0) {
            return Step::Continue;
        }
        match control {
            Control::Barrier => {
                self.pc = at;
                Step::Barrier
            }
            Control::Return if !self.calls.is_empty() => {
                self.pc = self.calls.pop().unwrap_or_default();
                Step::Continue
            }
            _ => {
                self.halted |= self.active;
                self.exit_early(program, at)
            }
        }
    }

    fn exit_early(&mut self, program: &Program, at: u32) -> Step {
        if self.launched & !self.halted != 0 {
            self.note(program, at, Quirk::WholeWaveEnds);
        }
        self.exit()
    }

    fn perform(&mut self, ctx: &mut ExecContext<'_>, kind: &Kind, at: u32, mask: Mask) -> Result<(), Fault> {
        let position = WavePosition { geometry: ctx.geometry, workgroup: ctx.workgroup, wave: self.id.warp };
        let action = match kind {
            Kind::Compute(action) => action.clone(),
            Kind::Divide { d, a, b } => {
                let zero = filter_lanes(mask, |lane| self.state.rows.get(*b)[lane] << 1 == 0);
                let divide = Action::Binary { op: Binary::FloatDivide, d: *d, a: *a, b: *b };
                self.compute(ctx, &divide, mask & !zero, position, at)?;
                if zero != 0 {
                    self.note(ctx.program, at, Quirk::DivisionByZero);
                }
                self.state.rows.write(*d, &[f32::INFINITY.to_bits(); W], zero);
                return Ok(());
            }
            Kind::Clamp { op, d, value, low, high } => {
                let crossed = filter_lanes(mask, |lane| {
                    let [low, high] = [low, high].map(|row| self.state.rows.get(*row)[lane]);
                    !in_order(*op, low, high)
                });
                if crossed != 0 {
                    return Err(self.crossed_bounds(ctx, at, crossed));
                }
                Action::Ternary { op: *op, d: *d, a: *value, b: *low, c: *high }
            }
            Kind::Never(d) => {
                if usize::from(*d) < PREDICATES {
                    self.state.predicates[usize::from(*d)] &= !mask;
                }
                return Ok(());
            }
            _ => return Ok(()),
        };
        self.compute(ctx, &action, mask, position, at)
    }

    fn compute(
        &mut self,
        ctx: &mut ExecContext<'_>,
        action: &Action,
        mask: Mask,
        position: WavePosition,
        at: u32,
    ) -> Result<(), Fault> {
        let records = self.tracer.as_mut().is_some_and(|tracer| tracer.tap().is_some());
        let mut listed = if records {
            recorded_accesses::accesses(action, &self.state, mask, position.block())
        } else {
            Vec::new()
        };
        let done = self.state.compute(action, mask, position, &mut ctx.memory);
        if let Some(tap) = self.tracer.as_mut().and_then(|tracer| tracer.tap()) {
            recorded_accesses::complete(&mut listed, &ctx.memory);
            tap.accessed(listed);
        }
        done.map_err(|outside| self.out_of_range(ctx, at, &outside))
    }

    /// A finding about the word at `at`, or about the launch if the word belongs to another kernel.
    pub(super) fn finding(
        &self,
        ctx: &ExecContext<'_>,
        at: u32,
        kind: FindingKind,
        message: String,
        lanes: Mask,
    ) -> Finding {
        let statement = ctx.program.origin(at).map(|origin| origin.statement);
        let WarpId { cta, warp } = self.id;
        Finding { statement, cta, warp, lanes, ..Finding::about_launch(kind, message) }
    }

    pub(super) fn fault(&self, ctx: &ExecContext<'_>, at: u32, kind: FindingKind, message: String) -> Fault {
        let finding = self.finding(ctx, at, kind, message, self.active).with_severity(Severity::Error);
        Fault::new(Status::Faulted, finding)
    }

    fn out_of_range(&self, ctx: &ExecContext<'_>, at: u32, outside: &OutOfRange) -> Fault {
        let finding = self.finding(ctx, at, FindingKind::OutOfBounds, outside.message(), outside.lanes);
        Fault::new(Status::Faulted, finding)
    }

    fn crossed_bounds(&self, ctx: &ExecContext<'_>, at: u32, lanes: Mask) -> Fault {
        let first = lanes.trailing_zeros();
        let message =
            format!("in lane {first} the lower bound exceeds the upper bound\norder the bounds first");
        Fault::new(Status::Faulted, self.finding(ctx, at, FindingKind::EmulatorCrash, message, lanes))
    }

    fn undecodable(&self, ctx: &ExecContext<'_>, why: &Undecodable) -> Fault {
        let outside = ctx.program.origin(self.pc).is_none();
        let place = if outside { " outside the kernel" } else { "" };
        let (kind, message) = match why {
            Undecodable::Opcode(opcode) => {
                (FindingKind::NoInstruction, format!("the emulator has no opcode {opcode:#04x}{place}"))
            }
            Undecodable::Modifier { opcode, modifier } => (
                FindingKind::NoInstruction,
                format!("opcode {opcode:#04x} has no modifier {modifier}{place}"),
            ),
            Undecodable::CutOff => (
                FindingKind::EmulatorCrash,
                format!("the file ends in an instruction of two words{place}\nthe emulator decodes its first word only"),
            ),
            Undecodable::NotAssembled => (
                FindingKind::NotAssembled,
                "the wave continues into a statement of another kernel\ntoolchain 0.1.2 rejects that statement; end this kernel with `halt`".to_owned(),
            ),
        };
        self.fault(ctx, self.pc, kind, message)
    }

    fn past_the_end(&self, ctx: &ExecContext<'_>) -> Fault {
        let message =
            "the emulator runs past the end of the code\nit stops with an error; end the kernel with `halt`";
        let last = ctx.program.own_words().saturating_sub(1);
        self.fault(ctx, last, FindingKind::MissingHalt, message.to_owned())
    }

    /// The current statement, if it is in the wave's kernel.
    pub(crate) fn statement(&self, program: &Program) -> Option<StatementId> {
        program.origin(self.pc).map(|origin| origin.statement)
    }
}

fn in_order(op: Ternary, low: u32, high: u32) -> bool {
    match op {
        Ternary::FloatClamp => f32::from_bits(low) <= f32::from_bits(high),
        _ => low as i32 <= high as i32,
    }
}
