//! The interpreter loop: runs a group up to an instruction that changes which lanes run.
//!
//! Most instructions have no guard and only compute; they run in ranges that need no checks before their end. The loop is
//! compiled for several instruction sets of the host, and the best one that the processor supports is chosen at run time.

use pulp::Simd;

use super::exec::{ExecContext, Fault, execute};
use super::machine::Group;
use super::program::{CcTest, Operation, Program};
use super::warp::{Pause, RunContext, Warp};
use crate::cuda::order::Order;
use crate::record::Recorder;
use crate::trace::{StatementId, Status};

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
                    let message = "control continues after the last instruction of the listing\n\
                                   the listing is incomplete: add the instructions that follow"
                        .to_owned();
                    run.state.report(self.id.error("control-flow", message, statement, group.mask));
                    return Some(Pause::Stopped(Status::Faulted));
                }
                Stop::Fault(fault) => {
                    run.state.report(fault.finding(self.id, group.pc));
                    return Some(Pause::Stopped(Status::Faulted));
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
        let observed = sanitizer.is_some() || self.written.is_some();
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
                if executed == 0 {
                    ctx.clock += 1;
                    pc = end;
                    continue;
                }
            }
            for operation in &program.code[pc as usize..end as usize] {
                ctx.clock += 1;
                if observed && let Some(sanitizer) = &mut ctx.sanitizer {
                    let order = order_of(operation, program);
                    sanitizer.begin(StatementId(pc), order, self.id.warp, ctx.live, executed);
                }
                let lanes =
                    if operation.uniform && !operation.op.is_collective() { u32::MAX } else { executed };
                let done = execute(simd, operation, program, &mut self.registers, &mut ctx, lanes);
                if observed {
                    if let Some(sanitizer) = &mut ctx.sanitizer {
                        run.state.collect(sanitizer, StatementId(pc), visits.recorder);
                    }
                    if let Some(written) = &mut self.written {
                        let named = &program.named[pc as usize];
                        named
                            .iter()
                            .filter(|named| named.written)
                            .for_each(|named| written.write(named.cell, lanes));
                        if let Some(tracer) = &mut self.tracer
                            && tracer.visited(
                                named,
                                StatementId(pc),
                                (mask, executed),
                                &self.registers,
                                written,
                            )
                        {
                            run.state.complete_trace();
                        }
                    }
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
        if let Some(written) = &mut self.written {
            let named = &run.program.named[group.pc as usize];
            named.iter().filter(|named| named.written).for_each(|named| written.write(named.cell, executed));
            if let Some(tracer) = &mut self.tracer
                && tracer.visited(
                    named,
                    StatementId(group.pc),
                    (group.mask, executed),
                    &self.registers,
                    written,
                )
            {
                run.state.complete_trace();
            }
        }
    }
}

/// The guarantees of an operation about the order of memory accesses.
fn order_of(operation: &Operation, program: &Program) -> Order {
    use super::program::Op;
    match operation.op {
        Op::Load | Op::Store => {
            let strong = program.accesses[operation.n as usize].strong;
            Order { strong, acquire: strong && operation.op == Op::Load, ..Order::default() }
        }
        Op::Atomic => Order { strong: true, acquire: true, release: true, ..Order::default() },
        Op::Fence { in_block } => Order { fence: true, in_block, ..Order::default() },
        _ => Order::default(),
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
