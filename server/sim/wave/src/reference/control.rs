//! Control instructions of the reference emulator.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::trace::Mask;
use warplens_sim_warp::values::StackEntry;

use crate::frames::{MAX_CALLS, MAX_NESTING};
use crate::launch_state::Fault;

use super::decode::{Control, Source};
use super::frames::Frame;
use super::program::Program;
use super::quirk::Quirk;
use super::wave::{ExecContext, Step, Wave};

impl<const W: usize> Wave<'_, W> {
    /// Executes a control instruction. `chosen` are the lanes of its guard, if it has one; then its change of
    /// the mask is undone.
    pub(super) fn control(
        &mut self,
        ctx: &mut ExecContext<'_>,
        control: Control,
        at: u32,
        chosen: Option<Mask>,
    ) -> Result<Step, Fault> {
        let program = ctx.program;
        if chosen.is_some() {
            self.note(program, at, Quirk::GuardedControl);
        }
        let (before, lanes) = (self.active, chosen.unwrap_or(self.active));
        let settle = |after: Mask| if chosen.is_some() { before } else { after };
        match control {
            Control::If(condition) => {
                let taken = lanes & self.source(condition);
                self.visit(program, at, taken);
                let other = lanes & !taken;
                self.open(ctx, at, Frame::If { open: at, entry: lanes, other, else_reached: false })?;
                self.active = settle(taken);
            }
            Control::Loop => {
                self.visit(program, at, lanes);
                self.open(ctx, at, Frame::Loop { entry: lanes, broken: 0, start: self.pc })?;
            }
            Control::Else => {
                let Some(Frame::If { other, else_reached, .. }) = self.frames.last_mut() else {
                    return Err(self.control_flow_fault(ctx, at, "`else` without an open `if`"));
                };
                *else_reached = true;
                let other = *other;
                self.note_reactivated(program, at, other);
                self.active = settle(other);
                self.visit(program, at, self.active);
            }
            Control::EndIf => {
                let Some(&Frame::If { entry, .. }) = self.frames.last() else {
                    return Err(self.control_flow_fault(ctx, at, "`endif` without an open `if`"));
                };
                self.frames.pop();
                self.note_reactivated(program, at, entry);
                self.active = settle(entry);
                self.visit(program, at, self.active);
            }
            Control::Call(target) => {
                self.visit(program, at, lanes);
                if self.calls.len() >= MAX_CALLS {
                    let message = format!("beyond the limit of {MAX_CALLS}");
                    return Err(self.fault(ctx, at, FindingKind::CallDepth, message));
                }
                self.calls.push(self.pc);
                self.pc = target;
            }
            _ => return self.loop_control(ctx, control, at, chosen),
        }
        Ok(Step::Continue)
    }

    /// Executes a control instruction that leaves a loop or an iteration.
    fn loop_control(
        &mut self,
        ctx: &mut ExecContext<'_>,
        control: Control,
        at: u32,
        chosen: Option<Mask>,
    ) -> Result<Step, Fault> {
        let program = ctx.program;
        let (before, lanes) = (self.active, chosen.unwrap_or(self.active));
        let settle = |after: Mask| if chosen.is_some() { before } else { after };
        let mut back = None;
        match control {
            Control::Break(condition) => {
                let leaving = lanes & self.source(condition);
                self.visit(program, at, leaving);
                let Some(Frame::Loop { broken, .. }) = self.innermost_loop() else {
                    return Err(self.control_flow_fault(ctx, at, "`break` outside a loop"));
                };
                *broken |= leaving;
                self.active = settle(lanes & !leaving);
            }
            Control::Continue(condition) => {
                let leaving = lanes & self.source(condition);
                self.visit(program, at, leaving);
                let Some(&mut Frame::Loop { start, .. }) = self.innermost_loop() else {
                    return Err(self.control_flow_fault(ctx, at, "`continue` outside a loop"));
                };
                let after = lanes & !leaving;
                back = (after == 0 || leaving != 0).then_some(start);
                if back.is_some() {
                    self.note(program, at, Quirk::Continue);
                }
                self.active = settle(after);
                if before == 0 && self.repeats_without_lanes(at) {
                    return Ok(Step::Livelock);
                }
            }
            Control::EndLoop => {
                let Some(&Frame::Loop { entry, broken, start }) = self.frames.last() else {
                    return Err(self.control_flow_fault(ctx, at, "`endloop` without an open `loop`"));
                };
                self.visit(program, at, lanes);
                let looping = entry & !broken;
                if looping != 0 {
                    back = Some(start);
                } else {
                    self.frames.pop();
                }
                let after = if looping != 0 { looping } else { entry };
                self.note_reactivated(program, at, after);
                self.active = settle(after);
            }
            _ => {}
        }
        if let Some(start) = back {
            self.pc = start;
            self.visit(program, start - 1, self.active);
        }
        Ok(Step::Continue)
    }

    /// The stack entries to display. Frames opened by words of another kernel have no statement here.
    pub(super) fn entries(&self, program: &Program) -> Box<[StackEntry]> {
        let inside = self.frames.iter().skip(1).map(|frame| frame.entry()).chain([self.active]);
        let entry = |(frame, inside): (&Frame, Mask)| {
            let opened = program.origin(frame.open())?.statement;
            Some(StackEntry { opened, reconverging: frame.entry(), waiting: frame.waiting(inside) })
        };
        self.frames.iter().zip(inside).filter_map(entry).collect()
    }

    fn source(&self, predicate: Source) -> Mask {
        predicate.map_or(0, |predicate| self.state.predicates[usize::from(predicate)])
    }

    fn open(&mut self, ctx: &ExecContext<'_>, at: u32, frame: Frame) -> Result<(), Fault> {
        if self.frames.len() >= MAX_NESTING {
            let message = format!(
                "`if` and `loop` beyond the limit of {MAX_NESTING}\na `continue` inside an `if` leaves the `if` open"
            );
            return Err(self.fault(ctx, at, FindingKind::NestingDepth, message));
        }
        self.frames.push(frame);
        Ok(())
    }

    fn innermost_loop(&mut self) -> Option<&mut Frame> {
        self.frames.iter_mut().rev().find(|frame| matches!(frame, Frame::Loop { .. }))
    }

    /// Records lanes that continue at `at` although they have broken or halted.
    fn note_reactivated(&mut self, program: &Program, at: u32, lanes: Mask) {
        if lanes & self.halted != 0 {
            self.note(program, at, Quirk::HaltedReturn);
        }
        let broken = match self.innermost_loop() {
            Some(Frame::Loop { broken, .. }) => *broken,
            _ => 0,
        };
        if lanes & broken != 0 {
            self.note(program, at, Quirk::BrokenReturn);
        }
    }

    /// Whether a `continue` without active lanes repeats in the same state.
    fn repeats_without_lanes(&mut self, at: u32) -> bool {
        let now = Some((at, self.frames.len(), self.calls.len()));
        std::mem::replace(&mut self.empty_at, now) == now
    }

    fn control_flow_fault(&self, ctx: &ExecContext<'_>, at: u32, message: &str) -> Fault {
        self.fault(ctx, at, FindingKind::ControlFlow, format!("{message}\nthe emulator stops with an error"))
    }
}
