//! How lanes part and meet in the reference emulator: a stack of frames, of which none knows who has left for good.

use crate::trace::Mask;
use crate::values::{StackEntry, WaitingLanes};
use crate::wave::frames::{MAX_CALLS, MAX_NESTING};
use crate::wave::stage::Fault;

use super::decode::{Kind, Source};
use super::program::Program;
use super::quirk::Quirk;
use super::wave::{Step, Surroundings, Wave};

/// One entry of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// From `if` to `endif`: its word, the lanes that came, those that did not enter, and whether they have been let in since.
    If { open: u32, entry: Mask, other: Mask, turned: bool },
    /// From `loop` to `endloop`: the lanes that came, those that broke, and the first word of the body.
    Loop { entry: Mask, broken: Mask, start: u32 },
}

impl Frame {
    /// The word that opened it.
    fn open(self) -> u32 {
        match self {
            Frame::If { open, .. } => open,
            Frame::Loop { start, .. } => start - 1,
        }
    }

    /// The lanes that it gives back when it is closed.
    fn entry(self) -> Mask {
        match self {
            Frame::If { entry, .. } | Frame::Loop { entry, .. } => entry,
        }
    }

    /// Who waits in it, where the lanes `inside` do not.
    fn waiting(self, inside: Mask) -> WaitingLanes {
        match self {
            Frame::If { other, turned, .. } => WaitingLanes::Other(if turned { 0 } else { other }),
            Frame::Loop { entry, broken, .. } => {
                // Lanes that broke may be back inside already: that is the emulator's fault, and what shows it.
                WaitingLanes::Loop { broken, continued: entry & !broken & !inside }
            }
        }
    }
}

impl<const W: usize> Wave<'_, W> {
    /// A control instruction. `chosen` are the lanes of its guard, if it has one; what it does to the mask is then undone.
    pub(super) fn control(
        &mut self,
        around: &mut Surroundings<'_>,
        kind: &Kind,
        at: u32,
        chosen: Option<Mask>,
    ) -> Result<Step, Fault> {
        let program = around.program;
        if chosen.is_some() {
            self.note(program, at, Quirk::GuardedControl);
        }
        let (before, lanes) = (self.active, chosen.unwrap_or(self.active));
        let settle = |after: Mask| if chosen.is_some() { before } else { after };
        let mut back = None;
        match *kind {
            Kind::If(condition) => {
                let taken = lanes & self.source(condition);
                self.visit(program, at, taken);
                self.open(
                    around,
                    at,
                    Frame::If { open: at, entry: lanes, other: lanes & !taken, turned: false },
                )?;
                self.active = settle(taken);
            }
            Kind::Loop => {
                self.visit(program, at, lanes);
                self.open(around, at, Frame::Loop { entry: lanes, broken: 0, start: self.pc })?;
            }
            Kind::Else => {
                let Some(Frame::If { other, turned, .. }) = self.frames.last_mut() else {
                    return Err(self.lost(around, at, "`else` without an open `if`"));
                };
                *turned = true;
                let other = *other;
                self.note_returns(program, at, other);
                self.active = settle(other);
                self.visit(program, at, self.active);
            }
            Kind::EndIf => {
                let Some(&Frame::If { entry, .. }) = self.frames.last() else {
                    return Err(self.lost(around, at, "`endif` without an open `if`"));
                };
                self.frames.pop();
                self.note_returns(program, at, entry);
                self.active = settle(entry);
                self.visit(program, at, self.active);
            }
            Kind::Break(condition) => {
                let leaving = lanes & self.source(condition);
                self.visit(program, at, leaving);
                let Some(Frame::Loop { broken, .. }) = self.innermost_loop() else {
                    return Err(self.lost(around, at, "`break` outside of every loop"));
                };
                *broken |= leaving;
                self.active = settle(lanes & !leaving);
            }
            Kind::Continue(condition) => {
                let leaving = lanes & self.source(condition);
                self.visit(program, at, leaving);
                let Some(&mut Frame::Loop { start, .. }) = self.innermost_loop() else {
                    return Err(self.lost(around, at, "`continue` outside of every loop"));
                };
                let after = lanes & !leaving;
                back = (after == 0 || leaving != 0).then_some(start);
                if back.is_some() {
                    self.note(program, at, Quirk::Continue);
                }
                self.active = settle(after);
                if before == 0 && self.goes_round_empty(at) {
                    return Ok(Step::Lost);
                }
            }
            Kind::EndLoop => {
                let Some(&Frame::Loop { entry, broken, start }) = self.frames.last() else {
                    return Err(self.lost(around, at, "`endloop` without an open `loop`"));
                };
                self.visit(program, at, lanes);
                let rest = entry & !broken;
                if rest != 0 {
                    back = Some(start);
                } else {
                    self.frames.pop();
                }
                let after = if rest != 0 { rest } else { entry };
                self.note_returns(program, at, after);
                self.active = settle(after);
            }
            Kind::Call(target) => {
                self.visit(program, at, lanes);
                if self.calls.len() >= MAX_CALLS {
                    let message = format!("more than {MAX_CALLS} calls inside of each other");
                    return Err(self.fault(around, at, "call-depth", message));
                }
                self.calls.push(self.pc);
                self.pc = target;
            }
            _ => {}
        }
        if let Some(start) = back {
            self.pc = start;
            self.visit(program, start - 1, self.active);
        }
        Ok(Step::On)
    }

    /// The stack as people see it. Frames that another kernel's words opened have no statement here.
    pub(super) fn entries(&self, program: &Program) -> Box<[StackEntry]> {
        let inside = self.frames.iter().skip(1).map(|frame| frame.entry()).chain([self.active]);
        let entry = |(frame, inside): (&Frame, Mask)| {
            let opened = program.place(frame.open())?.statement;
            Some(StackEntry { opened, reconverging: frame.entry(), waiting: frame.waiting(inside) })
        };
        self.frames.iter().zip(inside).filter_map(entry).collect()
    }

    /// The lanes in which a predicate is true.
    fn source(&self, predicate: Source) -> Mask {
        predicate.map_or(0, |predicate| self.state.predicates[usize::from(predicate)])
    }

    fn open(&mut self, around: &Surroundings<'_>, at: u32, frame: Frame) -> Result<(), Fault> {
        if self.frames.len() >= MAX_NESTING {
            let message = format!(
                "more than {MAX_NESTING} `if` and `loop` are open inside of each other (a `continue` inside of an `if` leaves it open)"
            );
            return Err(self.fault(around, at, "nesting-depth", message));
        }
        self.frames.push(frame);
        Ok(())
    }

    fn innermost_loop(&mut self) -> Option<&mut Frame> {
        self.frames.iter_mut().rev().find(|frame| matches!(frame, Frame::Loop { .. }))
    }

    /// Notes if lanes that go on at `at` should have stayed away.
    fn note_returns(&mut self, program: &Program, at: u32, lanes: Mask) {
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

    /// Whether a `continue` that found no lane is where it was, with nothing that could have changed since.
    fn goes_round_empty(&mut self, at: u32) -> bool {
        let now = Some((at, self.frames.len(), self.calls.len()));
        std::mem::replace(&mut self.empty_at, now) == now
    }

    fn lost(&self, around: &Surroundings<'_>, at: u32, message: &str) -> Fault {
        self.fault(around, at, "control-flow", format!("{message}: the emulator stops with an error"))
    }
}
