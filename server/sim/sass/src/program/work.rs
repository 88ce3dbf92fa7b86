//! What operations cost besides a step, as the [meter](warplens_sim_cuda::meter) counts it.

use warplens_sim_cuda::work::{ELEMENT, EXCHANGE, LANE_ACCESS};

use super::{Op, Operation, Program};

impl Operation {
    /// The work of executing the operation in these lanes.
    pub(crate) fn work(&self, program: &Program, lanes: u32) -> u64 {
        let touched = match self.op {
            Op::Load(access) | Op::Store(access) => {
                u64::from(program.accesses[access].count).saturating_sub(1) * ELEMENT
            }
            Op::LoadLocked(_) | Op::StoreUnlock(_) | Op::Copy { .. } | Op::Atomic(_) => LANE_ACCESS,
            Op::MatrixLoad(access) | Op::MatrixStore(access) => {
                u64::from(program.matrix_accesses[access].count) * ELEMENT
            }
            Op::MatrixProduct(product) => return program.products[product].work(),
            op if op.is_collective() => EXCHANGE,
            _ => 0,
        };
        u64::from(lanes.count_ones()) * touched
    }
}
