//! Statements at which the order of threads matters: pauses of runs under a schedule, and the log of what lanes read there.

use warplens_sim_cuda::registers::lanes;
use warplens_sim_warp::order_log::OrderedRead;
use warplens_sim_warp::trace::StatementId;

use super::group_run::GroupRun;
use super::loop_exit::LoopExit;
use super::operand::get;
use super::warp::Warp;
use crate::engine::divergence::group::Group;
use crate::engine::run_context::RunContext;
use crate::program::Function;

impl GroupRun<'_> {
    /// Pauses before the instruction at `pc` if it synchronizes, once for each time that a warp may execute one.
    #[cold]
    #[inline(never)]
    pub(super) fn pause_before(&mut self, pc: u32) -> Option<LoopExit> {
        let scheduler = self.state.scheduler.as_mut().filter(|_| self.function.synchronizes(pc))?;
        if !scheduler.pauses() {
            return None;
        }
        self.visits.up_to(pc);
        self.branches.end_watch();
        Some(LoopExit::Preempted)
    }

    /// Logs the values that the instruction has read, if they depend on the order of threads.
    #[cold]
    #[inline(never)]
    pub(super) fn log_order(&mut self, pc: u32, executed: u32) {
        let (function, registers) = (self.function, &self.frame.registers);
        let Some(log) = self.state.order_log.as_mut().filter(|_| function.reads_in_order(pc)) else { return };
        let written = function.writes_of(pc);
        if written.is_empty() {
            return;
        }
        let statement = StatementId(function.first_statement + pc);
        for lane in lanes(executed) {
            let values = written.iter().map(|register| {
                get(function.frame.registers[*register as usize].place, registers, lane) as u64
            });
            // One value is kept as it is, for messages.
            let value = values.reduce(|all, value| all.rotate_left(17).wrapping_mul(0x9e37_79b9) ^ value);
            let unseen = self.ctx.sanitizer.as_ref().and_then(|sanitizer| sanitizer.unseen_store(lane));
            let (warp, value) = (self.id, value.unwrap_or(0));
            let read = OrderedRead { warp, lane: lane as u32, statement, value, unseen };
            log.add(read, function.may_poll(pc));
        }
    }
}

impl Warp {
    /// Splits the running group, which pauses before its next instruction, if the schedule says so: threads of a warp need not
    /// be converged there.
    pub(super) fn split_group(&mut self, group: Group, function: &Function, run: &mut RunContext<'_>) {
        let Some(scheduler) = &mut run.state.scheduler else { return };
        let is_stalled = scheduler.is_stalled(run.spaces.changes);
        // Waiting loops are recognized by the repetition of their groups.
        self.groups.suspend_random_turns(is_stalled);
        // At a barrier the lanes may have converged because it is aligned.
        if run.launch.may_split
            && !is_stalled
            && function.depends_on_order(group.pc)
            && let Some(part) = scheduler.split(group.mask)
        {
            self.groups.split(part);
        }
    }
}
