//! Asynchronous bulk copies. They complete at once; the sanitizer reports accesses before completion was waited for.

use super::lane_address::LaneAddress;
use super::mbarrier::mbarrier_of;
use crate::cuda::fault::Fault;
use crate::cuda::memory::atomic_operation::apply;
use crate::cuda::memory::region::AccessMode;
use crate::cuda::memory::spaces::addresses;
use crate::cuda::registers::{Registers, lanes};
use crate::cuda::sanitizer::copies::{CopyCompletion, CopyFamily};
use crate::cuda::sanitizer::event::AccessKind;
use crate::ptx::engine::exec::context::ExecContext;
use crate::ptx::engine::exec::operand::get;
use crate::ptx::program::{Access, AtomicOp, BulkCopy, Completion, Fill};
use crate::scalar_type::ScalarType;

/// Required alignment of addresses and sizes.
const UNIT: u64 = 16;
/// Maximum size of a copy.
const MAX_BYTES: u32 = 1_048_560;

/// `cp.async.bulk` and `cp.reduce.async.bulk`, lane by lane.
pub(crate) fn copy(
    bulk: &BulkCopy,
    r: &Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result<(), Fault> {
    let to = addresses(&bulk.to, r, ctx.frame_base);
    let from = addresses(&bulk.from, r, ctx.frame_base);
    for lane in lanes(mask) {
        let value = |slot: u32| r.get::<u32>(slot)[lane];
        let size = value(bulk.size);
        let ends = [("destination", bulk.to_space, to[lane]), ("source", bulk.from_space, from[lane])];
        if let Some((end, space, address)) = ends.into_iter().find(|(.., address)| address % UNIT != 0) {
            let object = ctx.spaces.element(space, address, UNIT, ctx.local);
            let message = format!(
                "the {end} {object} of a bulk copy is misaligned\nthe address {address:#x} is not a multiple of \
                 {UNIT}; align it"
            );
            return Err(Fault::new("misaligned", message, 1 << lane));
        }
        if u64::from(size) % UNIT != 0 {
            let message = format!(
                "the size {size} of a bulk copy is not a multiple of {UNIT}\nround it up, or copy the last bytes with \
                 other instructions"
            );
            return Err(Fault::new("bulk-size", message, 1 << lane));
        }
        if size > MAX_BYTES {
            let message =
                format!("a bulk copy of {size} bytes exceeds the limit of {MAX_BYTES} bytes\nsplit it");
            return Err(Fault::new("bulk-size", message, 1 << lane));
        }
        let ignored = bulk.ends.map_or((0, 0), |(left, right)| (value(left), value(right)));
        let kept = bulk.bytes.map_or(u32::MAX, value);
        let copied = |byte: u32| {
            byte >= ignored.0
                && byte < size.saturating_sub(ignored.1)
                && kept >> (u64::from(byte) % UNIT) & 1 == 1
        };
        let mbarrier = bulk.completion.as_ref().map(|completion| mbarrier_of(completion, lane, r, ctx));
        let own = ctx.spaces.window;
        // Without a mask of ranks, the addresses select the block.
        let ranks = bulk.blocks.map(|blocks| lanes(value(blocks)).map(|rank| rank as u32));
        let ranks: Vec<Option<u32>> = ranks.map_or(vec![None], |ranks| ranks.map(Some).collect());
        for rank in ranks {
            let there = |at: LaneAddress| match rank {
                Some(rank) => LaneAddress { address: own.mapped(at.address, rank), ..at },
                None => at,
            };
            let mbarrier = mbarrier.map(there);
            let lane_copy = LaneCopy {
                to: there(LaneAddress { space: bulk.to_space, address: to[lane], lane }),
                from: LaneAddress { space: bulk.from_space, address: from[lane], lane },
                reduction: bulk.reduction,
            };
            let until = match mbarrier {
                Some(mbarrier) => mbarrier.phase(ctx)?,
                None => CopyCompletion::Waited(CopyFamily::Bulk),
            };
            match bulk.ends.is_none() && bulk.bytes.is_none() {
                true => lane_copy.whole(size, ctx)?,
                false => lane_copy.chosen(size, copied, ctx)?,
            }
            lane_copy.begin(size, until, ctx)?;
            if let Some(mbarrier) = mbarrier {
                mbarrier.complete(size, ctx)?;
            }
        }
    }
    Ok(())
}

/// The copy of one lane.
struct LaneCopy {
    to: LaneAddress,
    from: LaneAddress,
    reduction: Option<(AtomicOp, ScalarType)>,
}

impl LaneCopy {
    /// Reports that the copy is in flight.
    fn begin(&self, size: u32, until: CopyCompletion, ctx: &mut ExecContext<'_>) -> Result<(), Fault> {
        self.from.copy_started(size.into(), AccessMode::Load, until, ctx)?;
        match self.reduction {
            None => self.to.copy_started(size.into(), AccessMode::Store, until, ctx),
            Some(_) => Ok(()),
        }
    }

    fn whole(&self, size: u32, ctx: &mut ExecContext<'_>) -> Result<(), Fault> {
        let step = self.reduction.map_or(8, |(_, ty)| ty.bytes() as u32);
        for offset in (0..size).step_by(step as usize) {
            let (to, from) = (self.to.offset(offset.into()), self.from.offset(offset.into()));
            let value = from.load(step, ctx)?;
            let Some((op, ty)) = self.reduction else {
                to.store(step, value, ctx)?;
                continue;
            };
            to.report(AccessKind::Atomic, step, 0, ctx)?;
            let old = to.get(step, ctx)?;
            to.put(step, apply(op, ty, to.space, old.into(), value.into(), 0) as u64, ctx)?;
        }
        Ok(())
    }

    fn chosen(
        &self,
        size: u32,
        copied: impl Fn(u32) -> bool,
        ctx: &mut ExecContext<'_>,
    ) -> Result<(), Fault> {
        for offset in (0..size).filter(|&byte| copied(byte)) {
            let value = self.from.offset(offset.into()).load(1, ctx)?;
            self.to.offset(offset.into()).store(1, value, ctx)?;
        }
        Ok(())
    }
}

/// `st.bulk`, and other operations that write zeros.
pub(crate) fn fill(fill: &Fill, r: &Registers, ctx: &mut ExecContext<'_>, mask: u32) -> Result<(), Fault> {
    let to = addresses(&fill.to, r, ctx.frame_base);
    for lane in lanes(mask) {
        let size = get(fill.size, r, lane) as u64;
        if size == 0 {
            continue;
        }
        // If the range does not fit, nothing is written.
        let to = LaneAddress { space: fill.space, address: to[lane], lane };
        to.offset(size.saturating_sub(8)).check(8, AccessMode::Store, ctx)?;
        for offset in (0..size).step_by(8) {
            to.offset(offset).store(8, 0, ctx)?;
        }
        if let Some(completion) = &fill.completion {
            let mbarrier = mbarrier_of(completion, lane, r, ctx);
            let until = mbarrier.phase(ctx)?;
            to.copy_started(size, AccessMode::Store, until, ctx)?;
            mbarrier.complete(size as u32, ctx)?;
        }
    }
    Ok(())
}

/// `st.async`: the stored bytes arrive later, and an mbarrier tracks them.
pub(crate) fn stored(
    access: &Access,
    completion: &Completion,
    r: &Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result<(), Fault> {
    let to = addresses(&access.address, r, ctx.frame_base);
    let bytes = access.size * access.elements.len() as u32;
    for lane in lanes(mask) {
        let until = mbarrier_of(completion, lane, r, ctx).phase(ctx)?;
        let to = LaneAddress { space: access.space, address: to[lane], lane };
        to.copy_started(bytes.into(), AccessMode::Store, until, ctx)?;
    }
    completed(completion, bytes, r, ctx, mask)
}

/// `red.async`: completes the bytes at the mbarrier that tracks them.
pub(crate) fn completed(
    completion: &Completion,
    bytes: u32,
    r: &Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result<(), Fault> {
    lanes(mask).try_for_each(|lane| mbarrier_of(completion, lane, r, ctx).complete(bytes, ctx))
}
