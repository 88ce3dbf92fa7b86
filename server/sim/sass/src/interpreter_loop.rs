//! The interpreter loop: runs groups until an instruction needs more than the choice of the next group.
//!
//! Most instructions have no guard and only compute; they run in ranges that need no checks before their end.
//! The loop is compiled for several instruction sets of the host, and the best supported one is chosen at run
//! time.

use std::ops::Range;

use pulp::Simd;
use warplens_sim_cuda::meter::Meter;
use warplens_sim_cuda::visits::Visits;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::trace::{Severity, StatementId, Status};

use super::exec::{ExecContext, execute, run_quick};
use super::executing::Executing;
use super::machine::Group;
use super::observer::Observer;
use super::pause::Pause;
use super::program::{CcTest, Cell, Operation, Program, Quick};
use super::running::{Next, Running, Stop};
use super::warp::{RunContext, Warp};

impl Warp {
    /// Runs a group and its successors until the machine must choose again. Returns why the warp stops, if it
    /// does.
    #[inline(always)]
    pub(super) fn interpret<S: Simd>(
        &mut self,
        simd: S,
        group: Group,
        run: &mut RunContext<'_>,
    ) -> Option<Pause> {
        let mut group = group;
        loop {
            let stop = self.go(simd, &mut group, run);
            self.stopped_at = group.pc;
            match stop {
                Stop::NoGroup => return None,
                Stop::Due => {
                    self.machine.go_on(group.pc);
                    return Some(Pause::Due);
                }
                Stop::Preempted => {
                    self.machine.go_on(group.pc);
                    return Some(Pause::Preempted);
                }
                Stop::FellOff if run.launch.program.resumes_at_end() => {
                    self.leave_listing(group, run);
                    return None;
                }
                Stop::FellOff => {
                    let statement = group.pc.saturating_sub(1);
                    let message = "it continues after the last instruction of the listing\n\
                                   the listing is incomplete: add the instructions that follow"
                        .to_owned();
                    run.state.report(self.id.finding(
                        FindingKind::ControlFlow,
                        message,
                        statement,
                        group.mask,
                    ));
                    return Some(Pause::Stopped(Status::Faulted));
                }
                Stop::Fault(fault) => {
                    self.machine.go_on(group.pc);
                    run.state.report(fault.finding(self.id, group.pc));
                    return Some(Pause::Stopped(Status::Faulted));
                }
                Stop::Unknown(finding) => {
                    run.state.report(*finding);
                    return Some(Pause::Stopped(Status::Unsupported));
                }
                Stop::Repeats(pause) => return Some(pause),
                Stop::Joined(executed) => match self.join(&mut group, executed, run) {
                    Ok(true) => {}
                    Ok(false) => return None,
                    Err(pause) => return Some(pause),
                },
                Stop::Control(executed) => match self.control(&mut group, executed, run) {
                    Ok(true) => {}
                    Ok(false) => return None,
                    Err(pause) => return Some(pause),
                },
            }
        }
    }

    /// Runs a group and its successors up to an instruction that needs the whole warp. Then `group` is the
    /// group that ran last, at the position where it stopped.
    #[inline(always)]
    fn go<S: Simd>(&mut self, simd: S, group: &mut Group, run: &mut RunContext<'_>) -> Stop {
        let mut sanitizer = run.state.sanitizer.take();
        let observer = Observer {
            program: run.launch.program,
            warp: self.id,
            memory: run.undefined,
            undefined: &mut self.undefined,
            written: self.written.as_deref_mut(),
            tracer: self.tracer.as_deref_mut(),
            state: run.state,
        };
        let ctx = ExecContext {
            target: run.launch.program.target,
            spaces: run.spaces,
            local: &mut self.local,
            banks: &run.launch.banks,
            locks: run.locks,
            sanitizer: sanitizer.as_deref_mut(),
            position: &self.position,
            live: self.live,
            clock: observer.state.steps,
            reduced: self.reduced,
            reads: self.reads,
        };
        let mut running = Running {
            program: run.launch.program,
            observed: false,
            pauses: observer.state.scheduler.is_some(),
            barriers: run.launch.barriers,
            registers: &mut self.registers,
            machine: &mut self.machine,
            spin: &mut self.spin,
            reconvergences: &mut self.reconvergences,
            visits: Visits::new(&mut self.recorder, 0, group.pc, group.mask),
            group: *group,
            ctx,
            meter: Meter::new(observer.state, &|| false),
            observer,
        };
        running.observed = running.is_observed();
        running.make_edits();
        let stop = loop {
            if let Some(stop) = running.straight(simd) {
                break stop;
            }
            if !running.choose() {
                break Stop::NoGroup;
            }
        };
        let Running { group: last, ctx, meter, observer, .. } = running;
        *group = last;
        (self.live, self.reads) = (ctx.live, ctx.reads);
        observer.state.steps = ctx.clock;
        meter.close(observer.state);
        run.state.sanitizer = sanitizer;
        stop
    }

    /// Lanes have reconverged at the end of a listing that shows only a part of the code.
    fn leave_listing(&mut self, group: Group, run: &mut RunContext<'_>) {
        let message = "its lanes reconverge at the end of the listing, and the run ends there\n\
                       add the instructions that follow to see what they do"
            .to_owned();
        let finding = self.id.finding(FindingKind::ControlFlow, message, group.pc - 1, group.mask);
        run.state.report(finding.with_severity(Severity::Information));
        self.live &= !group.mask;
        self.machine.exit(group.mask, group.pc);
    }

    /// Records the registers that a control instruction has written.
    pub(super) fn record_late(&mut self, program: &Program, statement: u32, lanes: u32) {
        let Some((tracer, written)) = self.tracer.as_mut().zip(self.written.as_ref()) else { return };
        let undefined = &self.undefined;
        let known = |cell: Cell| written.lanes(cell) & !undefined.unknown(cell);
        tracer.reread_results(program, StatementId(statement), &self.registers, &known, lanes);
    }
}

impl Running<'_> {
    /// Runs the group until the machine must choose again (`None`), or an instruction needs the whole warp.
    #[inline(always)]
    fn straight<S: Simd>(&mut self, simd: S) -> Option<Stop> {
        let program = self.program;
        let mut pc = self.group.pc;
        let mut stop = self.stop();
        loop {
            let mask = self.group.mask;
            let mut executed = mask;
            let mut end = program.straight_runs[pc as usize].min(stop);
            if pc >= end {
                self.group.pc = pc;
                if pc >= stop {
                    return Some(self.stopped());
                }
                if self.pauses
                    && let Some(stop) = self.pause_before(pc)
                {
                    return Some(stop);
                }
                let operation = &program.code[pc as usize];
                executed &= self.registers.holds(operation.guard);
                if operation.op.is_control() {
                    match self.quick_control(operation, executed) {
                        Next::Continue => {
                            (pc, stop) = (self.group.pc, self.stop());
                            continue;
                        }
                        Next::Choose => return None,
                        Next::Stop(stop) => return Some(stop),
                    }
                }
                end = pc + 1;
                if operation.test != CcTest::ALWAYS {
                    executed &= operation.test.of(self.registers);
                }
                if executed != mask {
                    self.visits.through(pc, executed);
                }
                if executed == 0 && !self.observer.is_undecided(operation, mask) {
                    self.pass(pc);
                    pc = end;
                    continue;
                }
            }
            if let Err(stop) = self.run_range(simd, pc..end, executed) {
                return Some(stop);
            }
            pc = end;
            stop = self.charged(pc).unwrap_or(stop);
            if program.code[pc as usize - 1].joins {
                self.group.pc = pc;
                self.visits.up_to(pc);
                match self.quick_join(executed) {
                    Next::Continue => stop = self.stop(),
                    Next::Choose => return None,
                    Next::Stop(stop) => return Some(stop),
                }
            }
        }
    }

    /// Charges what was counted before `pc`. Returns where the group stops now, if that was a step or more.
    #[inline(always)]
    fn charged(&mut self, pc: u32) -> Option<u32> {
        self.meter.charge(self.observer.state).then(|| {
            self.group.pc = pc;
            self.stop()
        })
    }

    /// Executes a range of instructions in the lanes of `executed`.
    #[inline(always)]
    fn run_range<S: Simd>(&mut self, simd: S, range: Range<u32>, executed: u32) -> Result<(), Stop> {
        let program = self.program;
        let Range { start: mut pc, end } = range;
        while pc < end {
            if !self.observed && program.quick[pc as usize] != Quick::No {
                let range = pc as usize..end as usize;
                let count = run_quick(simd, program, range, self.registers, executed);
                self.ctx.clock += u64::from(count);
                pc += count;
                continue;
            }
            if let Err(stop) = self.step(simd, &program.code[pc as usize], pc, executed) {
                self.group.pc = pc;
                self.visits.up_to(pc + 1);
                return Err(stop);
            }
            pc += 1;
        }
        Ok(())
    }

    /// Counts an instruction that no lane executes.
    #[inline(always)]
    fn pass(&mut self, pc: u32) {
        self.ctx.clock += 1;
        if self.observed {
            let at = Executing { statement: pc, active: self.group.mask, executed: 0, written: 0 };
            self.observer.trace(at, self.registers);
            self.make_edits();
        }
    }

    /// Executes an operation in the lanes of `executed`.
    #[inline(always)]
    fn step<S: Simd>(&mut self, simd: S, operation: &Operation, pc: u32, executed: u32) -> Result<(), Stop> {
        self.ctx.clock += 1;
        self.meter.add(operation.work(self.program, executed));
        let is_uniform = operation.uniform && !operation.op.is_collective() && executed != 0;
        let lanes = if is_uniform { u32::MAX } else { executed };
        if self.observed {
            return self.observed_step(
                simd,
                operation,
                Executing { statement: pc, active: self.group.mask, executed, written: lanes },
            );
        }
        execute(simd, operation, self.program, self.registers, &mut self.ctx, lanes).map_err(Stop::Fault)
    }

    /// Executes an operation and reports it to the observer.
    #[inline(never)]
    fn observed_step<S: Simd>(&mut self, simd: S, operation: &Operation, at: Executing) -> Result<(), Stop> {
        self.silence_known_faults(at.statement);
        let effects = self.observer.before(at, self.registers, &mut self.ctx).map_err(Stop::Unknown)?;
        let pc = at.statement as usize;
        let done = match at.executed {
            0 => Ok(()),
            _ if self.program.quick[pc] != Quick::No => {
                run_quick(simd, self.program, pc..pc + 1, self.registers, at.written);
                Ok(())
            }
            _ => execute(simd, operation, self.program, self.registers, &mut self.ctx, at.written),
        };
        let Visits { recorder, start, .. } = &mut self.visits;
        self.observer.after(at, effects, self.registers, &mut self.ctx, *start, recorder);
        self.make_edits();
        if done.is_ok() {
            self.log_order(at);
        }
        match done {
            Ok(()) => Ok(()),
            Err(fault) => self.skip_access(fault, operation, at),
        }
    }
}
