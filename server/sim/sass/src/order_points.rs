//! Statements at which the order of threads matters: pauses of runs under a schedule, and the log of what lanes read there.

use warplens_sim_cuda::registers::lanes;
use warplens_sim_warp::order_log::{OrderedRead, value_of_words};
use warplens_sim_warp::trace::StatementId;

use super::executing::Executing;
use super::program::Cell;
use super::running::{Running, Stop};

impl Running<'_> {
    /// Pauses before the statement at `pc` if it synchronizes, once for each time that a warp may execute one.
    #[cold]
    #[inline(never)]
    pub(super) fn pause_before(&mut self, pc: u32) -> Option<Stop> {
        let scheduler = self.observer.state.scheduler.as_mut().filter(|_| self.program.synchronizes(pc))?;
        if !scheduler.pauses() {
            return None;
        }
        self.visits.up_to(pc);
        Some(Stop::Preempted)
    }

    /// Logs the values that the statement has read, if they depend on the order of threads.
    pub(super) fn log_order(&mut self, at: Executing) {
        let (program, registers) = (self.program, &*self.registers);
        let log = self.observer.state.order_log.as_mut();
        let Some(log) = log.filter(|_| program.depends_on_order(at.statement)) else { return };
        let written = program.named[at.statement as usize].iter().filter(|named| named.written);
        let rows: Vec<_> = written
            .flat_map(|named| match named.cell {
                Cell::Rows(first, words) => first..first + words,
                Cell::Predicate(_) => 0..0,
            })
            .collect();
        if rows.is_empty() {
            return;
        }
        for lane in lanes(at.executed) {
            let value = value_of_words(rows.iter().map(|row| registers.row(*row)[lane]));
            let statement = StatementId(at.statement);
            let (warp, lane) = (self.observer.warp, lane as u32);
            let read = OrderedRead { warp, lane, statement, value, unseen: None };
            log.add(read, program.may_poll(at.statement));
        }
    }
}
