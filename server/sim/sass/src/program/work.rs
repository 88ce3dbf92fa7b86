//! What operations cost besides a step, as the [meter](warplens_sim_cuda::meter) counts it.

use warplens_sim_cuda::work::{ELEMENT, EXCHANGE, LANE_ACCESS, MATRIX_REGISTER, NUMBER, RELEASE};

use super::{Op, Operation, Program, Space};

impl Operation {
    /// The work of executing the operation in these lanes.
    pub(crate) fn work(&self, program: &Program, lanes: u32) -> u64 {
        let touched = match self.op {
            Op::Load(access) | Op::Store(access) => {
                let access = &program.accesses[access];
                let own_memory = u64::from(access.space == Space::Local);
                (2 * own_memory + u64::from(access.count)) * ELEMENT
            }
            Op::LoadConstant(access) => 2 * u64::from(program.accesses[access].count) * ELEMENT,
            Op::LoadLocked(_) | Op::StoreUnlock(_) | Op::Copy { .. } | Op::Atomic(_) => LANE_ACCESS,
            Op::MatrixLoad(access) | Op::MatrixStore(access) => {
                u64::from(program.matrix_accesses[access].count) * MATRIX_REGISTER
            }
            Op::MatrixProduct(product) => return program.products[product].work(),
            Op::Fence { .. } => return RELEASE,
            op if op.is_collective() => EXCHANGE,
            op => return (op.numbers() + u64::from(self.sets_cc)) * NUMBER,
        };
        u64::from(lanes.count_ones()) * touched
    }
}

impl Op {
    /// How many numbers a lane computes that the simulator computes with integers.
    fn numbers(self) -> u64 {
        match self {
            Op::FloatPair(..) => 4,
            Op::Half(..)
            | Op::HalfMinMax(..)
            | Op::HalfMinMax3(..)
            | Op::HalfSet(..)
            | Op::HalfSetp { .. } => 3,
            Op::Double(..) | Op::PackHalves { .. } | Op::ConvertPair { .. } => 2,
            Op::Convert(_) => 2,
            Op::Dot { .. } | Op::VideoMinMax { .. } | Op::MinMax(_) => 1,
            _ => 0,
        }
    }
}
