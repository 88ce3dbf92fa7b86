//! The interpreter loop: runs groups until an instruction needs more than the choice of the next group.
//!
//! Most instructions have no guard and only compute; they run in ranges that need no checks before their end. The loop is
//! compiled for several instruction sets of the host, and the best one is chosen at run time. Functions on the hot path must
//! be inlined into the loop, whatever their size: a function that is not inlined is compiled for the oldest supported
//! processor.

use pulp::Simd;
use warplens_sim_cuda::fault::{ExecError, Fault};
use warplens_sim_cuda::memory::spaces::Bases;
use warplens_sim_cuda::run_state::RunState;
use warplens_sim_cuda::visits::Visits;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::trace::{Finding, StatementId, WarpId};

use super::absence::{self, DivergenceLog, VisitLanes};
use super::context::ExecContext;
use super::execute::execute;
use super::exiting::exiting;
use super::frame::Frame;
use super::loop_exit::{LoopExit, Ran, StopLimits, branched, choose};
use super::poll_window::PollWindow;
use super::quick_run::QuickRun;
use super::spin::BranchCounter;
use super::value_tracer::{ValueTracer, registers_of};
use super::warp::Warp;
use crate::engine::divergence::group::Group;
use crate::engine::divergence::groups::Groups;
use crate::engine::launch::Launch;
use crate::engine::run_context::RunContext;
use crate::program::{Function, Instruction, Op, Quick, Slot};
use crate::sanitizer::undefined::UndefinedValues;
use crate::sanitizer::undefined_use::StatementVisit;
use crate::sanitizer::{bit_field, division, values};

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
        if sanitizer.as_ref().is_some_and(|sanitizer| sanitizer.follows_values()) {
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
            live: self.live,
            clock: run.state.steps,
            sanitizer: sanitizer.as_deref_mut(),
        };
        let mut running = Running {
            function,
            entry: &run.launch.program.functions[0],
            observed: ctx.sanitizer.is_some() || frame.written.is_some() || self.spin.window.is_some(),
            window: self.spin.window.as_deref_mut(),
            slot: group.frame,
            visits: Visits {
                recorder: &mut self.recorder,
                first: function.first_statement,
                mask: group.mask,
                start: group.pc,
            },
            frame,
            ctx,
            id: self.id,
            tracer: &mut self.tracer,
            divergences: &mut self.divergences,
            state: run.state,
        };
        let mut group = group;
        let event = loop {
            let ran = if running.is_quick(group.pc) {
                running.run_quickly(simd, &mut group, &mut self.groups, &mut self.spin.counter, run.launch)
            } else {
                None
            };
            let ran = match ran {
                Some(ran) => ran,
                None => running.go(simd, &mut group, &mut self.groups, &mut self.spin.counter, run.launch),
            };
            match ran {
                Ran::Exit(event) => break event,
                Ran::ToQuick => {}
                Ran::ToChoice => match choose(&mut self.groups, group.frame, self.live, run.launch) {
                    Ok(next) => {
                        group = next;
                        running.visits.continue_with(group.mask, group.pc);
                    }
                    Err(next) => break LoopExit::Next(next),
                },
            }
        };
        run.state.steps = running.ctx.clock;
        run.state.sanitizer = sanitizer;
        (group, event)
    }
}

struct Running<'w> {
    function: &'w Function,
    entry: &'w Function,
    frame: &'w mut Frame,
    ctx: ExecContext<'w>,
    visits: Visits<'w>,
    /// Whether each instruction is reported to the sanitizer, the recorder of written registers or the spin detector.
    observed: bool,
    /// The spin detector's log, if it observes the warp.
    window: Option<&'w mut PollWindow>,
    /// The frame's slot.
    slot: Slot,
    id: WarpId,
    tracer: &'w mut Option<Box<ValueTracer>>,
    divergences: &'w mut DivergenceLog,
    state: &'w mut RunState,
}

impl Running<'_> {
    /// Whether the instruction at `pc` is a frequent operation whose effects nobody observes.
    #[inline(always)]
    fn is_quick(&self, pc: u32) -> bool {
        let next = self.function.code.get(pc as usize);
        next.is_some_and(|next| next.quick != Quick::No) && !(self.observed && self.observes_values())
    }

    /// Runs frequent operations; `None` if the group's next instruction needs the general path.
    #[inline(always)]
    fn run_quickly<S: Simd>(
        &mut self,
        simd: S,
        group: &mut Group,
        groups: &mut Groups,
        spin: &mut BranchCounter,
        launch: &Launch<'_>,
    ) -> Option<Ran> {
        let limits = self.limits();
        let run = QuickRun {
            simd,
            function: self.function,
            registers: &mut self.frame.registers,
            ctx: &mut self.ctx,
            visits: &mut self.visits,
            groups,
            spin,
            divergences: self.divergences,
            launch,
            limits,
            group: *group,
        };
        let (reached, ran) = run.run();
        *group = reached;
        ran
    }

    /// Runs a group until it diverges, reconverges, reaches a frequent operation or stops for another reason.
    #[inline(always)]
    fn go<S: Simd>(
        &mut self,
        simd: S,
        group: &mut Group,
        groups: &mut Groups,
        spin: &mut BranchCounter,
        launch: &Launch<'_>,
    ) -> Ran {
        let Group { until, mask, alone, .. } = *group;
        let mut pc = group.pc;
        let function = self.function;
        let mut stop = self.limits().stop(self.ctx.clock, pc, until);
        let event = 'runs: loop {
            let mut executed = mask;
            let mut end = function.straight_runs[pc as usize].min(stop);
            if pc == end {
                if pc >= stop {
                    self.visits.up_to(pc);
                    if pc == until {
                        groups.go_on(pc);
                        break Ran::ToChoice;
                    }
                    if (pc as usize) < function.code.len() {
                        break Ran::Exit(LoopExit::Due);
                    }
                    spin.end_watch();
                    break Ran::Exit(LoopExit::FellOff);
                }
                let instruction = &function.code[pc as usize];
                executed = instruction.guard.of(&self.frame.registers.predicates, mask);
                if executed != mask {
                    self.visits.through(pc, executed);
                }
                end = pc + 1;
                if instruction.op.is_control() {
                    self.pass(pc, executed);
                    self.visits.up_to(end);
                    match instruction.op {
                        Op::Branch(_) if executed == mask || executed == 0 => {
                            let from = pc;
                            pc = if executed == 0 { end } else { instruction.s.a };
                            if let Some(exit) = branched((from, pc), alone, &self.frame.registers, spin) {
                                break Ran::Exit(exit);
                            }
                            self.visits.start = pc;
                            stop = self.limits().stop(self.ctx.clock, pc, until);
                            continue;
                        }
                        Op::Branch(false) if instruction.s.a != end => {
                            let sides = [(instruction.s.a, executed), (end, mask & !executed)];
                            let statement = function.first_statement + pc;
                            self.divergences.record(statement, [executed, mask & !executed]);
                            spin.end_watch();
                            groups.diverge(&sides, launch.plan.join(instruction));
                            break Ran::ToChoice;
                        }
                        _ => {
                            spin.end_watch();
                            break Ran::Exit(LoopExit::Control { executed });
                        }
                    }
                }
                if executed == 0 {
                    self.pass(pc, executed);
                    pc = end;
                    continue;
                }
            }
            while pc < end {
                let instruction = &function.code[pc as usize];
                if instruction.quick == Quick::No {
                    spin.end_watch();
                }
                if let Err(error) = self.step(simd, instruction, pc, executed)
                    && let Some(event) = self.handle_error(*error, pc, executed, groups)
                {
                    pc += u32::from(!matches!(event, LoopExit::Fault(_)));
                    break 'runs Ran::Exit(event);
                }
                pc += 1;
                if self.is_quick(pc) {
                    break 'runs Ran::ToQuick;
                }
            }
        };
        group.pc = pc;
        event
    }

    /// Whether computed values are observed, not only memory accesses by the sanitizer.
    fn observes_values(&self) -> bool {
        let undefined = self.frame.undefined.as_ref().is_some_and(|undefined| !undefined.is_empty());
        let made_undefined =
            self.ctx.sanitizer.as_ref().is_some_and(|sanitizer| sanitizer.has_made_undefined());
        self.frame.written.is_some()
            || self.window.is_some()
            || self.tracer.is_some()
            || self.function.uses_products
            || undefined
            || made_undefined
    }

    #[inline(always)]
    fn step<S: Simd>(
        &mut self,
        simd: S,
        instruction: &Instruction,
        pc: u32,
        executed: u32,
    ) -> Result<(), Box<ExecError>> {
        self.ctx.clock += 1;
        if self.observed {
            self.before(instruction, pc, executed);
        }
        let registers = &mut self.frame.registers;
        execute(simd, instruction, self.function, registers, &mut self.ctx, executed)?;
        if self.observed {
            self.after(pc, executed);
        }
        Ok(())
    }

    /// Handles an instruction's error, warning or yield.
    #[cold]
    #[inline(never)]
    fn handle_error(
        &mut self,
        error: ExecError,
        pc: u32,
        executed: u32,
        groups: &Groups,
    ) -> Option<LoopExit> {
        let pending_barrier = match error {
            ExecError::Fault(fault) => {
                self.visits.up_to(pc + 1);
                self.note(pc, 0);
                return Some(LoopExit::Fault(fault));
            }
            ExecError::Warning(warning) => {
                self.warn(warning, pc, executed, groups);
                None
            }
            ExecError::Yield(what) => Some(what),
        };
        self.after(pc, executed);
        let pending_barrier = pending_barrier?;
        self.visits.up_to(pc + 1);
        Some(LoopExit::Yield(pending_barrier))
    }

    /// Reports the incorrect use of an instruction. A GPU waits for missing participants only until they exit.
    fn warn(&mut self, mut warning: Fault, pc: u32, executed: u32, groups: &Groups) {
        let mut related = Vec::new();
        if warning.kind == FindingKind::AbsentMembers {
            warning.lanes &= !exiting(&groups.places(), self.entry, warning.lanes);
            if warning.lanes == 0 {
                return;
            }
            let visit = VisitLanes { active: self.visits.mask, executed, missing: warning.lanes };
            warning.message = absence::message(self.function, pc, &self.frame.registers, &visit);
            related = self.divergences.origins(warning.lanes & !self.visits.mask, executed);
        }
        if let Some(sanitizer) = &mut self.ctx.sanitizer {
            sanitizer.forget_shuffle();
        }
        let statement = self.function.first_statement + pc;
        let visit = Some(self.visits.number(pc));
        self.state.report(Finding { visit, ..warning.warning(self.id, statement).with(related) });
    }

    /// Counts an instruction that controls scheduling or that no lane executes.
    #[inline(always)]
    fn pass(&mut self, pc: u32, executed: u32) {
        self.ctx.clock += 1;
        if self.observed {
            self.log(pc, executed);
            self.record_before(pc);
            self.note(pc, executed);
            self.values(pc, executed);
            self.report_findings(pc);
        }
    }

    #[inline]
    fn log(&mut self, pc: u32, executed: u32) {
        if let Some(window) = &mut self.window {
            let at = (self.slot, self.frame.function, self.function);
            window.visit(at, pc, (self.visits.mask, executed), &self.frame.registers, &self.ctx);
        }
    }

    fn before(&mut self, instruction: &Instruction, pc: u32, executed: u32) {
        self.log(pc, executed);
        self.ctx.begin(self.function, pc, executed);
        self.record_before(pc);
        if self.function.uses_products {
            self.check_products(pc, executed);
        }
        self.values(pc, executed);
        if let Some(sanitizer) = &mut self.ctx.sanitizer {
            division::check(sanitizer, instruction, &self.frame.registers, executed);
            bit_field::check(sanitizer, self.function, pc, &self.frame.registers, executed);
        }
    }

    /// Reports that the instruction misuses registers of warpgroup products in flight, and records its writes.
    #[cold]
    fn check_products(&mut self, pc: u32, executed: u32) {
        let Some(sanitizer) = &mut self.ctx.sanitizer else { return };
        if self.ctx.products.is_in_flight()
            && let Some(misuse) = self.ctx.products.misuse(self.function, pc)
        {
            let name_of = |register: u32| &*self.function.frame.registers[register as usize].name;
            sanitizer.product_in_flight(&misuse, name_of, executed);
        }
        self.ctx.products.note_writes(self.function, pc);
    }

    fn after(&mut self, pc: u32, executed: u32) {
        if let Some((sanitizer, undefined)) = self.ctx.sanitizer.as_mut().zip(self.frame.undefined.as_mut()) {
            values::after(sanitizer, undefined, self.function, pc);
        }
        self.report_findings(pc);
        self.record_accesses();
        self.note(pc, executed);
    }

    /// Records the registers before the requested step, or the state once the trace is complete, and makes the sanitizer
    /// list the accesses of the step.
    fn record_before(&mut self, pc: u32) {
        let Some(tracer) = self.tracer else { return };
        if let Some(sanitizer) = &mut self.ctx.sanitizer {
            sanitizer.take_watch_hit();
            if tracer.ends_before(StatementId(self.function.first_statement + pc)) {
                self.ctx.spaces.asynchronous.keep(&self.ctx.spaces.shared);
            }
        }
        if let Some(moment) = tracer.due() {
            moment.before(registers_of(self.function, self.frame));
            if let Some(sanitizer) = &mut self.ctx.sanitizer {
                sanitizer.list_accesses();
            }
        }
    }

    /// Takes the accesses of the requested step from the sanitizer, and records a store to the watched byte.
    fn record_accesses(&mut self) {
        let Some((tracer, sanitizer)) = self.tracer.as_mut().zip(self.ctx.sanitizer.as_mut()) else { return };
        if sanitizer.take_watch_hit() {
            tracer.stored();
        }
        if let Some(moment) = tracer.due() {
            moment.accesses(sanitizer.take_accesses());
        }
    }

    /// Propagates undefined values, if there are any.
    fn values(&mut self, pc: u32, executed: u32) {
        let undefined = self.frame.undefined.as_deref_mut().filter(|undefined| !undefined.is_empty());
        if let Some((sanitizer, undefined)) = self.ctx.sanitizer.as_mut().zip(undefined) {
            let (function, active, registers) = (self.function, self.visits.mask, &self.frame.registers);
            let visit = StatementVisit { function, pc, active, executed, registers };
            values::before(sanitizer, undefined, &visit);
        }
    }

    fn report_findings(&mut self, pc: u32) {
        if let Some(sanitizer) = &mut self.ctx.sanitizer {
            let statement = StatementId(self.function.first_statement + pc);
            let unrecorded = self.visits.first + self.visits.start;
            self.state.collect(sanitizer, statement, unrecorded, self.visits.recorder);
        }
    }

    fn note(&mut self, pc: u32, executed: u32) {
        if self.frame.written.is_some() {
            note(self.function, pc, (self.visits.mask, executed), self.frame, self.tracer, self.state);
        }
    }

    /// The limits that end a range of instructions.
    #[inline(always)]
    fn limits(&self) -> StopLimits {
        let end = self.function.code.len() as u32;
        StopLimits::new(self.state.pause_at, self.state.limit, end)
    }
}

/// Records which lanes have written the registers, and the values for the tracer.
#[cold]
pub(crate) fn note(
    function: &Function,
    pc: u32,
    (active, executed): (u32, u32),
    frame: &mut Frame,
    tracer: &mut Option<Box<ValueTracer>>,
    state: &mut RunState,
) {
    if let Some(written) = &mut frame.written {
        for &register in function.writes_of(pc) {
            written[register as usize] |= executed;
        }
    }
    if let Some(tracer) = tracer
        && tracer.visited(function, pc, (active, executed), frame)
    {
        state.complete_trace();
    }
}
