//! The statements at which the order of threads can matter to a race-free kernel.

use warplens_sim_cuda::address::AtomicOp;
use warplens_sim_warp::OrderEffect;

use super::{Control, Op, Program, SpecialRegister};

impl Program {
    /// Whether the statement synchronizes threads: between two such statements, other threads may run at any time without a
    /// difference.
    pub(crate) fn synchronizes(&self, pc: u32) -> bool {
        matches!(self.code[pc as usize].op, Op::Control(Control::Block { .. } | Control::Cluster { .. }))
            || self.depends_on_order(pc)
    }

    /// Whether what the statement reads or leaves in memory may depend on the order of threads.
    pub(crate) fn depends_on_order(&self, pc: u32) -> bool {
        match self.code[pc as usize].op {
            Op::Load(access) | Op::Store(access) => self.accesses[access].strong,
            Op::Atomic(_) | Op::LoadLocked(_) | Op::StoreUnlock(_) => true,
            _ => false,
        }
    }

    /// Whether the statement may only repeat an earlier read, as in a loop that waits.
    pub(crate) fn may_poll(&self, pc: u32) -> bool {
        match self.code[pc as usize].op {
            Op::Load(_) | Op::LoadLocked(_) => true,
            Op::Atomic(atomic) => self.atomics[atomic].op == AtomicOp::CompareSwap,
            _ => false,
        }
    }

    /// Whether code reads the clock.
    pub(crate) fn reads_clock(&self) -> bool {
        let is_clock = |op| {
            matches!(op, Op::Special { register: SpecialRegister::Clock | SpecialRegister::ClockHigh, .. })
        };
        self.code.iter().any(|operation| is_clock(operation.op))
    }

    /// What the order of threads can change in a race-free run.
    pub(crate) fn order_effect(&self) -> OrderEffect {
        match () {
            () if self.reads_clock() => OrderEffect::Time,
            () if (0..self.code.len() as u32).any(|pc| self.depends_on_order(pc)) => {
                OrderEffect::Synchronization
            }
            () => OrderEffect::None,
        }
    }

    /// The program for a run in which warps pause before statements that synchronize: straight runs end there.
    pub(crate) fn with_pauses(&self) -> Program {
        let mut program = self.clone();
        let mut end = self.code.len() as u32;
        for pc in (0..end).rev() {
            if program.synchronizes(pc) {
                end = pc;
            }
            let run = &mut program.straight_runs[pc as usize];
            *run = end.min(*run);
        }
        program
    }
}
