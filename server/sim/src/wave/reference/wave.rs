//! One wave of the reference emulator, a step at a time.

use crate::record::Recorder;
use crate::trace::{
    Divergence, Finding, Mask, RegisterValues, RunResult, Severity, StatementId, Status, WarpId,
};
use crate::wave::memory::{Memory, OutOfRange};
use crate::wave::probe::Probe;
use crate::wave::program::{Action, Binary, PREDICATES, Row, Ternary};
use crate::wave::stage::Fault;
use crate::wave::state::{Geometry, Place, State};

use super::control::Frame;
use super::decode::{EXTRA_ROWS, Kind, Undecodable};
use super::program::Program;
use super::quirk::Quirk;
use super::witness::Witness;

/// What a wave steps in.
pub(crate) struct Surroundings<'s> {
    pub(crate) program: &'s Program,
    pub(crate) geometry: Geometry,
    pub(crate) workgroup: [u32; 3],
    pub(crate) memory: Memory<'s>,
}

/// What a step came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    On,
    /// The wave has ended.
    Ended,
    /// It stands at a barrier, and not yet behind it.
    Barrier,
    /// It goes round for ever without a lane.
    Lost,
}

/// A wave. Places are counted in words from the kernel's first.
#[derive(Debug)]
pub(crate) struct Wave<'o, const W: usize> {
    pub(crate) id: WarpId,
    pub(crate) launched: Mask,
    pub(super) active: Mask,
    /// Lanes that a guarded `halt` has taken out.
    pub(super) halted: Mask,
    pub(super) pc: u32,
    pub(super) state: State<W>,
    pub(super) frames: Vec<Frame>,
    pub(super) calls: Vec<u32>,
    /// Where a `continue` was that found no lane, and how many frames and calls were open: nothing has changed since.
    pub(super) empty_at: Option<(u32, usize, usize)>,
    pub(crate) recorder: Recorder,
    pub(super) witness: Witness<'o>,
    /// What is seen of it, where it is looked at.
    pub(crate) probe: Option<Box<Probe>>,
    /// The visits of the step at hand, where it is looked at: statement, active and executed lanes.
    visits: Vec<(StatementId, Mask, Mask)>,
}

impl<'o, const W: usize> Wave<'o, W> {
    /// A wave at the start of `program`, with `registers` set in every lane, held against `other`.
    pub(crate) fn new(
        program: &Program,
        geometry: Geometry,
        id: WarpId,
        registers: &[(u8, u32)],
        recorder: Recorder,
        other: Option<&'o RunResult>,
    ) -> Self {
        let mut state = State::new(usize::from(program.registers) + EXTRA_ROWS);
        for &(register, value) in
            registers.iter().filter(|(register, _)| u16::from(*register) < program.registers)
        {
            state.rows.fill(Row::from(register), value);
        }
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
            witness: Witness::new(id, program.statements(), other),
            probe: None,
            visits: Vec::new(),
        }
    }

    /// One step, with whatever lanes are there.
    pub(crate) fn step(&mut self, around: &mut Surroundings<'_>) -> Result<Step, Fault> {
        let at = self.pc;
        let stepped = self.act(around)?;
        if self.probe.is_some() {
            self.show(around.program, at);
        }
        Ok(stepped)
    }

    /// Whoever looks at the wave sees what the instruction at `at` has done.
    #[cold]
    fn show(&mut self, program: &Program, at: u32) {
        let moves_lanes = program.slots.get(at as usize).is_some_and(|slot| match slot {
            Ok(instruction) => instruction.kind.moves_lanes(),
            Err(_) => false,
        });
        let stack = moves_lanes.then(|| self.entries(program));
        let Some(probe) = &mut self.probe else { return };
        for (statement, active, executed) in self.visits.drain(..) {
            probe.visited(&program.named, statement, (active, executed), &self.state, stack.clone());
        }
    }

    fn act(&mut self, around: &mut Surroundings<'_>) -> Result<Step, Fault> {
        if self.active == 0 && self.frames.is_empty() {
            return Ok(self.end());
        }
        let program = around.program;
        let instruction = match program.slots.get(self.pc as usize) {
            Some(Ok(instruction)) => instruction,
            Some(Err(why)) => return Err(self.undecodable(around, why)),
            None => return Err(self.past_the_end(around)),
        };
        let chosen = match instruction.guard {
            None => self.active,
            Some(guard) => self.active & self.state.holds(guard),
        };
        if self.active != 0 {
            self.empty_at = None;
            self.note_place(program);
        }
        let at = self.pc;
        self.pc += instruction.words;
        let guarded = instruction.guard.map(|_| chosen);
        match instruction.kind {
            Kind::Halt | Kind::Return | Kind::Barrier => {
                return Ok(self.leave(program, &instruction.kind, at, guarded));
            }
            _ if instruction.kind.moves_lanes() => {
                return self.control(around, &instruction.kind, at, guarded);
            }
            _ => {}
        }
        self.visit(program, at, chosen);
        if chosen != 0 {
            self.perform(around, &instruction.kind, at, chosen)?;
        }
        Ok(Step::On)
    }

    /// The wave has come to its end.
    fn end(&mut self) -> Step {
        self.active = 0;
        self.witness.end();
        Step::Ended
    }

    /// Notes that the lanes that are active came to a place, and that `executed` of them act.
    pub(super) fn visit(&mut self, program: &Program, at: u32, executed: Mask) {
        if self.active == 0 {
            return;
        }
        if let Some(place) = program.place(at) {
            self.recorder.visit(place.statement, self.active, executed);
            self.witness.visit(place.statement, self.active, executed);
            if self.probe.is_some() {
                self.visits.push((place.statement, self.active, executed));
            }
        }
    }

    /// Notes what is wrong with the statement at hand.
    fn note_place(&mut self, program: &Program) {
        let Some(place) = program.place(self.pc) else { return };
        if let Some(quirk) = place.quirk {
            self.witness.note(quirk, place.statement);
        }
        if place.guard_p0 && self.active & !self.state.predicates[0] != 0 {
            self.witness.note(Quirk::GuardP0, place.statement);
        }
    }

    pub(super) fn note(&mut self, program: &Program, at: u32, quirk: Quirk) {
        if let Some(place) = program.place(at) {
            self.witness.note(quirk, place.statement);
        }
    }

    /// `halt`, `return` and `barrier`: they are for the whole wave unless a guard chooses nobody.
    fn leave(&mut self, program: &Program, kind: &Kind, at: u32, chosen: Option<Mask>) -> Step {
        self.visit(program, at, chosen.unwrap_or(self.active));
        if let (Kind::Halt, Some(chosen)) = (kind, chosen) {
            self.active &= !chosen;
            self.halted |= chosen;
            return if self.active == 0 { self.end_early(program, at) } else { Step::On };
        }
        if chosen == Some(0) {
            return Step::On;
        }
        match kind {
            Kind::Barrier => {
                self.pc = at;
                Step::Barrier
            }
            Kind::Return if !self.calls.is_empty() => {
                self.pc = self.calls.pop().unwrap_or_default();
                Step::On
            }
            _ => {
                self.halted |= self.active;
                self.end_early(program, at)
            }
        }
    }

    fn end_early(&mut self, program: &Program, at: u32) -> Step {
        if self.launched & !self.halted != 0 {
            self.note(program, at, Quirk::WholeWaveEnds);
        }
        self.end()
    }

    /// An instruction that moves no lanes.
    fn perform(
        &mut self,
        around: &mut Surroundings<'_>,
        kind: &Kind,
        at: u32,
        mask: Mask,
    ) -> Result<(), Fault> {
        let place = Place { geometry: around.geometry, workgroup: around.workgroup, wave: self.id.warp };
        let action = match kind {
            Kind::Compute(action) => action.clone(),
            Kind::Divide { d, a, b } => {
                let zero = self.lanes_where(mask, |state, lane| state.rows.get(*b)[lane] << 1 == 0);
                self.compute(
                    around,
                    &Action::Binary { op: Binary::FloatDivide, d: *d, a: *a, b: *b },
                    mask & !zero,
                    place,
                    at,
                )?;
                if zero != 0 {
                    self.note(around.program, at, Quirk::DivisionByZero);
                }
                self.state.rows.write(*d, &[f32::INFINITY.to_bits(); W], zero);
                return Ok(());
            }
            Kind::Clamp { op, d, value, low, high } => {
                let crossed = self.lanes_where(mask, |state, lane| {
                    let [low, high] = [low, high].map(|row| state.rows.get(*row)[lane]);
                    !in_order(*op, low, high)
                });
                if crossed != 0 {
                    return Err(self.crossed_bounds(around, at, crossed));
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
        self.compute(around, &action, mask, place, at)
    }

    fn compute(
        &mut self,
        around: &mut Surroundings<'_>,
        action: &Action,
        mask: Mask,
        place: Place,
        at: u32,
    ) -> Result<(), Fault> {
        let done = self.state.compute(action, mask, place, &mut around.memory);
        done.map_err(|outside| self.out_of_range(around, at, &outside))
    }

    fn lanes_where(&self, mask: Mask, holds: impl Fn(&State<W>, usize) -> bool) -> Mask {
        crate::wave::lanes::lanes(mask)
            .filter(|lane| holds(&self.state, *lane))
            .fold(0, |mask, lane| mask | 1 << lane)
    }

    /// A finding about the word at `at`, or about the launch where that is not of this kernel.
    pub(super) fn finding(
        &self,
        around: &Surroundings<'_>,
        at: u32,
        code: &'static str,
        message: String,
        lanes: Mask,
    ) -> Finding {
        Finding {
            code,
            severity: Severity::Error,
            message,
            statement: around.program.place(at).map(|place| place.statement),
            cta: self.id.cta,
            warp: self.id.warp,
            lanes,
            related: Vec::new(),
        }
    }

    pub(super) fn fault(
        &self,
        around: &Surroundings<'_>,
        at: u32,
        code: &'static str,
        message: String,
    ) -> Fault {
        Fault { status: Status::Faulted, finding: self.finding(around, at, code, message, self.active) }
    }

    fn out_of_range(&self, around: &Surroundings<'_>, at: u32, outside: &OutOfRange) -> Fault {
        let finding = self.finding(around, at, "out-of-bounds", outside.message(), outside.lanes);
        Fault { status: Status::Faulted, finding }
    }

    fn crossed_bounds(&self, around: &Surroundings<'_>, at: u32, lanes: Mask) -> Fault {
        let first = lanes.trailing_zeros();
        let message = format!(
            "the emulator crashes here: in lane {first} the lower bound is not below the upper one; order them first"
        );
        Fault { status: Status::Faulted, finding: self.finding(around, at, "emulator-crash", message, lanes) }
    }

    fn undecodable(&self, around: &Surroundings<'_>, why: &Undecodable) -> Fault {
        let outside = around.program.place(self.pc).is_none();
        let place = if outside { ", outside of the kernel," } else { "" };
        let (code, message) = match why {
            Undecodable::Opcode(opcode) => {
                ("no-instruction", format!("what the emulator comes to here{place} is no instruction: it has no opcode {opcode:#04x}"))
            }
            Undecodable::Modifier { opcode, modifier } => (
                "no-instruction",
                format!("what the emulator comes to here{place} is no instruction: opcode {opcode:#04x} has no modifier {modifier}"),
            ),
            Undecodable::CutOff => (
                "emulator-crash",
                format!("the emulator crashes here{place}: it takes this for an instruction of two words, and the file ends after one"),
            ),
            Undecodable::NotAssembled => (
                "not-assembled",
                "the wave leaves the kernel for a statement of another one that toolchain 0.1.2 does not take: end this one with `halt`".to_owned(),
            ),
        };
        self.fault(around, self.pc, code, message)
    }

    fn past_the_end(&self, around: &Surroundings<'_>) -> Fault {
        let message =
            "the emulator runs past the end of the code, and stops with an error: end the kernel with `halt`";
        let last = around.program.own_words().saturating_sub(1);
        self.fault(around, last, "missing-halt", message.to_owned())
    }

    /// The statement at which the wave stands, if it is in its kernel.
    pub(crate) fn statement(&self, program: &Program) -> Option<StatementId> {
        program.place(self.pc).map(|place| place.statement)
    }

    /// The lanes that are there.
    pub(crate) fn active(&self) -> Mask {
        self.active
    }

    /// The barrier at which the wave stands is open.
    pub(crate) fn pass_barrier(&mut self) {
        self.pc += 1;
    }

    /// Whether the wave has just run out of its own kernel.
    pub(crate) fn is_at(&self, pc: u32) -> bool {
        self.pc == pc && self.active != 0
    }

    /// What it has to say of the other run.
    pub(crate) fn parting(&mut self) -> Option<Divergence> {
        self.witness.parting.take()
    }

    /// The registers as they stand, in every lane of the wave.
    pub(crate) fn registers(&self, program: &Program, width: u32) -> Vec<RegisterValues> {
        self.state.registers(program.registers, width)
    }
}

fn in_order(op: Ternary, low: u32, high: u32) -> bool {
    match op {
        Ternary::FloatClamp => f32::from_bits(low) <= f32::from_bits(high),
        _ => low as i32 <= high as i32,
    }
}
