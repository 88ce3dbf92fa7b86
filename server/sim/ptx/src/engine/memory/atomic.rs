//! `atom` and `red`, lane by lane, lowest first unless a schedule has another order.

use warplens_sim_cuda::fault::Result;
use warplens_sim_cuda::memory::atomic_operation::apply;
use warplens_sim_cuda::memory::spaces::addresses;
use warplens_sim_cuda::registers::{PerLane, Registers, lanes};
use warplens_sim_cuda::sanitizer::event::AccessKind;

use crate::engine::exec::context::{ExecContext, MemoryRequest};
use crate::engine::exec::operand::{get, put};
use crate::program::Atomic;

pub(crate) fn execute(atomic: &Atomic, r: &mut Registers, ctx: &mut ExecContext<'_>, mask: u32) -> Result {
    if mask == 0 {
        return Ok(());
    }
    let addresses = addresses(&atomic.address, r, ctx.bases);
    execute_at(atomic, &addresses, r, ctx, mask)
}

pub(super) fn execute_at(
    atomic: &Atomic,
    addresses: &PerLane<u64>,
    r: &mut Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result {
    let size = atomic.ty.bytes() as u32;
    let elements = (size, atomic.b.len());
    let operands = lanes(mask).flat_map(|lane| atomic.b.iter().map(move |b| (*b, lane)));
    let operands = operands.map(|(b, lane)| get(b, r, lane));
    let kind = AccessKind::of_atomic(atomic.op, atomic.ty, atomic.space, operands);
    let request = MemoryRequest::new(kind, atomic.space, addresses, elements, mask);
    let checked = ctx.resolve(&request)?;
    for lane in ctx.spaces.lane_order.lanes(mask.into()) {
        let Some(extent) = checked.of(lane) else { continue };
        for (index, &b) in atomic.b.iter().enumerate() {
            let address = addresses[lane] + index as u64 * u64::from(size);
            let part = size.min(8);
            let read = |ctx: &ExecContext<'_>, address| {
                u128::from(ctx.spaces.read(extent, ctx.local, lane, address, part))
            };
            let mut old = read(ctx, address);
            if size == 16 {
                old |= read(ctx, address + 8) << 64;
            }
            let b = get(b, r, lane);
            let c = atomic.c.map_or(0, |c| get(c, r, lane));
            let new = apply(atomic.op, atomic.ty, atomic.space, old, b, c);
            if new != old {
                ctx.spaces.changes += u64::from(extent.region.is_common());
                ctx.spaces.write(extent, ctx.local, lane, address, part, new as u64);
                if size == 16 {
                    ctx.spaces.write(extent, ctx.local, lane, address + 8, 8, (new >> 64) as u64);
                }
            }
            if let Some(Some(d)) = atomic.old.get(index) {
                put(*d, r, lane, old);
            }
        }
    }
    Ok(())
}
