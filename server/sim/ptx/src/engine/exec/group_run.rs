//! A group that runs, and everything that its instructions access.
//!
//! Most instructions have no guard and only compute; they run in ranges that need no checks before their end. Frequent
//! operations run in the fast loop (`quick_run`), everything else in the general one (`interpreter_loop`); `branching` is
//! used by both. The loops are compiled for several instruction sets of the host, and the best one is chosen at run time.
//! Functions on the hot path must be inlined into them, whatever their size: a function that is not inlined is compiled for
//! the oldest supported processor.

use pulp::Simd;
use warplens_sim_cuda::memory::spaces::Bases;
use warplens_sim_cuda::meter::Meter;
use warplens_sim_cuda::run_state::RunState;
use warplens_sim_cuda::visits::Visits;
use warplens_sim_warp::trace::WarpId;

use super::absence::DivergenceLog;
use super::context::ExecContext;
use super::frame::Frame;
use super::loop_exit::{LoopExit, StopLimits};
use super::value_tracer::ValueTracer;
use super::warp::Warp;
use crate::engine::divergence::group::Group;
use crate::engine::divergence::groups::Groups;
use crate::engine::launch::Launch;
use crate::engine::run_context::RunContext;
use crate::engine::waits::poll_window::PollWindow;
use crate::engine::waits::spin::BranchCounter;
use crate::program::{Function, Quick};
use crate::sanitizer::undefined::UndefinedValues;

pub(super) struct GroupRun<'w> {
    pub(super) group: Group,
    pub(super) function: &'w Function,
    pub(super) launch: &'w Launch<'w>,
    pub(super) frame: &'w mut Frame,
    pub(super) groups: &'w mut Groups,
    pub(super) branches: &'w mut BranchCounter,
    pub(super) divergences: &'w mut DivergenceLog,
    pub(super) ctx: ExecContext<'w>,
    pub(super) visits: Visits<'w>,
    /// Whether each instruction is reported to the sanitizer, the recorder of written registers or the spin detector.
    pub(super) observed: bool,
    /// Whether the run has a schedule, so that the group pauses before instructions that synchronize.
    pub(super) pauses: bool,
    pub(super) window: Option<&'w mut PollWindow>,
    pub(super) id: WarpId,
    pub(super) tracer: &'w mut Option<Box<ValueTracer>>,
    pub(super) state: &'w mut RunState,
}

impl Warp {
    /// Runs a group and its successors until an instruction needs more than the choice of the next group. Returns the last
    /// group, at the position where it stopped.
    #[inline(always)]
    pub(crate) fn interpret<S: Simd>(
        &mut self,
        simd: S,
        group: Group,
        function: &Function,
        run: &mut RunContext<'_>,
    ) -> (Group, LoopExit) {
        let Some(frame) = &mut self.frames[group.frame as usize] else { return (group, LoopExit::FellOff) };
        let mut sanitizer = run.state.sanitizer.take();
        if sanitizer.as_ref().is_some_and(|sanitizer| sanitizer.report.checks.uninitialized) {
            frame.undefined.get_or_insert_with(|| Box::new(UndefinedValues::new(function)));
        }
        self.local.frames.run(group.frame);
        let bases = Bases { frame: frame.local_base, shared: run.spaces.window.own_base() };
        let ctx = ExecContext {
            spaces: run.spaces,
            local: &mut self.local,
            warp: self.id.warp,
            bases,
            carry: &mut self.carry,
            products: &mut self.products,
            loaded: &mut self.loaded,
            register_counts: &mut self.register_counts,
            live: self.live,
            clock: run.state.steps,
            meter: Meter::new(run.state, run.launch.cancelled),
            sanitizer: sanitizer.as_deref_mut(),
        };
        let mut running = GroupRun {
            group,
            function,
            launch: run.launch,
            observed: ctx.sanitizer.is_some()
                || frame.written.is_some()
                || self.spin.window.is_some()
                || run.state.further.is_some()
                || run.state.order_log.is_some(),
            pauses: run.state.scheduler.is_some(),
            frame,
            groups: &mut self.groups,
            branches: &mut self.spin.counter,
            divergences: &mut self.divergences,
            ctx,
            visits: Visits::new(&mut self.recorder, function.first_statement, group.pc, group.mask),
            window: self.spin.window.as_deref_mut(),
            id: self.id,
            tracer: &mut self.tracer,
            state: run.state,
        };
        running.make_edits();
        let exit = running.run(simd);
        let GroupRun { group, ctx, state, .. } = running;
        state.steps = ctx.clock;
        ctx.meter.close(state);
        run.state.sanitizer = sanitizer;
        (group, exit)
    }
}

impl GroupRun<'_> {
    #[inline(always)]
    fn run<S: Simd>(&mut self, simd: S) -> LoopExit {
        loop {
            if self.is_quick(self.group.pc)
                && let Some(exit) = self.run_quickly(simd)
            {
                return exit;
            }
            if let Some(exit) = self.run_general(simd) {
                return exit;
            }
        }
    }

    /// Whether the instruction at `pc` is a frequent operation whose effects nobody observes.
    #[inline(always)]
    pub(super) fn is_quick(&self, pc: u32) -> bool {
        let next = self.function.code.get(pc as usize);
        next.is_some_and(|next| next.quick != Quick::No) && !(self.observed && self.observes_values())
    }

    /// Continues with the next group, if it is in this frame and nothing else changed; otherwise the loop ends with it.
    #[inline(always)]
    pub(super) fn pick_next_group(&mut self) -> Option<LoopExit> {
        match self.groups.next(self.ctx.live, &self.launch.plan) {
            Some(next)
                if next.frame == self.group.frame
                    && !next.needs_convergence
                    && !self.groups.has_pending_events() =>
            {
                self.group = next;
                self.visits.continue_with(next.mask, next.pc);
                None
            }
            next => Some(LoopExit::Next(next)),
        }
    }

    /// Whether the group waits here for others.
    #[inline(always)]
    pub(super) fn reconverges_at(&self, pc: u32) -> bool {
        pc == self.group.until
    }

    #[inline(always)]
    pub(super) fn limits(&self) -> StopLimits {
        let end = self.function.code.len() as u32;
        StopLimits::new(self.state.pause_at, self.state.limit, end)
    }
}
