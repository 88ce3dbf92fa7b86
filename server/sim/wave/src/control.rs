//! Control operations: divergence, reconvergence, exit, and which waiting lanes resume when no lane is
//! active.

use std::ops::Range;

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::trace::{Mask, StatementId};

use super::frames::{Frame, MAX_CALLS, MAX_NESTING};
use super::launch_state::Fault;
use super::machine::{ExecContext, Stop, Wave};
use super::op::{Action, Control, Op};
use super::reconvergences::WaitPoint;
use super::sanitizer::VisitContext;
use super::spin::Spin;
use super::state::WavePosition;

/// What happens after a control operation.
enum Next {
    /// Continue at the next statement, or with waiting lanes if no lane is active.
    Advance,
    /// The active lanes stop; waiting lanes resume.
    Resume,
    /// The active lanes have reached the end of an iteration; waiting lanes resume.
    Repeat,
    /// Continue at the program counter.
    Jump,
}

impl<const W: usize> Wave<W> {
    /// Executes the current control operation. Returns why the wave stops, if it stops.
    #[inline(always)]
    pub(super) fn control(
        &mut self,
        op: &Op,
        control: Control,
        ctx: &mut ExecContext<'_>,
    ) -> Result<Option<Stop>, Fault> {
        let executed = match op.guard {
            None => self.active,
            Some(guard) => self.active & self.state.holds(guard),
        };
        if ctx.sanitizer.is_some() {
            self.sanitize(op, ctx, executed);
        }
        let arrived = self.active;
        let next = match control {
            Control::If { condition, otherwise, end } => {
                self.open_if(ctx, executed & self.state.holds(condition), otherwise, end)?;
                Next::Advance
            }
            Control::Else | Control::EndIf => {
                self.check_end(ctx, if control == Control::Else { "else" } else { "endif" })?;
                Next::Resume
            }
            Control::EndLoop => {
                self.visit_control(ctx, executed);
                self.trace(ctx, (arrived, executed));
                self.check_end(ctx, "endloop")?;
                Next::Repeat
            }
            Control::Break { condition } | Control::Continue { condition } => {
                let again = matches!(control, Control::Continue { .. });
                self.leave_loop(ctx, executed & self.state.holds(condition), again)?
            }
            Control::Barrier => {
                self.visit_control(ctx, executed);
                self.trace(ctx, (arrived, executed));
                self.pc += 1;
                if executed != 0 {
                    self.record();
                    self.check_barrier(ctx, executed);
                    return Ok(Some(Stop::Barrier));
                }
                Next::Jump
            }
            _ => self.rare_control(control, executed, ctx)?,
        };
        match next {
            Next::Jump => {}
            Next::Advance if self.active != 0 => self.pc += 1,
            Next::Advance | Next::Resume => self.resume(ctx),
            Next::Repeat => {
                self.resume(ctx);
                return Ok(self.waits(ctx));
            }
        }
        Ok(None)
    }

    #[inline(always)]
    fn open_if(
        &mut self,
        ctx: &mut ExecContext<'_>,
        taken: Mask,
        otherwise: Option<u32>,
        end: u32,
    ) -> Result<(), Fault> {
        let arrived = self.active;
        self.visit_control(ctx, taken);
        self.check_nesting(ctx)?;
        let other = if otherwise.is_some() { arrived & !taken } else { 0 };
        self.frames.push(Frame::If { open: self.pc, otherwise, other, end, all: arrived });
        self.set_active(taken);
        self.trace(ctx, (arrived, taken));
        Ok(())
    }

    /// Lanes leave the innermost loop, or only its iteration if they run it `again`.
    #[inline(always)]
    fn leave_loop(&mut self, ctx: &mut ExecContext<'_>, leaving: Mask, again: bool) -> Result<Next, Fault> {
        let arrived = self.active;
        self.visit_control(ctx, leaving);
        let Some(frame) = self.frames.leave_loop(leaving, again) else {
            return Err(self.no_loop(ctx));
        };
        self.wait(WaitPoint { frame, top: again }, leaving);
        self.set_active(arrived & !leaving);
        self.trace(ctx, (arrived, leaving));
        Ok(if self.active == 0 { Next::Repeat } else { Next::Advance })
    }

    /// Executes an infrequent control operation.
    #[inline(never)]
    fn rare_control(
        &mut self,
        control: Control,
        executed: Mask,
        ctx: &mut ExecContext<'_>,
    ) -> Result<Next, Fault> {
        let arrived = self.active;
        match control {
            Control::Loop { end } => {
                self.check_nesting(ctx)?;
                self.frames.push(Frame::Loop { open: self.pc, end, looping: arrived, all: arrived });
                self.visit_control(ctx, executed);
                self.trace(ctx, (arrived, executed));
            }
            Control::Call { target } => {
                self.visit_control(ctx, executed);
                return self.call(ctx, executed, target);
            }
            Control::Return => {
                self.visit_control(ctx, executed);
                if let Some(frame) = self.frames.leave_call(executed) {
                    self.wait(WaitPoint { frame, top: false }, executed);
                    self.set_active(arrived & !executed);
                    self.trace(ctx, (arrived, executed));
                } else {
                    self.exit(ctx, executed);
                }
            }
            Control::Halt => {
                self.visit_control(ctx, executed);
                self.exit(ctx, executed);
            }
            Control::Refused { why } => {
                return Err(self.refused(ctx, &ctx.program.refusals[why as usize]));
            }
            // The others are frequent.
            _ => {}
        }
        Ok(Next::Advance)
    }

    /// Reports a control operation to the sanitizer before it executes.
    #[cold]
    fn sanitize(&mut self, op: &Op, ctx: &mut ExecContext<'_>, executed: Mask) {
        let position = &WavePosition { geometry: ctx.geometry, workgroup: ctx.workgroup, wave: self.index };
        if let Some((sanitizer, group)) = &mut ctx.sanitizer
            && let Some(shadow) = &mut self.shadow
        {
            let (program, local) = (ctx.program, &*ctx.memory.local);
            let (pc, active, state) = (self.pc, self.active, &self.state);
            let at = VisitContext { program, op, pc, position, active, executed, state, local };
            let findings = sanitizer.before(&at, group, shadow);
            let recorder = &self.recorder;
            ctx.add_findings(findings, || recorder.visits_of(StatementId(pc)) + 1);
        }
    }

    #[inline(always)]
    pub(super) fn record(&mut self) {
        let Range { start, end } = self.unrecorded;
        self.recorder.visit_run(start, end, self.active, self.active);
        self.unrecorded = end..end;
    }

    /// Adds a visit of the statement at the program counter by the active lanes. `executed` are the lanes
    /// that execute it.
    #[inline(always)]
    pub(super) fn visit(&mut self, executed: Mask) {
        if executed != self.active {
            self.record();
            self.recorder.visit_run(self.pc, self.pc + 1, self.active, executed);
            self.unrecorded.start = self.pc + 1;
        }
        self.unrecorded.end = self.pc + 1;
    }

    /// Adds a visit of a control operation. Visits of other operations are counted together in
    /// [`ExecContext::steps`].
    #[inline(always)]
    fn visit_control(&mut self, ctx: &mut ExecContext<'_>, executed: Mask) {
        self.visit(executed);
        *ctx.steps += 1;
    }

    /// Changes the active lanes after the visit of the statement at the program counter.
    #[inline(always)]
    fn set_active(&mut self, lanes: Mask) {
        if lanes != self.active {
            self.record();
            self.active = lanes;
        }
    }

    /// Reports the executed operation to the value tracer, with its active and executing lanes.
    #[inline(always)]
    fn trace(&mut self, ctx: &ExecContext<'_>, lanes: (Mask, Mask)) {
        if self.tracer.is_some() {
            self.trace_now(ctx, lanes);
        }
    }

    #[cold]
    fn trace_now(&mut self, ctx: &ExecContext<'_>, lanes: (Mask, Mask)) {
        if let Some(tracer) = &mut self.tracer {
            let stack = self.frames.entries(self.active);
            tracer.visited(&ctx.program.named, StatementId(self.pc), lanes, &self.state, Some(stack));
        }
    }

    /// Adds a visit of statement `at` by the active lanes, and continues after it.
    #[inline(always)]
    fn visit_at(&mut self, ctx: &mut ExecContext<'_>, at: u32) {
        self.pc = at;
        self.unrecorded = at..at + 1;
        *ctx.steps += 1;
        self.trace(ctx, (self.active, self.active));
        self.pc += 1;
    }

    /// Deactivates the current lanes and resumes the innermost waiting lanes. If none waits, no lane is
    /// active afterwards.
    #[inline(always)]
    fn resume(&mut self, ctx: &mut ExecContext<'_>) {
        self.record();
        let mut arrived = std::mem::take(&mut self.active);
        while self.active == 0 {
            let Some(frame) = self.frames.depth().checked_sub(1) else { return };
            match self.frames.top() {
                Some(Frame::If { otherwise: Some(otherwise), other, .. }) if *other != 0 => {
                    let otherwise = *otherwise;
                    self.active = std::mem::take(other);
                    self.wait(WaitPoint { frame, top: false }, arrived);
                    self.visit_at(ctx, otherwise);
                }
                Some(Frame::Loop { open, looping, .. }) if *looping != 0 => {
                    let open = *open;
                    self.active = *looping;
                    self.reconverge(WaitPoint { frame, top: true }, arrived, Some(open));
                    self.visit_at(ctx, open);
                }
                _ => self.pop_frame(ctx, WaitPoint { frame, top: false }, arrived),
            }
            arrived = 0;
        }
    }

    /// Pops the innermost frame, whose lanes wait only for its end.
    #[inline(always)]
    fn pop_frame(&mut self, ctx: &mut ExecContext<'_>, point: WaitPoint, arrived: Mask) {
        match self.frames.pop() {
            Some(Frame::If { end, all, .. }) => {
                self.active = all;
                self.reconverge(point, arrived, Some(end));
                if all != 0 {
                    self.visit_at(ctx, end);
                }
            }
            Some(Frame::Loop { end, all, .. }) => self.continue_at(ctx, point, all, end + 1),
            Some(Frame::Call { back, all }) => self.continue_at(ctx, point, all, back),
            None => {}
        }
    }

    /// Continues after a loop or a call. If an `else` or `endif` follows, these lanes alone do not visit it.
    fn continue_at(&mut self, ctx: &ExecContext<'_>, point: WaitPoint, lanes: Mask, at: u32) {
        (self.active, self.pc) = (lanes, at);
        self.unrecorded = at..at;
        let next = ctx.program.ops.get(at as usize).map(|op| &op.action);
        let is_visited =
            next.is_some_and(|next| !matches!(next, Action::Control(Control::Else | Control::EndIf)));
        self.reconverge(point, 0, is_visited.then_some(at));
    }

    fn wait(&mut self, point: WaitPoint, lanes: Mask) {
        if let Some(reconvergences) = &mut self.reconvergences {
            reconvergences.wait(point, lanes);
        }
    }

    /// Records that the active lanes continue together at a statement. `arrived` are the lanes that have just
    /// arrived.
    fn reconverge(&mut self, point: WaitPoint, arrived: Mask, at: Option<u32>) {
        if let Some(reconvergences) = &mut self.reconvergences {
            reconvergences.release(point, arrived, self.active, at.map(StatementId));
        }
    }

    /// Checks that the keyword at the end of a path or an iteration belongs to the innermost construct.
    #[inline(always)]
    fn check_end(&mut self, ctx: &mut ExecContext<'_>, word: &str) -> Result<(), Fault> {
        let fits = match self.frames.top() {
            Some(Frame::If { otherwise, end, .. }) => *otherwise == Some(self.pc) || *end == self.pc,
            Some(Frame::Loop { end, .. }) => *end == self.pc,
            _ => false,
        };
        if fits { Ok(()) } else { Err(self.misplaced(ctx, word)) }
    }

    #[cold]
    fn no_loop(&self, ctx: &ExecContext<'_>) -> Fault {
        let message = "no loop is open here\n`break` and `continue` must be inside a `loop`";
        self.control_flow_fault(ctx, message.to_owned())
    }

    #[cold]
    fn misplaced(&self, ctx: &ExecContext<'_>, word: &str) -> Fault {
        let message = format!(
            "this `{word}` does not match the innermost open construct\nclose inner constructs first"
        );
        self.control_flow_fault(ctx, message)
    }

    fn call(&mut self, ctx: &ExecContext<'_>, executed: Mask, target: u32) -> Result<Next, Fault> {
        if executed == 0 {
            return Ok(Next::Advance);
        }
        if self.frames.calls() >= MAX_CALLS {
            let message = format!("beyond the limit of {MAX_CALLS}\nreplace nested calls with a loop");
            return Err(self.fault(ctx, FindingKind::CallDepth, message, executed));
        }
        let arrived = self.active;
        self.record();
        self.frames.push(Frame::Call { back: self.pc + 1, all: arrived });
        self.active = executed;
        self.trace(ctx, (arrived, executed));
        self.pc = target;
        self.unrecorded = target..target;
        Ok(Next::Jump)
    }

    /// Lanes that reach the end of the code exit.
    pub(super) fn halt_past_end(&mut self, ctx: &mut ExecContext<'_>) {
        self.exit(ctx, self.active);
        self.resume(ctx);
    }

    /// Lanes exit, after the visit of the statement at the program counter.
    fn exit(&mut self, ctx: &ExecContext<'_>, lanes: Mask) {
        let arrived = self.active;
        self.live &= !lanes;
        self.frames.leave_all(lanes);
        self.set_active(arrived & !lanes);
        if (self.pc as usize) < ctx.program.ops.len() {
            self.trace(ctx, (arrived, lanes));
        }
    }

    #[inline(always)]
    fn check_nesting(&self, ctx: &ExecContext<'_>) -> Result<(), Fault> {
        if self.frames.nesting() < MAX_NESTING { Ok(()) } else { Err(self.nested_too_deep(ctx)) }
    }

    #[cold]
    fn nested_too_deep(&self, ctx: &ExecContext<'_>) -> Fault {
        let message = format!(
            "`if` and `loop` beyond the limit of {MAX_NESTING}\ncombine conditions with `and`, or leave \
             with `break` and `continue`"
        );
        self.fault(ctx, FindingKind::NestingDepth, message, self.active)
    }

    /// Why the wave waits at the top of an iteration, if it does.
    #[inline(always)]
    fn waits(&mut self, ctx: &ExecContext<'_>) -> Option<Stop> {
        let position = (self.pc, self.active, self.state.predicates);
        match self.spin.look(*ctx.memory.changes, position, &self.frames, &self.state.rows, ctx.program) {
            Spin::Continues => None,
            Spin::Repeats => Some(Stop::Spinning),
            Spin::Polls => Some(Stop::Polling),
        }
    }
}
