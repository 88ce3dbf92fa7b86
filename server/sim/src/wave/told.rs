//! What a wave has to say: findings about the place where it is.

use crate::trace::{Finding, Mask, Severity, StatementId, Status};

use super::machine::{Surroundings, Wave};
use super::memory::OutOfRange;
use super::program::Refusal;
use super::stage::Fault;

impl<const W: usize> Wave<W> {
    /// Lanes that came to the end of the code end there.
    pub(super) fn run_past_end(&mut self, around: &mut Surroundings<'_>) {
        let last = around.program.ops.len().checked_sub(1).map(|last| StatementId(last as u32));
        let message = "lanes ran past the end of the kernel; they end here: write `halt`".to_owned();
        let finding = Finding {
            statement: last,
            ..self.finding(around, "missing-halt", Severity::Warning, message, self.active)
        };
        around.push(finding);
        self.halt(around, self.active);
    }

    /// `arrived` lanes are at the barrier before the place of the wave.
    pub(super) fn check_barrier(&mut self, around: &mut Surroundings<'_>, arrived: Mask) {
        if arrived == self.live {
            return;
        }
        let missing = self.live & !arrived;
        let who = match missing.count_ones() {
            1 => "1 lane of the wave that has not ended".to_owned(),
            count => format!("{count} lanes of the wave that have not ended"),
        };
        let message = format!("{who} did not come to this barrier: put it where all lanes pass");
        let at = StatementId(self.pc - 1);
        let finding = Finding {
            statement: Some(at),
            ..self.finding(around, "divergent-barrier", Severity::Error, message, missing)
        };
        around.push(finding);
    }

    fn finding(
        &self,
        around: &Surroundings<'_>,
        code: &'static str,
        severity: Severity,
        message: String,
        lanes: Mask,
    ) -> Finding {
        Finding {
            code,
            severity,
            message,
            statement: Some(StatementId(self.pc)),
            cta: around.workgroup,
            warp: self.index,
            lanes,
            related: Vec::new(),
        }
    }

    fn stop(
        &self,
        around: &Surroundings<'_>,
        status: Status,
        code: &'static str,
        message: String,
        lanes: Mask,
    ) -> Fault {
        Fault { status, finding: self.finding(around, code, Severity::Error, message, lanes) }
    }

    pub(super) fn fault(
        &self,
        around: &Surroundings<'_>,
        code: &'static str,
        message: String,
        lanes: Mask,
    ) -> Fault {
        self.stop(around, Status::Faulted, code, message, lanes)
    }

    /// The operation at hand cannot be run.
    pub(super) fn refused(&self, around: &Surroundings<'_>, why: &Refusal) -> Fault {
        let (status, code, message) = match why {
            Refusal::Unsupported(message) => (Status::Unsupported, "unsupported", message),
            Refusal::NoMeaning(message) => (Status::Faulted, "no-meaning", message),
        };
        self.stop(around, status, code, message.clone(), self.active)
    }

    pub(super) fn lost(&self, around: &Surroundings<'_>, message: String) -> Fault {
        self.fault(around, "control-flow", message, self.active)
    }

    #[cold]
    pub(super) fn out_of_range(&self, around: &Surroundings<'_>, outside: &OutOfRange) -> Fault {
        self.fault(around, "out-of-bounds", outside.message(), outside.lanes)
    }
}
