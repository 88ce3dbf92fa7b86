//! The inner loop: runs straight-line operations of a wave, up to the next control operation.
//!
//! The loop is compiled for several instruction sets of the host, and the best supported one is selected at
//! run time. Hot functions that it calls must be inlined whatever their size, because a function that is not
//! inlined is compiled for the baseline instruction set.

use pulp::{NullaryFnOnce, Simd, WithSimd};
use warplens_sim_warp::simd::vectorized;
use warplens_sim_warp::trace::{Mask, StatementId};
use warplens_sim_warp::values::{AccessSpace, LaneAccesses};

use super::compute;
use super::lanes::{Rows, lanes};
use super::launch_state::Fault;
use super::machine::{ExecContext, Stop, Wave};
use super::memory::{Memory, OutOfRange};
use super::op::{self, Action, Halves, Op, Space};
use super::quick::Quick;
use super::recorded_accesses;
use super::sanitizer::VisitContext;
use super::state::{State, WavePosition};

/// Runs a wave, for any instruction set of the host.
struct RunWave<'w, 's, const W: usize> {
    wave: &'w mut Wave<W>,
    ctx: &'w mut ExecContext<'s>,
}

impl<const W: usize> WithSimd for RunWave<'_, '_, W> {
    type Output = Result<Stop, Fault>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Result<Stop, Fault> {
        let RunWave { wave, ctx } = self;
        let stop = wave.interpret(simd, ctx);
        wave.record();
        stop
    }
}

impl<const W: usize> Wave<W> {
    pub(crate) fn run(&mut self, ctx: &mut ExecContext<'_>) -> Result<Stop, Fault> {
        vectorized(RunWave { wave: self, ctx })
    }

    #[inline(always)]
    fn interpret<S: Simd>(&mut self, simd: S, ctx: &mut ExecContext<'_>) -> Result<Stop, Fault> {
        let program = ctx.program;
        let is_observed = ctx.sanitizer.is_some()
            || self.tracer.is_some()
            || ctx.further.is_some()
            || ctx.scheduler.is_some()
            || ctx.order_log.is_some();
        while self.active != 0 {
            if *ctx.steps >= ctx.pause {
                return Ok(Stop::Paused);
            }
            if is_observed {
                self.make_edits(ctx);
                if let Some(stop) = self.observed_line(simd, ctx)? {
                    return Ok(stop);
                }
                if self.tracer.as_ref().is_some_and(|tracer| tracer.is_complete()) {
                    return Ok(Stop::Traced);
                }
            } else {
                self.straight_line(simd, ctx)?;
            }
            match program.ops.get(self.pc as usize) {
                None => self.run_past_end(ctx),
                Some(op) if ctx.further.is_some() && self.ends_search(op, ctx) => return Ok(Stop::Paused),
                Some(op) if Self::pauses_before(op, ctx) => return Ok(Stop::Preempted),
                Some(op) => {
                    if let Action::Control(control) = op.action
                        && let Some(stop) = self.control(op, control, ctx)?
                    {
                        return Ok(stop);
                    }
                }
            }
        }
        Ok(Stop::Exited)
    }

    /// The operations that fit within the step limit.
    #[inline(always)]
    fn within_limit<'c, T>(&self, code: &'c [T], ctx: &ExecContext<'_>) -> &'c [T] {
        let budget = ctx.limit.saturating_sub(*ctx.steps);
        if budget >= code.len() as u64 {
            return code;
        }
        let end = (u64::from(self.pc) + budget).min(code.len() as u64);
        &code[..end as usize]
    }

    /// Executes straight-line operations up to the next control operation, the end, or the step limit.
    #[inline(always)]
    fn straight_line<S: Simd>(&mut self, simd: S, ctx: &mut ExecContext<'_>) -> Result<(), Fault> {
        let program = ctx.program;
        let code = self.within_limit(&program.quick, ctx);
        let (mask, first) = (self.active, self.pc);
        let mut pc = first;
        while let Some(op) = code.get(pc as usize) {
            match op.quick {
                Quick::Control => break,
                Quick::No => {
                    (self.pc, self.unrecorded.end) = (pc, pc);
                    if let Err(outside) = self.step(simd, &program.ops[pc as usize], ctx) {
                        *ctx.steps += u64::from(pc + 1 - first);
                        return Err(self.out_of_range(ctx, &outside));
                    }
                }
                Quick::Other => {
                    compute::any(simd, &program.ops[pc as usize].action, &mut self.state, mask);
                }
                _ => compute::quick(simd, op, &mut self.state, mask),
            }
            pc += 1;
        }
        *ctx.steps += u64::from(pc - first);
        (self.pc, self.unrecorded.end) = (pc, pc);
        Ok(())
    }

    /// Like [`straight_line`](Self::straight_line), while the sanitizer, the value tracer or a schedule observes each
    /// operation. Returns why the wave stops, if it stops.
    #[inline(never)]
    fn observed_line<S: Simd>(&mut self, simd: S, ctx: &mut ExecContext<'_>) -> Result<Option<Stop>, Fault> {
        let program = ctx.program;
        let code = self.within_limit(&program.ops, ctx);
        while let Some(op) = code.get(self.pc as usize).filter(|op| !op.action.is_control()) {
            if Self::pauses_before(op, ctx) {
                return Ok(Some(Stop::Preempted));
            }
            *ctx.steps += 1;
            if let Err(outside) = self.step(simd, op, ctx) {
                return Err(self.out_of_range(ctx, &outside));
            }
            self.pc += 1;
            self.make_edits(ctx);
        }
        Ok(None)
    }

    /// Makes the changes of a user before the next step.
    fn make_edits(&mut self, ctx: &mut ExecContext<'_>) {
        if let Some(tracer) = &mut self.tracer {
            tracer.make_edits(&mut self.state, &mut ctx.memory);
        }
    }

    /// Executes the straight-line operation at the program counter.
    #[inline(never)]
    fn step<S: Simd>(&mut self, simd: S, op: &Op, ctx: &mut ExecContext<'_>) -> Result<(), Box<OutOfRange>> {
        let (program, mask, pc) = (ctx.program, self.active, self.pc);
        let position = &WavePosition { geometry: ctx.geometry, workgroup: ctx.workgroup, wave: self.index };
        let mut executed = op.guard.map_or(mask, |guard| mask & self.state.holds(guard));
        if ctx.further.is_some() {
            executed = self.skip_invalid(op, executed, ctx);
        }
        self.visit(executed);
        ctx.charge(op.work(executed));
        if let Some((sanitizer, group)) = &mut ctx.sanitizer
            && let Some(shadow) = &mut self.shadow
        {
            let (state, local) = (&self.state, &*ctx.memory.local);
            let at = VisitContext { program, op, pc, position, active: mask, executed, state, local };
            sanitizer.take_watch_hit();
            let findings = sanitizer.before(&at, group, shadow);
            if sanitizer.take_watch_hit()
                && let Some(tracer) = &mut self.tracer
            {
                tracer.stored();
            }
            let unrecorded = u64::from(self.unrecorded.contains(&pc));
            ctx.add_findings(findings, || self.recorder.visits_of(StatementId(pc)) + unrecorded);
        }
        if let Some(tracer) = &mut self.tracer {
            let accesses = || accesses(&op.action, &self.state, executed);
            tracer.before(&program.named[pc as usize], &self.state, accesses);
        }
        let records = self.tracer.as_mut().is_some_and(|tracer| tracer.tap().is_some());
        let mut listed = if records {
            recorded_accesses::accesses(&op.action, &self.state, executed, position.block())
        } else {
            Vec::new()
        };
        let done = match op.halves.checked_sub(1) {
            _ if executed == 0 => Ok(()),
            None => perform(simd, op, &mut self.state, executed, position, &mut ctx.memory),
            Some(halves) => {
                let halves = &program.halves[halves as usize];
                with_halves(op, halves, &mut self.state, executed, position, &mut ctx.memory)
            }
        };
        if let Some(tap) = self.tracer.as_mut().and_then(|tracer| tracer.tap()) {
            recorded_accesses::complete(&mut listed, &ctx.memory);
            tap.accessed(listed);
            if done.is_err() {
                tap.send_bare(StatementId(pc), mask, executed);
            }
        }
        done?;
        if ctx.order_log.is_some() {
            self.log_order(op, executed, ctx);
        }
        if let Some(tracer) = &mut self.tracer {
            tracer.visited(&program.named, StatementId(pc), (mask, executed), &self.state, None);
        }
        Ok(())
    }
}

#[inline(always)]
fn perform<S: Simd, const W: usize>(
    simd: S,
    op: &Op,
    state: &mut State<W>,
    mask: Mask,
    position: &WavePosition,
    memory: &mut Memory<'_>,
) -> Result<(), Box<OutOfRange>> {
    match op.action {
        Action::Load { .. } | Action::Store { .. } => {
            simd.vectorize(Access { action: &op.action, rows: &mut state.rows, mask, memory })
        }
        _ if op.action.computes() => {
            compute::any(simd, &op.action, state, mask);
            Ok(())
        }
        _ => state.compute(&op.action, mask, *position, memory),
    }
}

/// A load or a store, compiled for the instruction set of the loop but in a function of its own, because
/// small functions optimize best.
struct Access<'a, 'm, const W: usize> {
    action: &'a Action,
    rows: &'a mut Rows<W>,
    mask: Mask,
    memory: &'a mut Memory<'m>,
}

impl<const W: usize> NullaryFnOnce for Access<'_, '_, W> {
    type Output = Result<(), Box<OutOfRange>>;

    #[inline(always)]
    fn call(self) -> Result<(), Box<OutOfRange>> {
        let Access { action, rows, mask, memory } = self;
        match *action {
            Action::Load { space, bytes, d, address } => memory.load(rows, mask, space, bytes, (d, address)),
            Action::Store { space, bytes, address, value } => {
                memory.store(rows, mask, space, bytes, (address, value))
            }
            // The caller never passes these.
            _ => Ok(()),
        }
    }
}

/// Executes an operation on register halves: they are first extracted into scratch rows, and afterwards the
/// result is inserted into its half.
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

/// The memory accesses of an operation in the executing lanes. Local memory belongs to a workgroup, like
/// shared memory in CUDA.
fn accesses<const W: usize>(action: &Action, state: &State<W>, executed: Mask) -> Option<LaneAccesses> {
    let op::Access { space, bytes, address, .. } = action.access()?;
    let space = match space {
        Space::Local => AccessSpace::Shared,
        Space::Device => AccessSpace::Global,
    };
    let addresses = state.rows.get(address);
    let lanes: Vec<_> = lanes(executed).map(|lane| (lane as u32, u64::from(addresses[lane]))).collect();
    (!lanes.is_empty()).then_some(LaneAccesses { space, bytes: bytes.into(), lanes })
}
