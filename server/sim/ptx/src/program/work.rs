//! What statements cost besides a step, as the [meter](warplens_sim_cuda::meter) counts it.

use warplens_sim_cuda::work::{
    ELEMENT, EXCHANGE, LANE_ACCESS, LANE_COPY, LANE_TRANSFER, MATRIX_REGISTER, NUMBER, RELEASE,
};
use warplens_sim_warp::soft_float::Rounding;

use super::{Access, Function, Op, Space, Tables, TensorMemoryOp, TensorOp};

impl Function {
    /// The work of executing a statement in these lanes. Copies, fills and products in tensor memory count what else they
    /// do while they run.
    pub(crate) fn work(&self, pc: u32, lanes: u32) -> u64 {
        let (op, order) = (self.code[pc as usize].op, &self.orders[pc as usize]);
        let lanes = u64::from(lanes.count_ones());
        let releases = match op {
            _ if !order.fence && !order.release => 0,
            // Each lane publishes by itself.
            Op::Atomic(_) => lanes,
            _ => 1,
        };
        let product = if let Op::MatrixProduct(id) = op { self.tables[id].product.work() } else { 0 };
        releases * RELEASE + product + op.numbers(&self.tables) * NUMBER + op.touched(&self.tables) * lanes
    }
}

impl Op {
    /// How many numbers a lane computes that the simulator computes with integers.
    fn numbers(self, tables: &Tables) -> u64 {
        match self {
            Op::Half(half) => 1 + u64::from(half.packed),
            Op::SetPredicate(compare, _) | Op::Set(compare, ..) => u64::from(compare.ty.is_half()),
            Op::SetPredicatePair(..) | Op::SetPair(..) => 2,
            Op::Float64(_, rounding) => u64::from(rounding != Rounding::Nearest),
            Op::Convert(id) => tables[id].numbers(),
            Op::Approximate(..) | Op::Extend(..) => 1,
            Op::ConvertPacked(id) => 2 * tables[id].sources.len() as u64,
            Op::Mixed(id) => 2 * u64::from(tables[id].mixed.count),
            Op::Dot(..) | Op::VideoMad(_) => 1,
            Op::CarrylessMadLow | Op::CarrylessMadHigh => 6,
            Op::Video(id) => tables[id].shape.numbers(),
            Op::Tensor(id) => match &tables[id] {
                TensorOp::Compress(compression, _) | TensorOp::Decompress(compression, _) => {
                    compression.data.len() as u64 * u64::from(32 / compression.element_bits)
                }
                _ => 0,
            },
            _ => 0,
        }
    }

    /// The work in each lane.
    fn touched(self, tables: &Tables) -> u64 {
        match self {
            Op::Load(id) | Op::Store(id) => elements(&tables[id]) * ELEMENT,
            Op::MoveEach(id) => tables[id].len() as u64 * ELEMENT,
            Op::Pack(id) => tables[id].parts.len() as u64 * ELEMENT,
            Op::Atomic(id) => tables[id].b.len() as u64 * LANE_ACCESS,
            Op::Mbarrier(_) => LANE_ACCESS,
            Op::WarpSync => EXCHANGE,
            Op::Copy(_) => LANE_COPY,
            Op::BulkCopy(_) | Op::StoreAsync(_) | Op::AtomicAsync(_) => LANE_TRANSFER,
            Op::Tensor(id) => match &tables[id] {
                TensorOp::Copy(_) | TensorOp::ReplaceField { .. } => LANE_TRANSFER,
                TensorOp::Memory(TensorMemoryOp::Load(access) | TensorMemoryOp::Store(access)) => {
                    access.registers.len() as u64 * MATRIX_REGISTER
                }
                _ => 0,
            },
            Op::FragmentAccess(id) => u64::from(tables[id].matrix.per_lane()) * ELEMENT,
            Op::MatrixAccess(id) => tables[id].registers.len() as u64 * MATRIX_REGISTER,
            Op::Reduce(_) | Op::Match(_) => 2 * EXCHANGE,
            _ if self.exchange().is_some() => EXCHANGE,
            _ => 0,
        }
    }
}

/// The elements of an access that count. Each lane has its own local memory; elsewhere the first element is nearly free.
fn elements(access: &Access) -> u64 {
    let count = access.elements.len() as u64;
    if access.space == Space::Local { 1 + count } else { count.saturating_sub(1) }
}
