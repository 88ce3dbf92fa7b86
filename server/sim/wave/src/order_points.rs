//! Statements at which the order of threads matters: pauses of runs under a schedule, and the log of what lanes read there.
//!
//! Only local memory is checked for races, so the order may decide what any access to device memory reads or leaves.

use warplens_sim_warp::OrderEffect;
use warplens_sim_warp::order_log::{OrderedRead, value_of_words};
use warplens_sim_warp::trace::{Mask, StatementId, WarpId};

use super::lanes::lanes;
use super::machine::{ExecContext, Wave};
use super::op::{Action, Atomic, Control, Matrix, Op, Row, Space};
use super::program::{Cell, Program};

impl Action {
    /// Whether a wave pauses before the operation in a run under a schedule: between two such operations, other waves may run
    /// at any time without a difference.
    fn synchronizes(&self) -> bool {
        match self {
            Action::Load { .. } | Action::Store { .. } | Action::Atomic { .. } => true,
            Action::Matrix(op) => !matches!(op, Matrix::Compute { .. }),
            Action::Control(control) => *control == Control::Barrier,
            _ => false,
        }
    }

    /// Whether what the operation reads may depend on the order of threads.
    fn reads_in_order(&self) -> bool {
        match self {
            Action::Load { .. } => true,
            Action::Atomic { d, .. } => d.is_some(),
            _ => false,
        }
    }

    /// Whether the operation may only repeat an earlier read, as in a loop that waits.
    fn may_poll(&self) -> bool {
        matches!(self, Action::Load { .. } | Action::Atomic { op: Atomic::CompareAndSwap, .. })
    }

    /// Whether the operation lets the order of threads change the result of a kernel without races in local memory.
    fn depends_on_order(&self) -> bool {
        matches!(self, Action::Store { space: Space::Device, .. } | Action::Atomic { .. } | Action::Acquire)
    }
}

impl Program {
    /// What the order of threads can change in a run without races in local memory.
    pub(crate) fn order_effect(&self) -> OrderEffect {
        match self.ops.iter().any(|op| op.action.depends_on_order()) {
            true => OrderEffect::Synchronization,
            false => OrderEffect::None,
        }
    }
}

impl<const W: usize> Wave<W> {
    /// Whether the wave pauses before an operation, once for each time that it may execute one.
    #[inline]
    pub(super) fn pauses_before(op: &Op, ctx: &mut ExecContext<'_>) -> bool {
        ctx.scheduler.as_mut().is_some_and(|scheduler| op.action.synchronizes() && scheduler.pauses())
    }

    /// Logs the values that lanes have read, if they depend on the order of threads.
    #[cold]
    pub(super) fn log_order(&self, op: &Op, executed: Mask, ctx: &mut ExecContext<'_>) {
        let Some(log) = ctx.order_log.as_mut().filter(|_| op.action.reads_in_order()) else { return };
        let written = ctx.program.named[self.pc as usize].iter().filter(|named| named.written);
        let rows: Vec<Row> = written
            .flat_map(|named| match named.cell {
                Cell::General(first) => Row::from(first)..Row::from(first) + Row::from(named.count),
                Cell::Predicate(_) => 0..0,
            })
            .collect();
        let (warp, statement) = (WarpId { cta: ctx.workgroup, warp: self.index }, StatementId(self.pc));
        for lane in lanes(executed) {
            let value = value_of_words(rows.iter().map(|row| self.state.rows.get(*row)[lane]));
            let read = OrderedRead { warp, lane: lane as u32, statement, value, unseen: None };
            log.add(read, op.action.may_poll());
        }
    }
}
