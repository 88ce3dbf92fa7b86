//! Asynchronous bulk copies. They complete at once; the sanitizer reports accesses before completion was waited for.

use super::access::{get_one, load_one, put_one, report_one, store_one};
use super::atomic::apply;
use super::mbarrier::MbarrierRef;
use super::region::AccessMode;
use super::spaces::addresses;
use crate::ptx::engine::exec::context::ExecContext;
use crate::ptx::engine::exec::operand::get;
use crate::ptx::engine::fault::Fault;
use crate::ptx::engine::sanitizer::copies::{CopyCompletion, CopyFamily};
use crate::ptx::engine::sanitizer::event::AccessKind;
use crate::ptx::program::{Access, BulkCopy, Completion, Fill, Space};
use crate::ptx::registers::{Registers, WIDTH, lanes};

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
        let wrong = |what: &str, value: u64| {
            let message = format!("{what} {value:#x} of a bulk copy is not a multiple of {UNIT}; align it");
            Fault::new("misaligned", message, 1 << lane)
        };
        for (what, value) in
            [("the destination", to[lane]), ("the source", from[lane]), ("the size", size.into())]
        {
            if value % UNIT != 0 {
                return Err(wrong(what, value));
            }
        }
        if size > MAX_BYTES {
            let message =
                format!("a bulk copy of {size} bytes exceeds the limit of {MAX_BYTES} bytes; split it");
            return Err(Fault::new("bulk-size", message, 1 << lane));
        }
        let ends = bulk.ends.map_or((0, 0), |(left, right)| (value(left), value(right)));
        let kept = bulk.bytes.map_or(u32::MAX, value);
        let copied = |byte: u32| {
            byte >= ends.0 && byte < size.saturating_sub(ends.1) && kept >> (u64::from(byte) % UNIT) & 1 == 1
        };
        let object = bulk.completion.as_ref().map(|completion| MbarrierRef::of(completion, r, ctx, lane));
        let own = ctx.spaces.window;
        // Without a mask of ranks, the addresses select the block.
        let ranks = bulk.blocks.map(|blocks| lanes(value(blocks)).map(|rank| rank as u32));
        let ranks: Vec<Option<u32>> = ranks.map_or(vec![None], |ranks| ranks.map(Some).collect());
        for rank in ranks {
            let there = |address: u64| rank.map_or(address, |rank| own.mapped(address, rank));
            let object = object.map(|object| MbarrierRef { address: there(object.address), ..object });
            let lane_copy = LaneCopy { bulk, to: there(to[lane]), from: from[lane], lane };
            let until = match object {
                Some(object) => object.phase(ctx)?,
                None => CopyCompletion::Waited(CopyFamily::Bulk),
            };
            match bulk.ends.is_none() && bulk.bytes.is_none() {
                true => lane_copy.whole(size, ctx)?,
                false => lane_copy.chosen(size, copied, ctx)?,
            }
            lane_copy.begin(size, until, ctx)?;
            if let Some(object) = object {
                object.complete(size, ctx)?;
            }
        }
    }
    Ok(())
}

/// Reports to the sanitizer that a reported access is a copy in flight.
fn begin(
    space: Space,
    address: u64,
    span: u64,
    mode: AccessMode,
    until: CopyCompletion,
    lane: usize,
    ctx: &mut ExecContext<'_>,
) -> Result<(), Fault> {
    if ctx.sanitizer.is_some() && span != 0 {
        let checked = ctx.spaces.check(space, &[address; WIDTH], 1, mode, 1 << lane, ctx.local)?;
        ctx.copy_started(&checked, address, span, lane, mode == AccessMode::Store, until);
    }
    Ok(())
}

/// The copy of one lane.
struct LaneCopy<'b> {
    bulk: &'b BulkCopy,
    to: u64,
    from: u64,
    lane: usize,
}

impl LaneCopy<'_> {
    /// Reports that the copy is in flight.
    fn begin(&self, size: u32, until: CopyCompletion, ctx: &mut ExecContext<'_>) -> Result<(), Fault> {
        let &LaneCopy { bulk, to, from, lane } = self;
        begin(bulk.from_space, from, size.into(), AccessMode::Load, until, lane, ctx)?;
        match bulk.reduction {
            None => begin(bulk.to_space, to, size.into(), AccessMode::Store, until, lane, ctx),
            Some(_) => Ok(()),
        }
    }

    fn whole(&self, size: u32, ctx: &mut ExecContext<'_>) -> Result<(), Fault> {
        let &LaneCopy { bulk, to, from, lane } = self;
        let step = bulk.reduction.map_or(8, |(_, ty)| ty.bytes() as u32);
        for offset in (0..size).step_by(step as usize) {
            let at = |address: u64| address.wrapping_add(offset.into());
            let mut value = load_one(bulk.from_space, at(from), step, lane, ctx)?;
            if let Some((op, ty)) = bulk.reduction {
                report_one(AccessKind::Atomic, bulk.to_space, at(to), step, 0, lane, ctx)?;
                let old = get_one(bulk.to_space, at(to), step, lane, ctx)?;
                value = apply(op, ty, bulk.to_space, old.into(), value.into(), 0) as u64;
                put_one(bulk.to_space, at(to), step, value, lane, ctx)?;
            } else {
                store_one(bulk.to_space, at(to), step, value, lane, ctx)?;
            }
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
            let at = |address: u64| address.wrapping_add(offset.into());
            let value = load_one(self.bulk.from_space, at(self.from), 1, self.lane, ctx)?;
            store_one(self.bulk.to_space, at(self.to), 1, value, self.lane, ctx)?;
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
        let last = to[lane].wrapping_add(size.saturating_sub(8));
        ctx.spaces.check(fill.space, &[last; WIDTH], 8, AccessMode::Store, 1 << lane, ctx.local)?;
        for offset in (0..size).step_by(8) {
            store_one(fill.space, to[lane].wrapping_add(offset), 8, 0, lane, ctx)?;
        }
        if let Some(completion) = &fill.completion {
            let object = MbarrierRef::of(completion, r, ctx, lane);
            let until = object.phase(ctx)?;
            begin(fill.space, to[lane], size, AccessMode::Store, until, lane, ctx)?;
            object.complete(size as u32, ctx)?;
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
        let until = MbarrierRef::of(completion, r, ctx, lane).phase(ctx)?;
        begin(access.space, to[lane], bytes.into(), AccessMode::Store, until, lane, ctx)?;
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
    lanes(mask).try_for_each(|lane| MbarrierRef::of(completion, r, ctx, lane).complete(bytes, ctx))
}
