//! Control operations: divergence, reconvergence, exit, and which waiting lanes resume when no lane is active.

use crate::trace::{Mask, StatementId};

use super::frames::{Frame, MAX_CALLS, MAX_NESTING};
use super::launch_state::Fault;
use super::machine::{ExecContext, Stop, Wave};
use super::program::{Action, Control, Op};
use super::reconvergences::WaitPoint;
use super::sanitizer::VisitContext;
use super::spin::Spin;
use super::state::WavePosition;

impl<const W: usize> Wave<W> {
    /// Executes the current control operation. Returns why the wave stops, if it stops.
    pub(super) fn control(&mut self, op: &Op, ctx: &mut ExecContext<'_>) -> Result<Option<Stop>, Fault> {
        let executed = match op.guard {
            None => self.active,
            Some(guard) => self.active & self.state.holds(guard),
        };
        if ctx.sanitizer.is_some() {
            self.sanitize(op, ctx, executed);
        }
        let Action::Control(control) = op.action else {
            // All other operations are straight-line code.
            self.pc += 1;
            return Ok(None);
        };
        match control {
            Control::If { condition, otherwise, end } => {
                let taken = executed & self.state.holds(condition);
                self.visit(ctx, taken);
                self.check_nesting(ctx)?;
                let (all, open) = (self.active, self.pc);
                let other = if otherwise.is_some() { all & !taken } else { 0 };
                self.frames.push(Frame::If { open, otherwise, other, end, all });
                self.active = taken;
                self.trace(ctx, (all, taken));
                self.advance(ctx);
            }
            Control::Else => self.close(ctx, "else")?,
            Control::EndIf => self.close(ctx, "endif")?,
            Control::Loop { end } => {
                self.check_nesting(ctx)?;
                let (open, all) = (self.pc, self.active);
                self.frames.push(Frame::Loop { open, end, looping: all, all });
                self.visit(ctx, executed);
                self.trace(ctx, (all, executed));
                self.pc += 1;
            }
            Control::EndLoop => {
                self.visit(ctx, executed);
                self.trace(ctx, (self.active, executed));
                self.close(ctx, "endloop")?;
                return Ok(self.waits(ctx));
            }
            Control::Break { condition } | Control::Continue { condition } => {
                let leaving = executed & self.state.holds(condition);
                self.visit(ctx, leaving);
                let again = matches!(control, Control::Continue { .. });
                let Some(frame) = self.frames.leave_loop(leaving, again) else {
                    return Err(self.control_flow_fault(
                        ctx,
                        "no loop is open here\n`break` and `continue` must be inside a `loop`".to_owned(),
                    ));
                };
                self.wait(WaitPoint { frame, top: again }, leaving);
                let arrived = self.active;
                self.active &= !leaving;
                self.trace(ctx, (arrived, leaving));
                let waits = self.active == 0;
                self.advance(ctx);
                return Ok(if waits { self.waits(ctx) } else { None });
            }
            Control::Call { target } => {
                self.visit(ctx, executed);
                self.call(ctx, executed, target)?;
            }
            Control::Return => {
                self.visit(ctx, executed);
                if let Some(frame) = self.frames.leave_call(executed) {
                    self.wait(WaitPoint { frame, top: false }, executed);
                    let arrived = self.active;
                    self.active &= !executed;
                    self.trace(ctx, (arrived, executed));
                    self.advance(ctx);
                } else {
                    self.halt(ctx, executed);
                }
            }
            Control::Halt => {
                self.visit(ctx, executed);
                self.halt(ctx, executed);
            }
            Control::Barrier => {
                self.visit(ctx, executed);
                self.trace(ctx, (self.active, executed));
                self.pc += 1;
                if executed != 0 {
                    self.check_barrier(ctx, executed);
                    return Ok(Some(Stop::Barrier));
                }
            }
            Control::Refused { why } => {
                return Err(self.refused(ctx, &ctx.program.refusals[why as usize]));
            }
        }
        Ok(None)
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

    fn visit(&mut self, ctx: &mut ExecContext<'_>, executed: Mask) {
        self.recorder.visit(StatementId(self.pc), self.active, executed);
        *ctx.steps += 1;
    }

    /// Reports the executed operation to the value tracer, with the active and the executing lanes.
    fn trace(&mut self, ctx: &ExecContext<'_>, lanes: (Mask, Mask)) {
        if let Some(tracer) = &mut self.tracer {
            let stack = self.frames.entries(self.active);
            tracer.visited(&ctx.program.named, StatementId(self.pc), lanes, &self.state, Some(stack));
        }
    }

    /// Records a visit of statement `at` by the active lanes, and continues after it.
    fn visit_at(&mut self, ctx: &mut ExecContext<'_>, at: u32) {
        self.pc = at;
        self.visit(ctx, self.active);
        self.trace(ctx, (self.active, self.active));
        self.pc += 1;
    }

    /// Continues with the next operation, or with waiting lanes if no lane is active.
    fn advance(&mut self, ctx: &mut ExecContext<'_>) {
        if self.active == 0 { self.resume(ctx) } else { self.pc += 1 }
    }

    /// Deactivates the current lanes and resumes the innermost waiting lanes. Leaves no lane active if none waits.
    fn resume(&mut self, ctx: &mut ExecContext<'_>) {
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

    /// Pops the innermost frame, in which lanes wait only for its end.
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

    /// Continues after a loop or a call. An `else` or `endif` there is not visited by these lanes alone.
    fn continue_at(&mut self, ctx: &ExecContext<'_>, point: WaitPoint, lanes: Mask, at: u32) {
        (self.active, self.pc) = (lanes, at);
        let next = ctx.program.ops.get(at as usize).map(|op| &op.action);
        let is_visited =
            next.is_some_and(|next| !matches!(next, Action::Control(Control::Else | Control::EndIf)));
        self.reconverge(point, 0, is_visited.then_some(at));
    }

    /// Records a group of waiting lanes.
    fn wait(&mut self, point: WaitPoint, lanes: Mask) {
        if let Some(reconvergences) = &mut self.reconvergences {
            reconvergences.wait(point, lanes);
        }
    }

    /// Records that the active lanes continue together at a statement; `arrived` of them have just arrived.
    fn reconverge(&mut self, point: WaitPoint, arrived: Mask, at: Option<u32>) {
        if let Some(reconvergences) = &mut self.reconvergences {
            reconvergences.release(point, arrived, self.active, at.map(StatementId));
        }
    }

    /// Ends a path or an iteration: the keyword must belong to the innermost construct.
    fn close(&mut self, ctx: &mut ExecContext<'_>, word: &str) -> Result<(), Fault> {
        let fits = match self.frames.top() {
            Some(Frame::If { otherwise, end, .. }) => *otherwise == Some(self.pc) || *end == self.pc,
            Some(Frame::Loop { end, .. }) => *end == self.pc,
            _ => false,
        };
        if !fits {
            let message = format!(
                "this `{word}` does not match the innermost open construct\nclose inner constructs first"
            );
            return Err(self.control_flow_fault(ctx, message));
        }
        self.resume(ctx);
        Ok(())
    }

    fn call(&mut self, ctx: &mut ExecContext<'_>, executed: Mask, target: u32) -> Result<(), Fault> {
        if executed == 0 {
            self.pc += 1;
            return Ok(());
        }
        if self.frames.calls() >= MAX_CALLS {
            let message = format!("beyond the limit of {MAX_CALLS}\nreplace nested calls with a loop");
            return Err(self.fault(ctx, "call-depth", message, executed));
        }
        let arrived = self.active;
        self.frames.push(Frame::Call { back: self.pc + 1, all: arrived });
        self.active = executed;
        self.trace(ctx, (arrived, executed));
        self.pc = target;
        Ok(())
    }

    pub(super) fn halt(&mut self, ctx: &mut ExecContext<'_>, lanes: Mask) {
        let arrived = self.active;
        self.live &= !lanes;
        self.frames.leave_all(lanes);
        self.active &= !lanes;
        if (self.pc as usize) < ctx.program.ops.len() {
            self.trace(ctx, (arrived, lanes));
        }
        self.advance(ctx);
    }

    fn check_nesting(&mut self, ctx: &mut ExecContext<'_>) -> Result<(), Fault> {
        if self.frames.nesting() < MAX_NESTING {
            return Ok(());
        }
        let message = format!(
            "`if` and `loop` beyond the limit of {MAX_NESTING}\ncombine conditions with `and`, or leave \
             with `break` and `continue`"
        );
        Err(self.fault(ctx, "nesting-depth", message, self.active))
    }

    /// Whether the wave waits, at the top of an iteration.
    fn waits(&mut self, ctx: &ExecContext<'_>) -> Option<Stop> {
        let position = (self.pc, self.active, self.state.predicates);
        match self.spin.look(*ctx.memory.changes, position, &self.frames, &self.state.rows, ctx.program) {
            Spin::Continues => None,
            Spin::Repeats => Some(Stop::Spinning),
            Spin::Polls => Some(Stop::Polling),
        }
    }
}
