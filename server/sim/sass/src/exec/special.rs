//! Special registers.

use warplens_sim_cuda::registers::{PerLane, each};

use super::context::ExecContext;
use crate::program::{Operation, SpecialRegister};
use crate::registers::Registers;

/// Reads a special register, 64 bits of it if `wide`.
pub(super) fn read(
    register: SpecialRegister,
    wide: bool,
    o: &Operation,
    r: &mut Registers,
    ctx: &ExecContext<'_>,
    mask: u32,
) {
    let values: PerLane<u32> = each(|lane| value(register, lane, ctx));
    r.set(o.d, mask, &values);
    if wide {
        let upper = if register == SpecialRegister::Clock { (ctx.clock >> 32) as u32 } else { 0 };
        r.set(o.d + 1, mask, &[upper; 32]);
    }
}

fn value(register: SpecialRegister, lane: usize, ctx: &ExecContext<'_>) -> u32 {
    let position = ctx.position;
    let bit = 1u32 << lane;
    let axis = |values: [u32; 3], axis: u8| values[usize::from(axis) % 3];
    match register {
        SpecialRegister::Zero => 0,
        SpecialRegister::ThreadId(at) => axis(position.threads[lane], at),
        SpecialRegister::BlockId(at) => axis(position.block.cta, at),
        SpecialRegister::BlockSize(at) => axis(position.block.block, at),
        SpecialRegister::GridSize(at) => axis(position.block.grid, at),
        SpecialRegister::ClusterRank => ctx.spaces.window.rank,
        SpecialRegister::Lane => lane as u32,
        SpecialRegister::MaskEqual => bit,
        SpecialRegister::MaskLess => bit - 1,
        SpecialRegister::MaskLessEqual => bit | (bit - 1),
        SpecialRegister::MaskGreater => !(bit | (bit - 1)),
        SpecialRegister::MaskGreaterEqual => !(bit - 1),
        SpecialRegister::WarpId => position.warp << 8,
        SpecialRegister::WarpConfig => 1,
        SpecialRegister::SharedBytes => position.block.shared - ctx.target.shared_start(),
        SpecialRegister::SharedWindowHigh => (ctx.target.windows()[0] >> 32) as u32,
        SpecialRegister::Clock => (ctx.clock + ctx.spaces.skipped_time) as u32,
        SpecialRegister::ClockHigh => ((ctx.clock + ctx.spaces.skipped_time) >> 32) as u32,
    }
}

/// The count and the truth value of the last reduction at a barrier.
pub(super) fn barrier_result(o: &Operation, r: &mut Registers, ctx: &ExecContext<'_>, mask: u32) {
    let (count, holds) = ctx.reduced;
    r.set(o.d, mask, &[count; 32]);
    r.set_predicate(o.q[0], mask, if holds { mask } else { 0 });
}
