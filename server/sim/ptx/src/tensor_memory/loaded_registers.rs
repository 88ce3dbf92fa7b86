//! Registers that `tcgen05.ld` may still write: it is asynchronous until `tcgen05.wait::ld`.
//!
//! Compilers move instructions that only compute ahead of the wait, because nothing tells them that it produces the registers. What such an
//! instruction computes is undefined like its operands, and it is a mistake only if it has an effect before the wait.

use rustc_hash::FxHashMap;
use warplens_sim_cuda::sanitizer::products::{LoadedUse, Misuse};

use crate::program::{Function, Op, RegisterSlot, TensorMemoryOp, TensorOp};

#[derive(Clone, Copy, Debug)]
struct Loaded {
    statement: u32,
    /// Whether the register is computed from loaded ones.
    is_computed: bool,
}

#[derive(Debug, Default)]
pub(crate) struct LoadedRegisters(FxHashMap<RegisterSlot, Loaded>);

impl LoadedRegisters {
    pub(crate) fn is_in_flight(&self) -> bool {
        !self.0.is_empty()
    }

    pub(super) fn start(&mut self, registers: impl Iterator<Item = RegisterSlot>, statement: u32) {
        self.0.extend(registers.map(|place| (place, Loaded { statement, is_computed: false })));
    }

    /// The warp has waited for its loads.
    pub(super) fn finish(&mut self) {
        self.0.clear();
    }

    /// The access of an instruction that is about to run to a register in flight. Another load may replace the value. Other functions
    /// have other registers.
    pub(crate) fn misuse(&mut self, function: &Function, pc: u32) -> Option<Misuse> {
        let op = function.code[pc as usize].op;
        if let Op::Tensor(id) = op
            && matches!(function.tables[id], TensorOp::Memory(TensorMemoryOp::Load(_)))
        {
            return None;
        }
        let writes = function.writes_of(pc);
        let place = |register: u32| function.frame.registers[register as usize].place;
        let statements = function.first_statement..function.first_statement + function.code.len() as u32;
        let found = function.registers_of(pc).iter().find_map(|&register| {
            let loaded = *self.0.get(&place(register))?;
            let reads = !writes.contains(&register);
            let is_misuse = statements.contains(&loaded.statement) && (reads || !loaded.is_computed);
            is_misuse.then_some((register, loaded, reads))
        });
        let computes = op.only_computes();
        let Some((register, loaded, reads)) = found else {
            if computes {
                self.0.retain(|loaded, _| !writes.iter().any(|written| place(*written) == *loaded));
            }
            return None;
        };
        if reads && computes {
            let computed = Loaded { is_computed: true, ..loaded };
            self.0.extend(writes.iter().map(|written| (place(*written), computed)));
        }
        let how = match (reads, loaded.is_computed) {
            (true, _) if computes => LoadedUse::Computed,
            (true, true) => LoadedUse::Derived,
            (true, false) => LoadedUse::Read,
            (false, _) => LoadedUse::Written,
        };
        Some(Misuse::Loaded { register, started: loaded.statement, how })
    }
}
