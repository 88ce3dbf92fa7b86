//! Branches: their visit, the lanes that diverge, and the detection of loops that wait.

use super::group_run::GroupRun;
use super::loop_exit::LoopExit;
use crate::program::{Instruction, Op, Uniformity};

pub(super) enum Branched {
    FellThrough,
    Jumped,
    /// The lanes diverge: the first instruction and the lanes of both sides, and where they reconverge.
    Diverged {
        sides: [(u32, u32); 2],
        join: u32,
    },
    /// The loop returns, with the group at this instruction.
    Exit {
        pc: u32,
        exit: LoopExit,
    },
    /// Nothing has happened: only the warp can execute the branch, which is `.uni` or has one target for both sides.
    ForWarp,
}

impl GroupRun<'_> {
    /// Executes the branch at `pc`, which the lanes of `taken` take. `count` counts it once it has been visited. Each of the
    /// three outcomes records its own visit: distinguishing them a second time would take more instructions.
    #[inline(always)]
    pub(super) fn branch(
        &mut self,
        pc: u32,
        branch: &Instruction,
        taken: u32,
        count: impl FnOnce(&mut Self),
    ) -> Branched {
        let (target, next) = (branch.s.a, pc + 1);
        let not_taken = self.group.mask & !taken;
        if taken == 0 {
            self.visits.through(pc, 0);
            count(self);
            return match self.group.alone {
                true => Branched::FellThrough,
                false => Branched::Exit { pc: next, exit: LoopExit::Turn { from: pc } },
            };
        }
        if not_taken != 0 {
            if branch.op == Op::Branch(Uniformity::Asserted) || target == next {
                return Branched::ForWarp;
            }
            self.visits.through(pc, taken);
            count(self);
            self.divergences.record(self.function.first_statement + pc, [taken, not_taken]);
            self.branches.end_watch();
            let join = self.launch.plan.join(branch);
            return Branched::Diverged { sides: [(target, taken), (next, not_taken)], join };
        }
        self.visits.through(pc, self.visits.mask);
        count(self);
        self.visits.start = target;
        let alone = self.group.alone;
        if target <= pc && self.branches.backward(pc, target, &self.frame.registers) {
            return Branched::Exit { pc: target, exit: LoopExit::CheckSpin { from: pc, alone } };
        }
        match alone {
            true => Branched::Jumped,
            false => Branched::Exit { pc: target, exit: LoopExit::Turn { from: pc } },
        }
    }
}
