//! Branches of a group: their effect on the divergence machine, and the detection of repeated states.

use super::machine::{Group, Machine};
use super::pause::Pause;
use super::registers::Registers;
use super::spin::SpinWatch;

/// The parts of a warp and its run that a branch needs.
pub(super) struct Branching<'w> {
    pub(super) machine: &'w mut Machine,
    pub(super) spin: &'w mut SpinWatch,
    pub(super) registers: &'w Registers,
    /// Whether the warp has read memory that others may write, since memory last changed.
    pub(super) reads: &'w mut bool,
    /// Counts changes of memory.
    pub(super) changes: u64,
    pub(super) steps: u64,
}

impl Branching<'_> {
    /// The lanes of `taken` branch to `target`. Returns whether the group continues at its position without a
    /// choice by the machine.
    #[inline(always)]
    pub(super) fn branch(&mut self, group: &mut Group, target: u32, taken: u32) -> Result<bool, Pause> {
        let next = group.pc + 1;
        if taken == 0 {
            group.pc = next;
            return Ok(true);
        }
        if taken != group.mask && target != next {
            if target <= group.pc {
                self.machine.take_back_edge(self.changes, self.steps);
            }
            self.machine.branch((target, taken), (next, group.mask & !taken));
            return Ok(false);
        }
        self.jump(group, target)
    }

    /// All lanes of the group continue at `target`.
    #[inline(always)]
    pub(super) fn jump(&mut self, group: &mut Group, target: u32) -> Result<bool, Pause> {
        let from = group.pc;
        group.pc = target;
        let mut had_turn = false;
        if target <= from {
            self.machine.go_on(target);
            had_turn = self.machine.take_back_edge(self.changes, self.steps);
            if let Some(pause) = self.spin.branched(self.machine, self.registers, self.reads, self.changes) {
                return Err(pause);
            }
        }
        if group.alone && !had_turn {
            return Ok(true);
        }
        self.machine.go_on(target);
        Ok(false)
    }
}
