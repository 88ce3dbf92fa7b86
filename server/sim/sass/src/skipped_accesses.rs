//! Skips invalid accesses while a run looks for further faults. Their results are unknown, like those of instructions that
//! are not simulated.

use pulp::Scalar;
use warplens_sim_cuda::further_faults::is_invalid_access;

use super::exec::{ExecContext, Fault, addresses_of, execute, spaces_of};
use super::executing::Executing;
use super::observer::Observer;
use super::program::{Access, Op, Operation, Program};
use super::registers::Registers;
use super::running::{Running, Stop};

impl Running<'_> {
    /// If the run looks for further faults: executes the faulting operation in the lanes whose address is valid. An error
    /// stops the run.
    #[cold]
    pub(super) fn skip_access(
        &mut self,
        mut fault: Box<Fault>,
        operation: &Operation,
        at: Executing,
    ) -> Result<(), Stop> {
        if self.observer.state.further.is_none() || !self.can_skip(operation.op, at.written) {
            return Err(Stop::Fault(fault));
        }
        let mut valid = at.written;
        loop {
            let skipped = fault.lanes & valid;
            if skipped == 0 || !is_invalid_access(fault.kind) {
                return Err(Stop::Fault(fault));
            }
            valid &= !skipped;
            self.observer.state.report((*fault).finding(self.observer.warp, at.statement));
            if valid == 0 {
                break;
            }
            match execute(Scalar::new(), operation, self.program, self.registers, &mut self.ctx, valid) {
                Ok(()) => break,
                Err(next) => fault = next,
            }
        }
        self.observer.skipped(at, at.written & !valid, self.registers, &self.ctx);
        Ok(())
    }

    /// While the run looks for further faults: another fault of the statement needs no message.
    #[inline(always)]
    pub(super) fn silence_known_faults(&mut self, statement: u32) {
        if let Some(further) = &self.observer.state.further {
            self.ctx.spaces.is_silent = further.has_reported(statement);
        }
    }

    /// Whether lanes can skip an operation. One that accesses several spaces has had effects in some of them.
    fn can_skip(&self, op: Op, mask: u32) -> bool {
        let Some(access) = access_of(op, self.program) else { return matches!(op, Op::LoadConstant(_)) };
        let addresses = addresses_of(&access.address, self.registers);
        spaces_of(access.space, addresses, &self.ctx, mask).len() <= 1
    }
}

impl Observer<'_> {
    /// Lanes have skipped an access: its results are unknown, and so is the memory that it would have written.
    fn skipped(&mut self, at: Executing, skipped: u32, registers: &Registers, ctx: &ExecContext<'_>) {
        let program = self.program;
        let uses = &program.uses[at.statement as usize];
        let written: Vec<_> = uses.iter().filter(|it| it.is_write).map(|it| it.cell).collect();
        self.undefined.compute_unknown(&written, at.statement, skipped);
        let op = program.code[at.statement as usize].op;
        if let (Op::Store(_) | Op::Atomic(_), Some(access)) = (op, access_of(op, program)) {
            self.memory.store_unknown(&access, at.statement, (registers, ctx), skipped);
        }
    }
}

fn access_of(op: Op, program: &Program) -> Option<Access> {
    match op {
        Op::Load(access) | Op::Store(access) => Some(program.accesses[access]),
        Op::Atomic(atomic) => Some(Access::of_atomic(&program.atomics[atomic])),
        _ => None,
    }
}
