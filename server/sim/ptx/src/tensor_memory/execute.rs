//! Dispatch of tensor memory instructions.

use warplens_sim_cuda::fault::Result;
use warplens_sim_cuda::registers::Registers;

use super::{access, allocate, copy, product};
use crate::engine::exec::context::ExecContext;
use crate::program::TensorMemoryOp;

pub(crate) fn execute(
    op: &TensorMemoryOp,
    r: &mut Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result {
    match op {
        TensorMemoryOp::Allocate { to, columns, pair } => {
            allocate::allocate(to, *columns, *pair, r, ctx, mask)
        }
        TensorMemoryOp::Free { address, columns, pair } => {
            allocate::free(*address, *columns, *pair, r, ctx, mask)
        }
        TensorMemoryOp::Relinquish { pair } => allocate::relinquish(*pair, ctx, mask),
        TensorMemoryOp::Load(access) => access::load(access, r, ctx, mask),
        TensorMemoryOp::Store(access) => access::store(access, r, ctx, mask),
        TensorMemoryOp::WaitForLoads => access::wait_for_loads(ctx, mask),
        TensorMemoryOp::WaitForStores => access::wait_for_stores(ctx, mask),
        // A release orders the operations before it without a fence.
        TensorMemoryOp::FenceBefore => {
            if let Some(sanitizer) = &mut ctx.sanitizer {
                sanitizer.release_tensor_memory(mask);
            }
            Ok(())
        }
        TensorMemoryOp::FenceAfter => {
            if let Some(sanitizer) = &mut ctx.sanitizer {
                sanitizer.fence_tensor_memory();
            }
            Ok(())
        }
        TensorMemoryOp::Product(product) => product::issue(product, r, ctx, mask),
        TensorMemoryOp::Copy(copy) => copy::issue(copy, r, ctx, mask),
        TensorMemoryOp::Commit { mbarrier, blocks, pair } => {
            product::commit(mbarrier, *blocks, *pair, r, ctx, mask)
        }
    }
}
