//! Instructions that modify tensor maps, and release and acquire of the tensormap proxy.

use warplens_sim_cuda::fault::{Fault, Result};
use warplens_sim_cuda::memory::region::AccessMode;
use warplens_sim_cuda::registers::{Registers, lanes};
use warplens_sim_cuda::sanitizer::event::AccessKind;
use warplens_sim_cuda::tensor::map;
use warplens_sim_warp::finding_kind::FindingKind;

use crate::engine::exec::context::ExecContext;
use crate::engine::exec::operand::get;
use crate::engine::memory::lane_address::LaneAddress;
use crate::program::{Address, RegisterSlot, Space};

/// The map that a lane addresses, at a multiple of 64.
pub(crate) fn of_lane(
    map: &(Address, Space),
    lane: usize,
    r: &Registers,
    ctx: &ExecContext<'_>,
) -> Result<LaneAddress> {
    let at = LaneAddress::of(map, lane, r, ctx);
    if !at.address.is_multiple_of(64) {
        let message = format!(
            "the address {:#x} of a tensor map is not a multiple of 64\nalign the map with `.align 64`",
            at.address
        );
        return Err(Fault::new(FindingKind::TensorMap, message, 1 << lane));
    }
    Ok(at)
}

pub(crate) fn replace(
    map: &(Address, Space),
    (offset, size): (u32, u32),
    value: RegisterSlot,
    r: &Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result {
    for lane in lanes(mask) {
        let at = of_lane(map, lane, r, ctx)?;
        let bits = get(value, r, lane) as u64;
        for byte in 0..u64::from(size) {
            at.offset(u64::from(offset) + byte).store(1, bits >> (8 * byte) & 0xff, ctx)?;
        }
    }
    Ok(())
}

/// `tensormap.cp_fenceproxy`: the warp copies a map and releases it.
pub(crate) fn copy(
    to: &(Address, Space),
    from: &(Address, Space),
    r: &Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result {
    let Some(lane) = lanes(mask).next() else { return Ok(()) };
    let (to, from) = (of_lane(to, lane, r, ctx)?, of_lane(from, lane, r, ctx)?);
    for offset in (0..map::BYTES as u64).step_by(8) {
        from.offset(offset).report(AccessKind::Load, 8, 0, ctx)?;
        let value = from.offset(offset).get(8, ctx)?;
        to.offset(offset).store(8, value, ctx)?;
    }
    release(ctx);
    Ok(())
}

/// `fence.proxy.tensormap` with `.release`.
pub(crate) fn release(ctx: &mut ExecContext<'_>) {
    if let Some(sanitizer) = &mut ctx.sanitizer {
        sanitizer.released_maps();
    }
}

/// `fence.proxy.tensormap` with `.acquire`.
pub(crate) fn acquire(map: &(Address, Space), r: &Registers, ctx: &mut ExecContext<'_>, mask: u32) -> Result {
    for lane in lanes(mask) {
        let at = of_lane(map, lane, r, ctx)?;
        let place = at.place(1, AccessMode::Load, ctx)?;
        if let Some(sanitizer) = &mut ctx.sanitizer {
            sanitizer.acquired_map(place);
        }
    }
    Ok(())
}
