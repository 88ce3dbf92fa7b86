//! Control instructions that need only the divergence machine, so that the interpreter loop can execute them
//! itself.
//!
//! [`control`](super::control) executes everything else, including whatever must be reported.

use warplens_sim_warp::trace::Finding;

use super::branching::Branching;
use super::executing::Executing;
use super::machine::{Group, MAX_TOKENS};
use super::program::{CcTest, Control, Op, Operation, Token, Uniformity};
use super::registers::Source;
use super::running::{Next, Running, Stop};

impl Running<'_> {
    /// Checks and records the control instruction at the group's position, and executes it if it needs only the machine.
    /// `guarded` are the lanes whose guard is true.
    #[inline(always)]
    pub(super) fn quick_control(&mut self, operation: &Operation, guarded: u32) -> Next {
        if !self.observer.undefined.is_empty()
            && let Err(finding) = self.check_control(guarded)
        {
            return Next::Stop(Stop::Unknown(finding));
        }
        let executed = self.executed(operation, guarded);
        if let Op::Control(control) = operation.op
            && let Some(next) = self.quick(control, executed)
        {
            if self.observer.tracer.is_some() {
                self.make_edits();
            }
            self.observed = self.observed && self.is_observed();
            return next;
        }
        self.visit(executed);
        self.visits.up_to(self.group.pc + 1);
        Next::Stop(Stop::Control(executed))
    }

    #[inline(never)]
    fn check_control(&mut self, guarded: u32) -> Result<(), Box<Finding>> {
        let Group { pc, mask, .. } = self.group;
        self.visits.up_to(pc);
        let at = Executing { statement: pc, active: mask, executed: guarded, written: guarded };
        self.observer.before_control(at, self.registers)
    }

    /// The lanes in which the guard, the condition code and the second predicate hold. Of a branch that all lanes take or none,
    /// the lanes that take it.
    #[inline(always)]
    fn executed(&self, operation: &Operation, guarded: u32) -> u32 {
        let tested = match operation.test {
            CcTest::ALWAYS => guarded,
            test => guarded & test.of(self.registers),
        };
        let executed = tested & self.registers.holds(operation.p[0]);
        match operation.op {
            Op::Control(Control::Block { .. }) => tested,
            Op::Control(Control::Branch(_, uniformity) | Control::Indirect(_, uniformity)) => {
                self.taken(uniformity, executed)
            }
            _ => executed,
        }
    }

    #[inline(always)]
    fn taken(&self, uniformity: Uniformity, executed: u32) -> u32 {
        let mask = self.group.mask;
        let converged = |source: Option<Source>| {
            let lane = executed.trailing_zeros() as usize % 32;
            let members = source.map_or(u32::MAX, |source| self.registers.int_in(source, lane));
            members & self.ctx.live & !mask == 0
        };
        let lanes_if = |takes: bool, lanes: u32| if takes { lanes } else { 0 };
        match uniformity {
            Uniformity::None => executed,
            Uniformity::All => lanes_if(executed == mask, mask),
            Uniformity::Any => lanes_if(executed != 0, mask),
            Uniformity::Converged(source) => lanes_if(converged(source), executed),
            Uniformity::Diverged(source) => lanes_if(!converged(source), executed),
        }
    }

    /// [`Self::quick_control`] in the lanes of `executed`; `None` if the instruction needs the whole warp.
    #[inline(always)]
    fn quick(&mut self, control: Control, executed: u32) -> Option<Next> {
        let pc = self.group.pc;
        match control {
            Control::Branch(target, _) => {
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
        if self.observer.written.is_some() {
            let Group { pc, mask, .. } = self.group;
            let at = Executing { statement: pc, active: mask, executed, written: executed };
            self.observer.trace(at, self.registers);
        }
    }
}
