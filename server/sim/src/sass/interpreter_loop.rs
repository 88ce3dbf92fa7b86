//! The interpreter loop: runs a group up to an instruction that changes which lanes run.
//!
//! Most instructions have no guard and only compute; they run in ranges that need no checks before their end. The loop is
//! compiled for several instruction sets of the host, and the best one that the processor supports is chosen at run time.

use pulp::Simd;

use super::exec::{ExecContext, Fault, execute};
use super::machine::Group;
use super::observer::{Executing, Observer};
use super::program::CcTest;
use super::undefined::UndefinedVisit;
use super::warp::{Pause, RunContext, Warp};
use crate::record::Recorder;
use crate::trace::{Finding, Status};

/// Why a group stopped.
enum Stop {
    /// The machine must choose.
    Choose,
    /// The caller's control is due.
    Due,
    /// Beyond the last instruction.
    FellOff,
    /// A control instruction, with the lanes whose guard is true.
    Control(u32),
    /// After an instruction whose lanes then wait, those that executed it.
    Joined(u32),
    /// The instruction failed.
    Fault(Box<Fault>),
    /// The instruction needs a value that is not known.
    Unknown(Box<Finding>),
}

impl Warp {
    /// Runs a group until the machine must choose again; returns why the warp stops, if it does.
    #[inline(always)]
    pub(super) fn interpret<S: Simd>(
        &mut self,
        simd: S,
        group: Group,
        run: &mut RunContext<'_>,
    ) -> Option<Pause> {
        let mut group = group;
        loop {
            let stop = self.straight(simd, &mut group, run);
            self.stopped_at = group.pc;
            match stop {
                Stop::Choose => {
                    self.machine.go_on(group.pc);
                    return None;
                }
                Stop::Due => {
                    self.machine.go_on(group.pc);
                    return Some(Pause::Due);
                }
                Stop::FellOff => {
                    let statement = group.pc.saturating_sub(1);
                    let message = "it continues after the last instruction of the listing\n\
                                   the listing is incomplete: add the instructions that follow"
                        .to_owned();
                    run.state.report(self.id.error("control-flow", message, statement, group.mask));
                    return Some(Pause::Stopped(Status::Faulted));
                }
                Stop::Fault(fault) => {
                    run.state.report(fault.finding(self.id, group.pc));
                    return Some(Pause::Stopped(Status::Faulted));
                }
                Stop::Unknown(finding) => {
                    run.state.report(*finding);
                    return Some(Pause::Stopped(Status::Unsupported));
                }
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

    /// Runs instructions of a group up to the next control instruction.
    #[inline(always)]
    fn straight<S: Simd>(&mut self, simd: S, group: &mut Group, run: &mut RunContext<'_>) -> Stop {
        let Group { mask, until, .. } = *group;
        let mut pc = group.pc;
        let program = run.program;
        let clock = run.state.steps;
        // A pause waits for the next control instruction, so that it does not split runs of statements; the limit cannot.
        let due = match clock >= run.state.pause_at {
            true => u64::from(pc),
            false => run.state.limit.saturating_sub(clock).saturating_add(pc.into()),
        };
        let stop = due.min(program.code.len() as u64).min(until.into()) as u32;
        let mut sanitizer = run.state.sanitizer.take();
        let mut observer = Observer {
            program,
            warp: self.id,
            state: run.state,
            memory: run.undefined,
            undefined: &mut self.undefined,
            written: self.written.as_deref_mut(),
            tracer: self.tracer.as_deref_mut(),
        };
        let observed = sanitizer.is_some() || observer.written.is_some() || observer.follows_undefined();
        let mut ctx = ExecContext {
            target: program.target,
            spaces: run.spaces,
            local: &mut self.local,
            banks: &run.launch.banks,
            locks: run.locks,
            sanitizer: sanitizer.as_deref_mut(),
            position: &self.position,
            live: self.live,
            clock,
            reduced: self.reduced,
            reads: self.reads,
        };
        let mut visits = Visits { recorder: &mut self.recorder, mask, start: pc };
        let reason = 'runs: loop {
            let mut executed = mask;
            let mut end = program.straight_runs[pc as usize].min(stop);
            if pc >= end {
                if pc >= stop {
                    visits.up_to(pc);
                    break match pc {
                        _ if pc as usize >= program.code.len() => Stop::FellOff,
                        _ if pc >= until => Stop::Choose,
                        _ => Stop::Due,
                    };
                }
                let operation = &program.code[pc as usize];
                executed = mask & self.registers.holds(operation.guard);
                if operation.op.is_control() {
                    visits.up_to(pc);
                    break Stop::Control(executed);
                }
                end = pc + 1;
                if operation.test != CcTest::ALWAYS {
                    executed &= operation.test.of(&self.registers);
                }
                if executed != mask {
                    visits.of_some(pc, executed);
                }
                if executed == 0 && !observer.is_undecided(operation, mask) {
                    ctx.clock += 1;
                    if observed {
                        let at = Executing { statement: pc, active: mask, executed, written: 0 };
                        observer.trace(at, &self.registers);
                    }
                    pc = end;
                    continue;
                }
            }
            for operation in &program.code[pc as usize..end as usize] {
                ctx.clock += 1;
                let is_uniform = operation.uniform && !operation.op.is_collective() && executed != 0;
                let lanes = if is_uniform { u32::MAX } else { executed };
                let at = Executing { statement: pc, active: mask, executed, written: lanes };
                let effects = match observed {
                    false => None,
                    true => match observer.before(at, &mut self.registers, &mut ctx) {
                        Ok(effects) => effects,
                        Err(finding) => {
                            visits.up_to(pc + 1);
                            break 'runs Stop::Unknown(finding);
                        }
                    },
                };
                let done = match executed {
                    0 => Ok(()),
                    _ => execute(simd, operation, program, &mut self.registers, &mut ctx, lanes),
                };
                if observed {
                    observer.after(at, effects, &self.registers, &mut ctx, visits.start, visits.recorder);
                }
                if let Err(fault) = done {
                    visits.up_to(pc + 1);
                    break 'runs Stop::Fault(fault);
                }
                pc += 1;
            }
            if program.code[pc as usize - 1].joins {
                visits.up_to(pc);
                break Stop::Joined(executed);
            }
        };
        self.reads = ctx.reads;
        run.state.steps = ctx.clock;
        run.state.sanitizer = sanitizer;
        group.pc = pc;
        reason
    }

    /// Counts a visit of a control instruction.
    pub(super) fn visit_control(&mut self, group: &Group, executed: u32, run: &mut RunContext<'_>) {
        run.state.steps += 1;
        self.recorder.visit_run(group.pc, group.pc + 1, group.mask.into(), executed.into());
        if self.written.is_some() {
            let at = Executing { statement: group.pc, active: group.mask, executed, written: executed };
            let mut observer = Observer {
                program: run.program,
                warp: self.id,
                state: run.state,
                memory: run.undefined,
                undefined: &mut self.undefined,
                written: self.written.as_deref_mut(),
                tracer: self.tracer.as_deref_mut(),
            };
            observer.trace(at, &self.registers);
        }
    }

    /// The uses of undefined values by a control instruction; an error stops the run.
    pub(super) fn check_control(
        &mut self,
        group: &Group,
        executed: u32,
        run: &mut RunContext<'_>,
    ) -> Result<(), Pause> {
        if self.undefined.is_empty() {
            return Ok(());
        }
        let (statement, active, written) = (group.pc, group.mask, executed);
        let visit =
            UndefinedVisit { program: run.program, warp: self.id, statement, active, executed, written };
        let mut effects = self.undefined.control(&visit, run.undefined);
        effects.findings.drain(..).for_each(|finding| run.state.report(finding));
        self.undefined.after(run.program, statement, &effects, executed);
        match effects.stop {
            None => Ok(()),
            Some(finding) => {
                run.state.report(finding);
                Err(Pause::Stopped(Status::Unsupported))
            }
        }
    }
}

/// Visits that are not recorded yet: of the statements from `start` on, each by all lanes of the group.
struct Visits<'w> {
    recorder: &'w mut Recorder,
    mask: u32,
    start: u32,
}

impl Visits<'_> {
    /// Records the statements before `pc`.
    #[inline(always)]
    fn up_to(&mut self, pc: u32) {
        self.recorder.visit_run(self.start, pc, self.mask.into(), self.mask.into());
        self.start = pc;
    }

    /// Records the statements before `pc`, and the visit of `pc`, which only some lanes execute.
    #[inline(always)]
    fn of_some(&mut self, pc: u32, executed: u32) {
        self.up_to(pc);
        self.recorder.visit_run(pc, pc + 1, self.mask.into(), executed.into());
        self.start = pc + 1;
    }
}
