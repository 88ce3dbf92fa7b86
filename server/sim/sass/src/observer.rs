//! What watches the operations of a warp: the sanitizer, undefined values, written registers, and value
//! traces.
//!
//! A run without checks and traces has no observer, so the interpreter loop only tests whether there is one.

use warplens_sim_cuda::order::{Order, Scope};
use warplens_sim_cuda::run_state::RunState;
use warplens_sim_cuda::value_trace;
use warplens_sim_warp::record::Recorder;
use warplens_sim_warp::trace::{Finding, StatementId, WarpId};

use super::exec::ExecContext;
use super::executing::Executing;
use super::program::{Cell, Op, Operation, Program};
use super::register_values::RegisterReader;
use super::registers::Registers;
use super::undefined::{Effects, UndefinedMemory, UndefinedValues, UndefinedVisit};
use super::value_tracer::ValueTracer;
use super::written_registers::WrittenRegisters;

/// The parts of a warp and its run that watch.
pub(super) struct Observer<'w> {
    pub(super) program: &'w Program,
    pub(super) warp: WarpId,
    pub(super) state: &'w mut RunState,
    pub(super) memory: &'w mut UndefinedMemory,
    pub(super) undefined: &'w mut UndefinedValues,
    pub(super) written: Option<&'w mut WrittenRegisters>,
    pub(super) tracer: Option<&'w mut ValueTracer>,
}

impl<'w> Observer<'w> {
    /// Whether there are undefined values to follow.
    pub(super) fn follows_undefined(&self) -> bool {
        !self.undefined.is_empty() || !self.memory.is_empty()
    }

    /// Whether an undefined value determines which lanes execute an operation.
    pub(super) fn is_undecided(&self, operation: &Operation, active: u32) -> bool {
        !self.undefined.is_empty()
            && (self.undefined.condition(operation.guard) | self.undefined.test(operation.test)) & active != 0
    }

    fn visit(&self, at: Executing) -> UndefinedVisit<'w> {
        let Executing { statement, active, executed, written } = at;
        UndefinedVisit { program: self.program, warp: self.warp, statement, active, executed, written }
    }

    /// Called before an operation. An error stops the run.
    pub(super) fn before(
        &mut self,
        at: Executing,
        registers: &mut Registers,
        ctx: &mut ExecContext<'_>,
    ) -> Result<Option<Effects>, Box<Finding>> {
        let program = self.program;
        if let Some(sanitizer) = &mut ctx.sanitizer {
            let order = order_of(&program.code[at.statement as usize], program);
            sanitizer.begin(StatementId(at.statement), &order, self.warp.warp, ctx.live, at.executed);
        }
        self.trace_before(at, registers, ctx);
        if !self.follows_undefined() {
            return Ok(None);
        }
        let visit = self.visit(at);
        let Some(mut effects) = self.undefined.before(&visit, self.memory, registers, ctx) else {
            return Ok(None);
        };
        effects.findings.drain(..).for_each(|finding| self.state.report(finding));
        match effects.stop.take() {
            Some(finding) => Err(finding),
            None => Ok(Some(effects)),
        }
    }

    /// Called before a control instruction. An error stops the run.
    pub(super) fn before_control(
        &mut self,
        at: Executing,
        registers: &Registers,
    ) -> Result<(), Box<Finding>> {
        let visit = self.visit(at);
        let Some(mut effects) = self.undefined.control(&visit, self.memory, registers) else {
            return Ok(());
        };
        effects.findings.drain(..).for_each(|finding| self.state.report(finding));
        self.undefined.after(&visit, &effects);
        effects.stop.map_or(Ok(()), Err)
    }

    /// Called after an operation.
    pub(super) fn after(
        &mut self,
        at: Executing,
        effects: Option<Effects>,
        registers: &Registers,
        ctx: &mut ExecContext<'_>,
        unrecorded: u32,
        recorder: &mut Recorder,
    ) {
        let program = self.program;
        let operation = &program.code[at.statement as usize];
        if let Some(effects) = effects {
            self.undefined.after(&self.visit(at), &effects);
        }
        if let Some(sanitizer) = &mut ctx.sanitizer {
            if let Some(tracer) = &mut self.tracer {
                value_trace::after_step(&mut tracer.0, sanitizer, ctx.spaces, ctx.local);
            }
            if matches!(operation.op, Op::Shuffle(_))
                && let Some(inactive) = sanitizer.undefined.inactive.take()
            {
                self.undefined.shuffled(operation.d, inactive, at.statement);
            }
            self.state.collect(sanitizer, StatementId(at.statement), unrecorded, recorder);
        }
        self.trace(at, registers);
    }

    /// Records the registers before a statement.
    fn trace_before(&mut self, at: Executing, registers: &Registers, ctx: &mut ExecContext<'_>) {
        let Some((tracer, written)) = self.tracer.as_mut().zip(self.written.as_deref()) else { return };
        let undefined = &*self.undefined;
        let known = |cell: Cell| written.lanes(cell) & !undefined.unknown(cell);
        let reader = RegisterReader { registers, known: &known };
        let around = || reader.around(self.program, StatementId(at.statement));
        value_trace::before_step(&mut tracer.0, ctx.sanitizer.as_deref_mut(), around);
    }

    /// Records the registers that a statement wrote.
    pub(super) fn trace(&mut self, at: Executing, registers: &Registers) {
        let Some(written) = &mut self.written else { return };
        let named = &self.program.named[at.statement as usize];
        named.iter().filter(|named| named.written).for_each(|named| written.write(named.cell, at.written));
        let undefined = &*self.undefined;
        let known = |cell: Cell| written.lanes(cell) & !undefined.unknown(cell);
        if let Some(tracer) = &mut self.tracer
            && tracer.visited(self.program, StatementId(at.statement), at, registers, &known)
        {
            self.state.complete_trace();
        }
    }
}

/// How an operation orders memory accesses.
fn order_of(operation: &Operation, program: &Program) -> Order {
    match operation.op {
        Op::Load(access) => {
            let strong = program.accesses[access].strong;
            Order { strong, acquire: strong, ..Order::default() }
        }
        Op::Store(access) => Order { strong: program.accesses[access].strong, ..Order::default() },
        // A release has a fence before the atomic. In shared memory, an acquire needs no fence after it.
        Op::Atomic(_) => Order { strong: true, acquire: true, ..Order::default() },
        Op::Fence { in_block } => {
            let scope = if in_block { Scope::Block } else { Scope::Device };
            Order { fence: true, acquire: true, release: true, scope, ..Order::default() }
        }
        _ => Order::default(),
    }
}
