//! What statements cost besides a step, as the [meter](warplens_sim_cuda::meter) counts it.

use warplens_sim_cuda::work::{ELEMENT, EXCHANGE, LANE_ACCESS};

use super::{Instruction, Op, Tables};

impl Instruction {
    /// The work of executing the instruction in these lanes. Copies, fills, mbarriers and products in tensor memory count what
    /// else they do while they run.
    pub fn work(&self, tables: &Tables, lanes: u32) -> u64 {
        let touched = match self.op {
            Op::Load(id) | Op::Store(id) => (tables[id].elements.len() as u64).saturating_sub(1) * ELEMENT,
            Op::Atomic(id) => tables[id].b.len() as u64 * LANE_ACCESS,
            Op::FragmentAccess(id) => u64::from(tables[id].matrix.per_lane()) * ELEMENT,
            Op::MatrixAccess(id) => tables[id].registers.len() as u64 * ELEMENT,
            Op::MatrixProduct(id) => return tables[id].product.work(),
            _ if self.op.exchange().is_some() => EXCHANGE,
            _ => 0,
        };
        u64::from(lanes.count_ones()) * touched
    }
}
