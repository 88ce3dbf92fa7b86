//! Where lanes part, leave and meet: the operations that move lanes, and who goes on when no lane is left where a wave is.

use crate::trace::{Mask, StatementId};

use super::frames::{Frame, MAX_CALLS, MAX_NESTING};
use super::machine::{Stop, Surroundings, Wave};
use super::meetings::Gate;
use super::program::{Action, Op};
use super::stage::Fault;
use super::state::Place;
use super::watch::Moment;

impl<const W: usize> Wave<W> {
    /// Performs the operation at hand, which moves lanes. Gives why the wave stops, if it does.
    pub(super) fn control(&mut self, op: &Op, around: &mut Surroundings<'_>) -> Result<Option<Stop>, Fault> {
        let executed = match op.guard {
            None => self.active,
            Some(guard) => self.active & self.state.holds(guard),
        };
        if around.watch.is_some() {
            self.watched(op, around, executed);
        }
        match op.action {
            Action::If { condition, otherwise, end } => {
                let taken = executed & self.state.holds(condition);
                self.visit(around, taken);
                self.nest(around)?;
                let (all, open) = (self.active, self.pc);
                let other = if otherwise.is_some() { all & !taken } else { 0 };
                self.frames.push(Frame::If { open, otherwise, other, end, all });
                self.active = taken;
                self.show(around, (all, taken));
                self.go_on(around);
            }
            Action::Else => self.close(around, "else")?,
            Action::EndIf => self.close(around, "endif")?,
            Action::Loop { end } => {
                self.nest(around)?;
                let (open, all) = (self.pc, self.active);
                self.frames.push(Frame::Loop { open, end, looping: all, all });
                self.visit(around, executed);
                self.show(around, (all, executed));
                self.pc += 1;
            }
            Action::EndLoop => {
                self.visit(around, executed);
                self.show(around, (self.active, executed));
                self.close(around, "endloop")?;
                return Ok(self.is_spinning(around).then_some(Stop::Spinning));
            }
            Action::Break { condition } | Action::Continue { condition } => {
                let leaving = executed & self.state.holds(condition);
                self.visit(around, leaving);
                let again = matches!(op.action, Action::Continue { .. });
                let Some(frame) = self.frames.leave_loop(leaving, again) else {
                    return Err(self.lost(around, "no loop is open here".to_owned()));
                };
                self.wait(Gate { frame, top: again }, leaving);
                let came = self.active;
                self.active &= !leaving;
                self.show(around, (came, leaving));
                let waits = self.active == 0;
                self.go_on(around);
                return Ok((waits && self.is_spinning(around)).then_some(Stop::Spinning));
            }
            Action::Call { target } => {
                self.visit(around, executed);
                self.call(around, executed, target)?;
            }
            Action::Return => {
                self.visit(around, executed);
                if let Some(frame) = self.frames.leave_call(executed) {
                    self.wait(Gate { frame, top: false }, executed);
                    let came = self.active;
                    self.active &= !executed;
                    self.show(around, (came, executed));
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
                self.show(around, (self.active, executed));
                self.pc += 1;
                if executed != 0 {
                    self.check_barrier(around, executed);
                    return Ok(Some(Stop::Barrier));
                }
            }
            Action::Refused { why } => {
                return Err(self.refused(around, &around.program.refusals[why as usize]));
            }
            // The others move no lanes.
            _ => self.pc += 1,
        }
        Ok(None)
    }

    /// An operation that moves lanes is about to act: whoever watches is told.
    #[cold]
    fn watched(&mut self, op: &Op, around: &mut Surroundings<'_>, executed: Mask) {
        let place = &Place { geometry: around.geometry, workgroup: around.workgroup, wave: self.index };
        if let Some((watch, group)) = &mut around.watch
            && let Some(watched) = &mut self.watched
        {
            let (program, local) = (around.program, &*around.memory.local);
            let (pc, active, state) = (self.pc, self.active, &self.state);
            let at = Moment { program, op, pc, place, active, executed, state, local };
            let news = watch.before(&at, group, watched);
            around.tell(news);
        }
    }

    fn visit(&mut self, around: &mut Surroundings<'_>, executed: Mask) {
        self.recorder.visit(StatementId(self.pc), self.active, executed);
        *around.steps += 1;
    }

    /// The operation at hand has done its work: whoever looks at the wave sees the lanes that came and those that acted.
    fn show(&mut self, around: &Surroundings<'_>, lanes: (Mask, Mask)) {
        if let Some(probe) = &mut self.probe {
            let stack = self.frames.entries(self.active);
            probe.visited(&around.program.named, StatementId(self.pc), lanes, &self.state, Some(stack));
        }
    }

    /// Notes that the lanes now active are at another statement than the one at hand, and goes on behind it.
    fn arrive(&mut self, around: &mut Surroundings<'_>, at: u32) {
        self.pc = at;
        self.visit(around, self.active);
        self.show(around, (self.active, self.active));
        self.pc += 1;
    }

    /// To the next operation, or where somebody waits if no lane is left here.
    fn go_on(&mut self, around: &mut Surroundings<'_>) {
        if self.active == 0 { self.resume(around) } else { self.pc += 1 }
    }

    /// No lane has anything more to do here: the innermost lanes that wait go on. Leaves no lane active if nobody waits.
    fn resume(&mut self, around: &mut Surroundings<'_>) {
        let mut came = std::mem::take(&mut self.active);
        while self.active == 0 {
            let Some(frame) = self.frames.depth().checked_sub(1) else { return };
            match self.frames.top() {
                Some(Frame::If { otherwise: Some(otherwise), other, .. }) if *other != 0 => {
                    let otherwise = *otherwise;
                    self.active = std::mem::take(other);
                    self.wait(Gate { frame, top: false }, came);
                    self.arrive(around, otherwise);
                }
                Some(Frame::Loop { open, looping, .. }) if *looping != 0 => {
                    let open = *open;
                    self.active = *looping;
                    self.meet(Gate { frame, top: true }, came, Some(open));
                    self.arrive(around, open);
                }
                _ => self.leave_frame(around, Gate { frame, top: false }, came),
            }
            came = 0;
        }
    }

    /// Nobody waits in the innermost frame for anything but its end.
    fn leave_frame(&mut self, around: &mut Surroundings<'_>, gate: Gate, came: Mask) {
        match self.frames.pop() {
            Some(Frame::If { end, all, .. }) => {
                self.active = all;
                self.meet(gate, came, Some(end));
                if all != 0 {
                    self.arrive(around, end);
                }
            }
            Some(Frame::Loop { end, all, .. }) => self.go_on_at(around, gate, all, end + 1),
            Some(Frame::Call { back, all }) => self.go_on_at(around, gate, all, back),
            None => {}
        }
    }

    /// Lanes go on behind a loop or a call. Where an `else` or `endif` stands there, it is visited with others or by others.
    fn go_on_at(&mut self, around: &Surroundings<'_>, gate: Gate, lanes: Mask, at: u32) {
        (self.active, self.pc) = (lanes, at);
        let next = around.program.ops.get(at as usize).map(|op| &op.action);
        let is_visited = next.is_some_and(|next| !matches!(next, Action::Else | Action::EndIf));
        self.meet(gate, 0, is_visited.then_some(at));
    }

    /// Lanes wait for others.
    fn wait(&mut self, gate: Gate, lanes: Mask) {
        if let Some(meetings) = &mut self.meetings {
            meetings.wait(gate, lanes);
        }
    }

    /// The lanes that are now active go on together at a statement, where `came` have just come.
    fn meet(&mut self, gate: Gate, came: Mask, at: Option<u32>) {
        if let Some(meetings) = &mut self.meetings {
            meetings.open(gate, came, self.active, at.map(StatementId));
        }
    }

    /// The lanes here have come to the end of a side or of a trip: the word at hand must be of the innermost construct.
    fn close(&mut self, around: &mut Surroundings<'_>, word: &str) -> Result<(), Fault> {
        let fits = match self.frames.top() {
            Some(Frame::If { otherwise, end, .. }) => *otherwise == Some(self.pc) || *end == self.pc,
            Some(Frame::Loop { end, .. }) => *end == self.pc,
            _ => false,
        };
        if !fits {
            let opener = if word == "endloop" { "loop" } else { "if" };
            let message = format!(
                "this `{word}` belongs to another `{opener}` than the one that is open: close inner constructs first"
            );
            return Err(self.lost(around, message));
        }
        self.resume(around);
        Ok(())
    }

    fn call(&mut self, around: &mut Surroundings<'_>, executed: Mask, target: u32) -> Result<(), Fault> {
        if executed == 0 {
            self.pc += 1;
            return Ok(());
        }
        if self.frames.calls() >= MAX_CALLS {
            let message = format!(
                "more than {MAX_CALLS} calls inside of each other, and the machine remembers no more: make a loop of it"
            );
            return Err(self.fault(around, "call-depth", message, executed));
        }
        let came = self.active;
        self.frames.push(Frame::Call { back: self.pc + 1, all: came });
        self.active = executed;
        self.show(around, (came, executed));
        self.pc = target;
        Ok(())
    }

    pub(super) fn halt(&mut self, around: &mut Surroundings<'_>, lanes: Mask) {
        let came = self.active;
        self.live &= !lanes;
        self.frames.leave_all(lanes);
        self.active &= !lanes;
        if (self.pc as usize) < around.program.ops.len() {
            self.show(around, (came, lanes));
        }
        self.go_on(around);
    }

    fn nest(&mut self, around: &mut Surroundings<'_>) -> Result<(), Fault> {
        if self.frames.nesting() < MAX_NESTING {
            return Ok(());
        }
        let message = format!(
            "more than {MAX_NESTING} `if` and `loop` are open inside of each other, and the machine has room for no more: join \
             conditions with `and`, or leave with `break` and `continue`"
        );
        Err(self.fault(around, "nesting-depth", message, self.active))
    }

    fn is_spinning(&mut self, around: &Surroundings<'_>) -> bool {
        let place = (self.pc, self.active, self.state.predicates);
        self.spin.is_back(*around.memory.changes, place, &self.frames, &self.state.rows)
    }
}
