//! Registers that `tcgen05.ld` may still write: it is asynchronous until `tcgen05.wait::ld`.
//!
//! An instruction that reads such a register gets the loaded value, without the wait: register dependencies within a thread hold (PTX ISA,
//! section "tcgen05 Memory Consistency Model"). One that only writes it may come first.

use rustc_hash::FxHashMap;
use warplens_sim_cuda::sanitizer::products::Misuse;

use crate::program::{Function, Op, RegisterSlot, TensorMemoryOp, TensorOp};

/// By register, the statement that loads it.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoadedRegisters(FxHashMap<RegisterSlot, u32>);

impl LoadedRegisters {
    pub(crate) fn is_in_flight(&self) -> bool {
        !self.0.is_empty()
    }

    pub(super) fn start(&mut self, registers: impl Iterator<Item = RegisterSlot>, statement: u32) {
        self.0.extend(registers.map(|place| (place, statement)));
    }

    /// The warp has waited for its loads.
    pub(super) fn finish(&mut self) {
        self.0.clear();
    }

    /// The overwriting of a register in flight by an instruction that is about to run. Another load may replace the value. Other
    /// functions have other registers.
    pub(crate) fn misuse(&mut self, function: &Function, pc: u32) -> Option<Misuse> {
        let writes = function.writes_of(pc);
        let place = |register: u32| function.frame.registers[register as usize].place;
        let named = function.registers_of(pc).iter().copied().filter(|register| !writes.contains(register));
        for read in function.flow.reads_of(pc).iter().map(|read| read.register).chain(named) {
            self.0.remove(&place(read));
        }
        if let Op::Tensor(id) = function.code[pc as usize].op
            && matches!(function.tables[id], TensorOp::Memory(TensorMemoryOp::Load(_)))
        {
            return None;
        }
        let statements = function.first_statement..function.first_statement + function.code.len() as u32;
        writes.iter().find_map(|&register| {
            let started = *self.0.get(&place(register))?;
            statements.contains(&started).then_some(Misuse::Loaded { register, started })
        })
    }
}
