//! The general loop: executes any instruction, with every check, message and observer.

use std::ops::ControlFlow;

use pulp::Simd;
use warplens_sim_cuda::fault::ExecError;

use super::branching::Branched;
use super::execute::execute;
use super::group_run::GroupRun;
use super::loop_exit::{Flow, LoopExit};
use crate::program::{Instruction, Op, Quick};

impl GroupRun<'_> {
    /// Runs the group until another one is chosen, its next instruction is a frequent operation, or the interpreter must
    /// return.
    #[inline(always)]
    pub(super) fn run_general<S: Simd>(&mut self, simd: S) -> Option<LoopExit> {
        let mut stop = self.next_stop();
        loop {
            if let ControlFlow::Break(exit) = self.advance(simd, &mut stop) {
                return exit;
            }
        }
    }

    #[inline(always)]
    fn next_stop(&self) -> u32 {
        self.limits().stop(self.ctx.clock, self.group.pc, self.group.until)
    }

    /// Executes a range of instructions without guards, one instruction with a guard, or one that controls scheduling.
    #[inline(always)]
    fn advance<S: Simd>(&mut self, simd: S, stop: &mut u32) -> Flow {
        let (pc, mask) = (self.group.pc, self.group.mask);
        let function = self.function;
        let end = function.straight_runs[pc as usize].min(*stop);
        if pc != end {
            return self.run_range(simd, end, mask);
        }
        if pc >= *stop {
            return ControlFlow::Break(self.stop_at(pc));
        }
        let instruction = &function.code[pc as usize];
        let executed = instruction.guard.of(&self.frame.registers.predicates, mask);
        if let Op::Branch(_) = instruction.op {
            return self.run_branch(instruction, executed, stop);
        }
        if self.pauses
            && executed != 0
            && let Some(exit) = self.pause_before(pc)
        {
            return ControlFlow::Break(Some(exit));
        }
        if executed != mask {
            self.visits.through(pc, executed);
        }
        if instruction.op.is_control() {
            return self.leave_to_warp(executed);
        }
        if executed == 0 {
            self.pass(pc, executed);
            self.group.pc = pc + 1;
            return ControlFlow::Continue(());
        }
        self.run_range(simd, pc + 1, executed)
    }

    /// Stops the group at its reconvergence point, at a limit or at the end of the function.
    #[inline(always)]
    fn stop_at(&mut self, pc: u32) -> Option<LoopExit> {
        self.visits.up_to(pc);
        if self.reconverges_at(pc) {
            self.groups.advance_to(pc);
            return self.pick_next_group();
        }
        if (pc as usize) < self.function.code.len() {
            return Some(LoopExit::Due);
        }
        self.branches.end_watch();
        Some(LoopExit::FellOff)
    }

    #[inline(always)]
    fn run_branch(&mut self, branch: &Instruction, taken: u32, stop: &mut u32) -> Flow {
        let pc = self.group.pc;
        match self.branch(pc, branch, taken, |run| run.pass(pc, taken)) {
            Branched::FellThrough => self.group.pc = pc + 1,
            Branched::Jumped => self.group.pc = branch.s.a,
            Branched::Diverged { sides, join } => {
                self.groups.diverge(&sides, join);
                return ControlFlow::Break(self.pick_next_group());
            }
            Branched::Exit { pc, exit } => {
                self.group.pc = pc;
                return ControlFlow::Break(Some(exit));
            }
            Branched::ForWarp => {
                self.visits.through(pc, taken);
                return self.leave_to_warp(taken);
            }
        }
        *stop = self.next_stop();
        ControlFlow::Continue(())
    }

    /// Counts an instruction that controls scheduling, which the warp executes.
    #[inline(always)]
    fn leave_to_warp(&mut self, executed: u32) -> Flow {
        let pc = self.group.pc;
        self.pass(pc, executed);
        self.visits.up_to(pc + 1);
        self.branches.end_watch();
        ControlFlow::Break(Some(LoopExit::Control { executed }))
    }

    /// Executes the instructions before `end`, up to a frequent operation that the fast loop can run.
    #[inline(always)]
    fn run_range<S: Simd>(&mut self, simd: S, end: u32, executed: u32) -> Flow {
        let function = self.function;
        let mut pc = self.group.pc;
        let mut flow = ControlFlow::Continue(());
        while pc < end {
            let instruction = &function.code[pc as usize];
            if instruction.quick == Quick::No {
                self.branches.end_watch();
            }
            if let Err(error) = self.execute_one(simd, instruction, pc, executed)
                && let Some(exit) = self.handle_error(*error, pc, executed)
            {
                pc += u32::from(!matches!(exit, LoopExit::Fault(_) | LoopExit::Due));
                flow = ControlFlow::Break(Some(exit));
                break;
            }
            pc += 1;
            // Charged steps lower the limits, so the caller computes them again.
            if self.ctx.meter.charge(self.state) || self.is_quick(pc) {
                flow = ControlFlow::Break(None);
                break;
            }
        }
        self.group.pc = pc;
        flow
    }

    #[inline(always)]
    fn execute_one<S: Simd>(
        &mut self,
        simd: S,
        instruction: &Instruction,
        pc: u32,
        executed: u32,
    ) -> Result<(), Box<ExecError>> {
        self.ctx.clock += 1;
        self.ctx.meter.add(self.function.work(pc, executed));
        if self.observed {
            self.before(instruction, pc, executed);
        }
        let registers = &mut self.frame.registers;
        execute(simd, instruction, self.function, registers, &mut self.ctx, executed)?;
        if self.observed {
            self.after(pc, executed);
        }
        Ok(())
    }
}
