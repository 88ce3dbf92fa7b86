//! Findings about the current statement of a wave.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::trace::{Finding, Mask, Severity, StatementId, Status, WarpId};

use super::launch_state::Fault;
use super::machine::{ExecContext, Wave};
use super::memory::OutOfRange;
use super::program::Refusal;

impl<const W: usize> Wave<W> {
    /// Lanes that reach the end of the code exit.
    #[cold]
    pub(super) fn run_past_end(&mut self, ctx: &mut ExecContext<'_>) {
        let last = ctx.program.ops.len().checked_sub(1).map(|last| StatementId(last as u32));
        let message = "lanes reach the end of the kernel and exit here\nadd `halt`".to_owned();
        let finding =
            Finding { statement: last, ..self.finding(ctx, FindingKind::MissingHalt, message, self.active) };
        ctx.push(finding);
        self.halt_past_end(ctx);
    }

    /// Checks that all live lanes are among `arrived` at the barrier just before the program counter.
    pub(super) fn check_barrier(&mut self, ctx: &mut ExecContext<'_>, arrived: Mask) {
        if arrived == self.live {
            return;
        }
        let missing = self.live & !arrived;
        let missing_lanes = match missing.count_ones() {
            1 => "1 lane of the wave that has not exited".to_owned(),
            count => format!("{count} lanes of the wave that have not exited"),
        };
        let message =
            format!("{missing_lanes} did not arrive\nmove the barrier to code that all lanes execute");
        let at = StatementId(self.pc - 1);
        let finding = Finding {
            statement: Some(at),
            ..self.finding(ctx, FindingKind::DivergentBarrier, message, missing)
        };
        ctx.push(finding.in_visit(&self.recorder));
    }

    fn finding(&self, ctx: &ExecContext<'_>, kind: FindingKind, message: String, lanes: Mask) -> Finding {
        WarpId { cta: ctx.workgroup, warp: self.index }.finding(kind, message, self.pc, lanes)
    }

    fn stop(
        &self,
        ctx: &ExecContext<'_>,
        status: Status,
        kind: FindingKind,
        message: String,
        lanes: Mask,
    ) -> Fault {
        let finding = self.finding(ctx, kind, message, lanes).with_severity(Severity::Error);
        Fault::new(status, finding)
    }

    pub(super) fn fault(
        &self,
        ctx: &ExecContext<'_>,
        kind: FindingKind,
        message: String,
        lanes: Mask,
    ) -> Fault {
        self.stop(ctx, Status::Faulted, kind, message, lanes)
    }

    /// The fault of an operation that cannot be run.
    pub(super) fn refused(&self, ctx: &ExecContext<'_>, why: &Refusal) -> Fault {
        let (status, kind, message) = match why {
            Refusal::Unsupported(message) => (Status::Unsupported, FindingKind::Unsupported, message),
            Refusal::NoMeaning(message) => (Status::Faulted, FindingKind::NoMeaning, message),
        };
        self.stop(ctx, status, kind, message.clone(), self.active)
    }

    pub(super) fn control_flow_fault(&self, ctx: &ExecContext<'_>, message: String) -> Fault {
        self.fault(ctx, FindingKind::ControlFlow, message, self.active)
    }

    #[cold]
    pub(super) fn out_of_range(&self, ctx: &ExecContext<'_>, outside: &OutOfRange) -> Fault {
        self.fault(ctx, FindingKind::OutOfBounds, outside.message(), outside.lanes)
    }
}
