//! Dispatch of tensor instructions.

use warplens_sim_cuda::fault::ExecError;
use warplens_sim_cuda::registers::Registers;
use warplens_sim_warp::finding_kind::FindingKind;

use super::context::ExecContext;
use crate::program::TensorOp;
use crate::tensor::whole_warp::whole_warp;
use crate::tensor::{compress, copy, map_update, warpgroup};
use crate::tensor_memory;

pub(crate) fn execute(
    op: &TensorOp,
    r: &mut Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result<(), Box<ExecError>> {
    match op {
        TensorOp::Copy(op) => copy::execute(op, r, ctx, mask)?,
        TensorOp::ReplaceField { map, field, value } => {
            map_update::replace(map, *field, *value, r, ctx, mask)?;
        }
        TensorOp::CopyMap { to, from } => {
            whole_warp("tensormap.cp_fenceproxy", FindingKind::TensorMap, mask)?;
            map_update::copy(to, from, r, ctx, mask)?;
        }
        TensorOp::Product(product) => warpgroup::issue(product, r, ctx, mask)?,
        TensorOp::Memory(op) => tensor_memory::execute::execute(op, r, ctx, mask)?,
        TensorOp::Compress(op, descriptor) => compress::compress(op, *descriptor, r, mask),
        TensorOp::Decompress(op, groups) => compress::decompress(op, *groups, r, mask),
        TensorOp::ProductFence => {
            whole_warp("wgmma.fence", FindingKind::Warpgroup, mask)?;
            warpgroup::fence(ctx);
        }
        TensorOp::CommitProducts => {
            whole_warp("wgmma.commit_group", FindingKind::Warpgroup, mask)?;
            warpgroup::commit(ctx);
        }
        TensorOp::WaitForProducts(left) => {
            whole_warp("wgmma.wait_group", FindingKind::Warpgroup, mask)?;
            warpgroup::wait(*left, r, ctx)?;
        }
        TensorOp::ReleaseMaps => map_update::release(ctx),
        TensorOp::AcquireMap(map) => map_update::acquire(map, r, ctx, mask)?,
    }
    Ok(())
}
