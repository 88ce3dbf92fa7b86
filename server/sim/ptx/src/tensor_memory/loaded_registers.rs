//! Registers that `tcgen05.ld` may still write: it is asynchronous until `tcgen05.wait::ld`.

use warplens_sim_cuda::grown::grown;
use warplens_sim_cuda::sanitizer::products::Misuse;

use crate::program::{Function, Op, RegisterSlot, TensorMemoryOp, TensorOp};

#[derive(Debug, Default)]
pub(crate) struct LoadedRegisters {
    /// By word register: 1 + the statement that loads it, or 0 if none does.
    statements: Vec<u32>,
}

impl LoadedRegisters {
    pub(crate) fn is_in_flight(&self) -> bool {
        !self.statements.is_empty()
    }

    pub(super) fn start(&mut self, registers: impl Iterator<Item = RegisterSlot>, statement: u32) {
        registers.for_each(|place| *grown(&mut self.statements, place.slot()) = statement + 1);
    }

    /// The warp has waited for its loads.
    pub(super) fn finish(&mut self) {
        self.statements.clear();
    }

    /// The access of an instruction that is about to run to a register in flight. Another load may replace the value. Other functions
    /// have other registers.
    pub(crate) fn misuse(&self, function: &Function, pc: u32) -> Option<Misuse> {
        if let Op::Tensor(id) = function.code[pc as usize].op
            && matches!(function.tables[id], TensorOp::Memory(TensorMemoryOp::Load(_)))
        {
            return None;
        }
        let writes = function.writes_of(pc);
        let statements = function.first_statement..function.first_statement + function.code.len() as u32;
        function.registers_of(pc).iter().find_map(|&register| {
            let RegisterSlot::Word(slot) = function.frame.registers[register as usize].place else {
                return None;
            };
            let started = self.statements.get(slot as usize)?.checked_sub(1)?;
            let reads = !writes.contains(&register);
            statements.contains(&started).then_some(Misuse::Loaded { register, started, reads })
        })
    }
}
