//! Control instructions that need only the divergence machine, so that the interpreter loop can execute them
//! itself.
//!
//! [`control`](super::control) describes their effects. It also executes everything else, including whatever
//! must be reported.

use super::branching::Branching;
use super::machine::MAX_TOKENS;
use super::program::{CcTest, Control, Op, Operation, Token, Uniformity};
use super::running::{Next, Running, Stop};

impl Running<'_> {
    /// Executes the control instruction at the group's position, if nothing observes it and it needs only the
    /// machine. `guarded` are the lanes whose guard is true.
    #[inline(always)]
    pub(super) fn quick_control(&mut self, operation: &Operation, guarded: u32) -> Next {
        let is_observed = self.observer.written.is_some() || !self.observer.undefined.is_empty();
        let next = match operation.op {
            Op::Control(control) if !is_observed && operation.test == CcTest::ALWAYS => {
                self.quick(control, guarded & self.registers.holds(operation.p[0]))
            }
            _ => None,
        };
        next.unwrap_or_else(|| {
            self.visits.up_to(self.group.pc);
            Next::Stop(Stop::Control(guarded))
        })
    }

    /// [`Self::quick_control`] in the lanes of `executed`; `None` if the instruction needs the whole warp.
    #[inline(always)]
    fn quick(&mut self, control: Control, executed: u32) -> Option<Next> {
        let pc = self.group.pc;
        match control {
            Control::Branch(target, Uniformity::None) => {
                self.visit(executed);
                return Some(self.branch(target, executed));
            }
            Control::BarrierSet(barrier, end)
                if self.barriers || end.is_some() && self.machine.tokens() < MAX_TOKENS =>
            {
                self.machine.set_barrier(barrier, executed, end.unwrap_or(pc + 1));
            }
            Control::BarrierWait(barrier) if self.machine.awaits(barrier, executed) => {
                self.visit(executed);
                self.visits.up_to(pc + 1);
                self.machine.wait(barrier, executed, pc);
                return Some(Next::Choose);
            }
            // A `PRET` may find that calls are nested too deep.
            Control::Push(token, target) if token != Token::Return && self.machine.tokens() < MAX_TOKENS => {
                self.machine.push(token, target);
            }
            Control::Pop(token) => {
                self.machine.pop(token, executed, pc, pc + 1).ok()?;
                self.visit(executed);
                self.visits.up_to(pc + 1);
                self.group.pc = pc + 1;
                return Some(if executed == 0 { Next::Continue } else { Next::Choose });
            }
            Control::Exit => {
                self.visit(executed);
                self.visits.up_to(pc + 1);
                self.ctx.live &= !executed;
                self.machine.exit(executed, pc + 1);
                return Some(Next::Choose);
            }
            _ => return None,
        }
        self.visit(executed);
        self.group.pc = pc + 1;
        Some(Next::Continue)
    }

    #[inline(always)]
    fn branch(&mut self, target: u32, executed: u32) -> Next {
        if executed != 0 {
            self.visits.up_to(self.group.pc + 1);
        }
        let mut branching = Branching {
            machine: self.machine,
            spin: self.spin,
            registers: self.registers,
            reads: &mut self.ctx.reads,
            changes: self.ctx.spaces.changes,
            steps: self.ctx.clock,
        };
        match branching.branch(&mut self.group, target, executed) {
            Ok(true) if executed == 0 => Next::Continue,
            Ok(true) => {
                self.visits.start = self.group.pc;
                Next::Continue
            }
            Ok(false) => Next::Choose,
            Err(pause) => Next::Stop(Stop::Repeats(pause)),
        }
    }

    /// The instruction before the group's position is marked `.S`, so the lanes that executed it wait.
    #[inline(always)]
    pub(super) fn quick_join(&mut self, executed: u32) -> Next {
        let next = self.group.pc;
        match self.machine.pop(Token::Sync, executed, next - 1, next) {
            Err(_) => Next::Stop(Stop::Joined(executed)),
            Ok(()) if executed == 0 => Next::Continue,
            Ok(()) => Next::Choose,
        }
    }

    /// Counts a visit of the instruction at the group's position. If all lanes of the group execute it, the
    /// visit is recorded together with the next ones.
    #[inline(always)]
    fn visit(&mut self, executed: u32) {
        self.ctx.clock += 1;
        if executed != self.group.mask {
            self.visits.through(self.group.pc, executed);
        }
    }
}
