//! Reports instructions to everyone who observes a running group: the sanitizer, the tracer of values and the spin detector.

use warplens_sim_cuda::fault::{ExecError, Fault};
use warplens_sim_cuda::run_state::RunState;
use warplens_sim_cuda::value_trace;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::recording::DueChange;
use warplens_sim_warp::trace::{Checks, Finding, Severity, StatementId};

use super::absence::{self, NamedLanes, VisitLanes};
use super::frame::Frame;
use super::group_run::GroupRun;
use super::loop_exit::LoopExit;
use super::value_tracer::{ValueTracer, registers_of};
use super::warp_collectives;
use crate::engine::waits::exiting::exiting;
use crate::program::{Function, Instruction};
use crate::sanitizer::preconditions::Operands;
use crate::sanitizer::undefined_use::StatementVisit;
use crate::sanitizer::{bit_field, division, preconditions, values};

impl GroupRun<'_> {
    /// Whether computed values are observed, not only memory accesses by the sanitizer.
    pub(super) fn observes_values(&self) -> bool {
        let undefined = self.frame.undefined.as_ref().is_some_and(|undefined| !undefined.is_empty());
        let made_undefined =
            self.ctx.sanitizer.as_ref().is_some_and(|sanitizer| sanitizer.undefined.is_pending);
        self.frame.written.is_some()
            || self.window.is_some()
            || self.tracer.is_some()
            || self.function.uses_products
            || self.ctx.loaded.is_in_flight()
            || undefined
            || made_undefined
            || self.state.further.is_some()
    }

    #[cold]
    #[inline(never)]
    pub(super) fn handle_error(&mut self, error: ExecError, pc: u32, executed: u32) -> Option<LoopExit> {
        let pending_barrier = match error {
            ExecError::Fault(fault) if fault.is_interruption() => {
                self.ctx.meter.charge(self.state);
                self.visits.up_to(pc);
                return Some(LoopExit::Due);
            }
            ExecError::Fault(fault) => {
                let fault = self.skip_access(fault, pc, executed)?;
                // The cause may be a register that was never written.
                self.report_findings(pc);
                self.visits.up_to(pc + 1);
                self.record_fault(pc, executed);
                return Some(LoopExit::Fault(fault));
            }
            ExecError::Warning(warning) => {
                self.warn(warning, pc, executed);
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
    fn warn(&mut self, mut warning: Fault, pc: u32, executed: u32) {
        let (mut related, mut severity) = (Vec::new(), warning.kind.severity());
        if warning.kind == FindingKind::AbsentMembers {
            let places = self.groups.places();
            warning.lanes &= !exiting(&places, &self.launch.program.functions[0], warning.lanes);
            let have_exited = warning.lanes == 0;
            if have_exited && !self.function.code[pc as usize].op.is_of_whole_warp() {
                return;
            }
            self.forget_inactive_sources();
            let at = NamedLanes { function: self.function, pc, registers: &self.frame.registers };
            let executed = at.naming(warning.lanes, executed);
            let visit = VisitLanes { active: self.visits.mask, executed, missing: warning.lanes };
            let diverged = warning.lanes & !visit.active;
            related = self.divergences.origins(diverged, executed);
            if !self.divergences.is_new(&at, &visit, &related) {
                return;
            }
            let is_deadlock = !self.launch.program.lockstep && at.is_deadlock(&related, &places, diverged);
            if is_deadlock {
                severity = Severity::Error;
            }
            if have_exited {
                (warning.message, warning.lanes) = (absence::exited(&at, executed), executed);
            } else {
                warning.message = absence::message(&at, &visit, is_deadlock);
            }
        }
        self.forget_inactive_sources();
        let statement = self.function.first_statement + pc;
        let visit = Some(self.visits.number(pc));
        self.state.report(Finding { visit, severity, ..warning.warning(self.id, statement).with(related) });
    }

    /// A warning covers the values that the instruction gets from inactive lanes.
    fn forget_inactive_sources(&mut self) {
        if let Some(sanitizer) = &mut self.ctx.sanitizer {
            sanitizer.undefined.inactive = None;
        }
    }

    /// Counts an instruction that controls scheduling or that no lane executes.
    #[inline(always)]
    pub(super) fn pass(&mut self, pc: u32, executed: u32) {
        self.ctx.clock += 1;
        if self.observed {
            self.log(pc, executed);
            self.propagate_unknown(pc, executed);
            self.check_preconditions(pc, executed);
            self.record_before(pc);
            self.record_writes(pc, executed);
            self.propagate_undefined(pc, executed);
            self.report_findings(pc);
            self.make_edits();
        }
    }

    #[inline]
    fn log(&mut self, pc: u32, executed: u32) {
        if let Some(window) = &mut self.window {
            let at = (self.group.frame, self.frame.function, self.function);
            window.visit(at, pc, (self.visits.mask, executed), &self.frame.registers, &self.ctx);
        }
    }

    fn begin(&mut self, instruction: &Instruction, pc: u32, executed: u32) {
        let members = warp_collectives::members_slot(instruction, self.function);
        let members = members.map(|slot| self.frame.registers.get::<u32>(slot));
        if let Some(sanitizer) = &mut self.ctx.sanitizer {
            let (statement, order) = (self.function.first_statement + pc, &self.function.orders[pc as usize]);
            let barriers = warp_collectives::barriers(members, executed);
            sanitizer.begin_apart(StatementId(statement), order, self.ctx.warp, self.ctx.live, barriers);
        }
    }

    pub(super) fn before(&mut self, instruction: &Instruction, pc: u32, executed: u32) {
        self.log(pc, executed);
        self.propagate_unknown(pc, executed);
        self.begin(instruction, pc, executed);
        self.record_before(pc);
        if self.function.uses_products {
            self.check_products(pc, executed);
        }
        if self.ctx.loaded.is_in_flight() {
            self.check_loaded(pc, executed);
        }
        self.propagate_undefined(pc, executed);
        if let Some(sanitizer) = &mut self.ctx.sanitizer {
            division::check(sanitizer, instruction, &self.frame.registers, executed);
            bit_field::check(sanitizer, self.function, pc, &self.frame.registers, executed);
        }
        self.check_preconditions(pc, executed);
    }

    /// Reports operands for which the behavior of the instruction is undefined.
    #[inline(always)]
    fn check_preconditions(&mut self, pc: u32, executed: u32) {
        if self.ctx.sanitizer.is_some() && !self.function.preconditions[pc as usize].is_empty() {
            self.report_undefined(pc, executed);
        }
    }

    #[cold]
    #[inline(never)]
    fn report_undefined(&mut self, pc: u32, executed: u32) {
        let Some(sanitizer) = &mut self.ctx.sanitizer else { return };
        if sanitizer.report.checks == Checks::default() {
            return;
        }
        let statement = self.function.first_statement + pc;
        let operands = Operands {
            registers: &self.frame.registers,
            bases: self.ctx.bases,
            spaces: self.ctx.spaces,
            executed,
        };
        for precondition in &self.function.preconditions[pc as usize] {
            if let Some((fault, severity)) = preconditions::check(precondition, &operands)
                && sanitizer.report.reported.insert((fault.kind, statement, None))
            {
                let visit = Some(self.visits.number(pc));
                self.state.report(Finding { visit, severity, ..fault.warning(self.id, statement) });
            }
        }
    }

    /// Reports that the instruction accesses registers that a load of tensor memory may still write.
    #[cold]
    fn check_loaded(&mut self, pc: u32, executed: u32) {
        if let Some(sanitizer) = &mut self.ctx.sanitizer
            && let Some(misuse) = self.ctx.loaded.misuse(self.function, pc)
        {
            let name_of = |register: u32| &*self.function.frame.registers[register as usize].name;
            sanitizer.report.register_in_flight(&misuse, name_of, executed);
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
            sanitizer.report.register_in_flight(&misuse, name_of, executed);
        }
        self.ctx.products.note_writes(self.function, pc);
    }

    pub(super) fn after(&mut self, pc: u32, executed: u32) {
        if let Some((sanitizer, undefined)) = self.ctx.sanitizer.as_mut().zip(self.frame.undefined.as_mut()) {
            values::after(sanitizer, undefined, self.function, pc);
        }
        if self.state.order_log.is_some() {
            self.log_order(pc, executed);
        }
        self.report_findings(pc);
        self.record_accesses();
        self.record_writes(pc, executed);
        if self.function.uses_products
            && let Some(tracer) = self.tracer
        {
            tracer.keep_products(self.function, &self.ctx.products.take_completed(), self.frame);
        }
        self.make_edits();
    }

    /// Makes the changes of a user before the next step.
    pub(super) fn make_edits(&mut self) {
        let Some(tap) = self.tracer.as_mut().and_then(|tracer| tracer.tap(self.frame)) else { return };
        for change in tap.due(self.frame.function, self.group.mask.into()) {
            match change {
                DueChange::Register { name, lanes } => self.frame.set_register(self.function, &name, &lanes),
                DueChange::Memory { space, owner, address, data } => {
                    self.ctx.spaces.set_bytes(self.ctx.local, (space, owner, address), &data);
                }
            }
        }
    }

    /// Records the registers before the requested step, or the state once the trace is complete, and makes the sanitizer
    /// list the accesses of the step.
    fn record_before(&mut self, pc: u32) {
        let Some(tracer) = self.tracer else { return };
        let sanitizer = self.ctx.sanitizer.as_deref_mut();
        if sanitizer.is_some() && tracer.0.ends_before(StatementId(self.function.first_statement + pc)) {
            self.ctx.spaces.asynchronous.keep(&self.ctx.spaces.shared);
        }
        value_trace::before_step(&mut tracer.0, sanitizer, || registers_of(self.function, self.frame));
    }

    /// Records a statement that faults: it writes no register.
    fn record_fault(&mut self, pc: u32, executed: u32) {
        match self.tracer.as_mut().and_then(|tracer| tracer.tap(self.frame)) {
            Some(tap) => {
                let statement = StatementId(self.function.first_statement + pc);
                tap.send_bare(statement, self.visits.mask.into(), executed.into());
            }
            None => self.record_writes(pc, 0),
        }
    }

    /// Takes the accesses of the requested step from the sanitizer, and records a store to the watched byte.
    fn record_accesses(&mut self) {
        let sanitizer = self.ctx.sanitizer.as_deref_mut();
        if let Some((tracer, sanitizer)) = self.tracer.as_mut().zip(sanitizer) {
            value_trace::after_step(&mut tracer.0, sanitizer, self.ctx.spaces, self.ctx.local);
        }
    }

    fn propagate_undefined(&mut self, pc: u32, executed: u32) {
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

    fn record_writes(&mut self, pc: u32, executed: u32) {
        let lanes = (self.visits.mask, executed);
        record_writes(self.function, pc, lanes, self.frame, self.tracer, self.state);
    }
}

/// Records which lanes have written the registers, and the values for the tracer.
#[inline]
pub(crate) fn record_writes(
    function: &Function,
    pc: u32,
    (active, executed): (u32, u32),
    frame: &mut Frame,
    tracer: &mut Option<Box<ValueTracer>>,
    state: &mut RunState,
) {
    let Some(written) = &mut frame.written else { return };
    for &register in function.writes_of(pc) {
        written[register as usize] |= executed;
    }
    if let Some(tracer) = tracer
        && tracer.visited(function, pc, (active, executed), frame)
    {
        state.complete_trace();
    }
}
