//! The inner loop: straight-line operations of a wave, up to the next control operation.
//!
//! The loop is compiled for several instruction sets of the host; the best one that the processor supports is selected at run
//! time. Hot functions below it must be inlined whatever their size: a function that is not inlined is compiled for the baseline
//! instruction set.

use pulp::{NullaryFnOnce, Simd, WithSimd};

use crate::record::Recorder;
use crate::trace::{Mask, StatementId};
use crate::values::{AccessSpace, LaneAccesses};

use super::alu;
use super::lanes::lanes;
use super::launch_state::Fault;
use super::machine::{ExecContext, Stop, Wave};
use super::memory::{Memory, OutOfRange};
use super::program::{Action, Halves, Op, Space};
use super::sanitizer::VisitContext;
use super::state::{State, WavePosition};

/// Runs a wave, generic over the instruction set of the host.
struct RunWave<'w, 's, const W: usize> {
    wave: &'w mut Wave<W>,
    ctx: &'w mut ExecContext<'s>,
}

impl<const W: usize> WithSimd for RunWave<'_, '_, W> {
    type Output = Result<Stop, Fault>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Result<Stop, Fault> {
        let RunWave { wave, ctx } = self;
        while wave.active != 0 {
            if *ctx.steps >= ctx.pause {
                return Ok(Stop::Paused);
            }
            wave.straight_line(simd, ctx)?;
            if wave.tracer.as_ref().is_some_and(|tracer| tracer.is_complete()) {
                return Ok(Stop::Traced);
            }
            match ctx.program.ops.get(wave.pc as usize) {
                None => wave.run_past_end(ctx),
                Some(op) if op.action.is_control() => {
                    if let Some(stop) = wave.control(op, ctx)? {
                        return Ok(stop);
                    }
                }
                Some(_) => {}
            }
        }
        Ok(Stop::Exited)
    }
}

impl<const W: usize> Wave<W> {
    /// Runs until something stops the wave.
    pub(crate) fn run(&mut self, ctx: &mut ExecContext<'_>) -> Result<Stop, Fault> {
        ctx.arch.dispatch(RunWave { wave: self, ctx })
    }

    /// Executes straight-line operations up to the next control operation, the end, or the step limit.
    #[inline(always)]
    fn straight_line<S: Simd>(&mut self, simd: S, ctx: &mut ExecContext<'_>) -> Result<(), Fault> {
        let program = ctx.program;
        let position = &WavePosition { geometry: ctx.geometry, workgroup: ctx.workgroup, wave: self.index };
        let budget = ctx.limit.saturating_sub(*ctx.steps);
        let end = u64::from(self.pc).saturating_add(budget).min(program.ops.len() as u64);
        let code = &program.ops[..end as usize];
        let (mask, first) = (self.active, self.pc);
        let mut pc = first;
        let mut visits = Visits { recorder: &mut self.recorder, mask, start: first };
        let mut failed = None;
        while let Some(op) = code.get(pc as usize).filter(|op| !op.action.is_control()) {
            let executed = match op.guard {
                None => mask,
                Some(guard) => mask & self.state.holds(guard),
            };
            if executed != mask {
                visits.partial(pc, executed);
            }
            if let Some((sanitizer, group)) = &mut ctx.sanitizer
                && let Some(shadow) = &mut self.shadow
            {
                let local = &*ctx.memory.local;
                let at = VisitContext {
                    program,
                    op,
                    pc,
                    position,
                    active: mask,
                    executed,
                    state: &self.state,
                    local,
                };
                sanitizer.take_watch_hit();
                let findings = sanitizer.before(&at, group, shadow);
                if sanitizer.take_watch_hit()
                    && let Some(tracer) = &mut self.tracer
                {
                    tracer.stored();
                }
                ctx.add_findings(findings, || visits.number(pc));
            }
            if let Some(tracer) = &mut self.tracer {
                let accesses = || accesses(&op.action, &self.state, executed);
                tracer.before(&program.named[pc as usize], &self.state, accesses);
            }
            pc += 1;
            let done = match op.halves.checked_sub(1) {
                _ if executed == 0 => Ok(()),
                None => perform(simd, &op.action, &mut self.state, executed, position, &mut ctx.memory),
                Some(halves) => {
                    let halves = &program.halves[halves as usize];
                    with_halves(op, halves, &mut self.state, executed, position, &mut ctx.memory)
                }
            };
            if let Err(outside) = done {
                failed = Some(outside);
                break;
            }
            if let Some(tracer) = &mut self.tracer {
                tracer.visited(&program.named, StatementId(pc - 1), (mask, executed), &self.state, None);
            }
        }
        visits.up_to(pc);
        *ctx.steps += u64::from(pc - first);
        self.pc = pc;
        match failed {
            None => Ok(()),
            Some(outside) => {
                self.pc -= 1;
                Err(self.out_of_range(ctx, &outside))
            }
        }
    }
}

/// Visits that are not recorded yet: the operations from `start` on, executed by all active lanes.
struct Visits<'w> {
    recorder: &'w mut Recorder,
    mask: Mask,
    start: u32,
}

impl Visits<'_> {
    /// Records the operations before `pc`.
    #[inline(always)]
    fn up_to(&mut self, pc: u32) {
        self.recorder.visit_run(self.start, pc, self.mask, self.mask);
        self.start = pc;
    }

    /// The number of visits of the operation at `pc`, up to the present one.
    fn number(&self, pc: u32) -> u64 {
        self.recorder.visits_of(StatementId(pc)) + u64::from(pc >= self.start)
    }

    /// Records the operations before `pc`, and the one at `pc`, which only some lanes execute.
    #[inline(always)]
    fn partial(&mut self, pc: u32, executed: Mask) {
        self.up_to(pc);
        self.recorder.visit_run(pc, pc + 1, self.mask, executed);
        self.start = pc + 1;
    }
}

/// Kinds of actions that are compiled together.
mod kind {
    pub(super) const UNARY: u8 = 0;
    pub(super) const BINARY: u8 = 1;
    pub(super) const TERNARY: u8 = 2;
    pub(super) const COMPARE: u8 = 3;
    pub(super) const MEMORY: u8 = 4;
    /// Actions that are not hot.
    pub(super) const RARE: u8 = 5;
}

/// Executes an action in the lanes of `mask`.
#[inline(always)]
fn perform<S: Simd, const W: usize>(
    simd: S,
    action: &Action,
    state: &mut State<W>,
    mask: Mask,
    position: &WavePosition,
    memory: &mut Memory<'_>,
) -> Result<(), Box<OutOfRange>> {
    macro_rules! outlined {
        ($kind:ident) => {
            simd.vectorize(Outlined::<{ kind::$kind }, S, W> { simd, action, state, mask, position, memory })
        };
    }
    match action {
        Action::Unary { .. } => outlined!(UNARY),
        Action::Binary { .. } => outlined!(BINARY),
        Action::Ternary { .. } => outlined!(TERNARY),
        Action::Compare { .. } => outlined!(COMPARE),
        Action::Load { .. } | Action::Store { .. } => outlined!(MEMORY),
        _ => outlined!(RARE),
    }
}

/// An action of one kind, compiled for the instruction set of the loop but outlined from it: small functions optimize best.
struct Outlined<'a, 'm, const KIND: u8, S, const W: usize> {
    simd: S,
    action: &'a Action,
    state: &'a mut State<W>,
    mask: Mask,
    position: &'a WavePosition,
    memory: &'a mut Memory<'m>,
}

impl<const KIND: u8, S: Simd, const W: usize> NullaryFnOnce for Outlined<'_, '_, KIND, S, W> {
    type Output = Result<(), Box<OutOfRange>>;

    #[inline(always)]
    fn call(self) -> Result<(), Box<OutOfRange>> {
        let Outlined { simd, action, state, mask, position, memory } = self;
        let rows = &mut state.rows;
        match (KIND, action) {
            (kind::UNARY, &Action::Unary { op, d, a }) => alu::unary(rows, mask, op, d, a),
            (kind::BINARY, &Action::Binary { op, d, a, b }) => alu::binary(rows, mask, op, d, [a, b]),
            (kind::TERNARY, &Action::Ternary { op, d, a, b, c }) => {
                alu::ternary(rows, mask, op, d, [a, b, c]);
            }
            (kind::COMPARE, &Action::Compare { op, d, a, b }) => {
                let found = alu::compare(simd, rows, op, a, b);
                state.set_predicate(d, mask, found);
            }
            (kind::MEMORY, &Action::Load { space, bytes, d, address }) => {
                return memory.load(rows, mask, space, bytes, (d, address));
            }
            (kind::MEMORY, &Action::Store { space, bytes, address, value }) => {
                return memory.store(rows, mask, space, bytes, (address, value));
            }
            (kind::RARE, action) => return state.compute(action, mask, *position, memory),
            // Each kind receives only its own actions.
            _ => {}
        }
        Ok(())
    }
}

/// An operation on register halves: they are extracted into scratch rows first, and the result is inserted into its half.
#[cold]
fn with_halves<const W: usize>(
    op: &Op,
    halves: &Halves,
    state: &mut State<W>,
    mask: Mask,
    position: &WavePosition,
    memory: &mut Memory<'_>,
) -> Result<(), Box<OutOfRange>> {
    for (scratch, register, shift) in &halves.reads {
        state.rows.map1(mask, *scratch, *register, |value| value >> shift & 0xffff);
    }
    state.compute(&op.action, mask, *position, memory)?;
    if let Some((from, to, shift)) = halves.write {
        let keep = !(0xffff << shift);
        state.rows.map2(mask, to, [to, from], |old, new| old & keep | (new & 0xffff) << shift);
    }
    Ok(())
}

/// The access of an operation by the executing lanes. Local memory is that of a workgroup: shared memory in CUDA's terms.
fn accesses<const W: usize>(action: &Action, state: &State<W>, executed: Mask) -> Option<LaneAccesses> {
    let (space, bytes, address) = match *action {
        Action::Load { space, bytes, address, .. } | Action::Store { space, bytes, address, .. } => {
            (space, u64::from(bytes), address)
        }
        Action::Atomic { space, address, .. } => (space, 4, address),
        _ => return None,
    };
    let space = match space {
        Space::Local => AccessSpace::Shared,
        Space::Device => AccessSpace::Global,
    };
    let addresses = state.rows.get(address);
    let lanes: Vec<_> = lanes(executed).map(|lane| (lane as u32, u64::from(addresses[lane]))).collect();
    (!lanes.is_empty()).then_some(LaneAccesses { space, bytes, lanes })
}
