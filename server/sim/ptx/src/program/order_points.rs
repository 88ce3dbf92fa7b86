//! The statements at which the order of threads can matter to a race-free program.

use warplens_sim_cuda::address::AtomicOp;
use warplens_sim_warp::OrderEffect;

use super::operation::Op;
use super::quick::Quick;
use super::tensor::TensorOp;
use super::{Function, Program};

impl Function {
    /// Whether the statement synchronizes threads: between two such statements, other threads may run at any time without a
    /// difference.
    pub(crate) fn synchronizes(&self, pc: u32) -> bool {
        matches!(self.code[pc as usize].op, Op::Barrier(_)) || self.depends_on_order(pc)
    }

    /// Whether what the statement reads or leaves in memory may depend on the order of threads or on the partition of a warp.
    pub(crate) fn depends_on_order(&self, pc: u32) -> bool {
        let op = self.code[pc as usize].op;
        match op {
            Op::ActiveMask => true,
            Op::BulkCopy(id) => self.tables[id].reduction.is_some(),
            Op::Tensor(id) if let TensorOp::Copy(copy) = &self.tables[id] => copy.reduction.is_some(),
            _ if let Some(id) = op.exchange() => self.tables[id].members.is_none(),
            _ => self.orders[pc as usize].strong,
        }
    }

    /// Whether what the statement reads depends on the order of threads. It then has a result; a token of an mbarrier has a
    /// meaning only for later tests.
    pub(crate) fn reads_in_order(&self, pc: u32) -> bool {
        match self.code[pc as usize].op {
            Op::Mbarrier(id) => self.tables[id].action.waits(),
            Op::Call(..) => false,
            _ => self.depends_on_order(pc),
        }
    }

    /// Whether the statement may only repeat an earlier read, as in a loop that waits.
    pub(crate) fn may_poll(&self, pc: u32) -> bool {
        match self.code[pc as usize].op {
            Op::Load(_) | Op::Mbarrier(_) => true,
            Op::Atomic(id) => self.tables[id].op == AtomicOp::CompareSwap,
            _ => false,
        }
    }
}

impl Program {
    /// What the order of threads can change in a race-free run.
    pub(crate) fn order_effect(&self) -> OrderEffect {
        let mut code = self.functions.iter().flat_map(|function| &function.code);
        let depends =
            |function: &Function| (0..function.code.len() as u32).any(|pc| function.depends_on_order(pc));
        match () {
            () if code.any(|instruction| matches!(instruction.op, Op::Clock(_))) => OrderEffect::Time,
            () if self.functions.iter().any(depends) => OrderEffect::Synchronization,
            () => OrderEffect::None,
        }
    }

    /// The program for a run in which warps pause before statements that synchronize: straight runs end there, and the general
    /// loop executes all of them.
    pub(crate) fn with_pauses(&self) -> Program {
        let mut program = self.clone();
        for function in &mut program.functions {
            let mut end = function.code.len() as u32;
            for pc in (0..end).rev() {
                if function.synchronizes(pc) {
                    function.code[pc as usize].quick = Quick::No;
                    end = pc;
                }
                let run = &mut function.straight_runs[pc as usize];
                *run = end.min(*run);
            }
        }
        program
    }

    /// Whether the lanes of a warp may be in any number of groups. Instructions that whole warps must execute together, other
    /// than those that wait for the missing lanes, require convergence that only the compiler can promise.
    pub(crate) fn may_split(&self) -> bool {
        let needs_warp = |function: &Function| {
            let is_copy = |op: &TensorOp| {
                matches!(op, TensorOp::Copy(_) | TensorOp::ReplaceField { .. } | TensorOp::AcquireMap(_))
            };
            !function.tables.tensors.iter().all(is_copy)
                || function.code.iter().any(|instruction| {
                    matches!(instruction.op, Op::RegisterCount { .. } | Op::FragmentAccess(_))
                })
        };
        !self.lockstep && !self.functions.iter().any(needs_warp)
    }
}
