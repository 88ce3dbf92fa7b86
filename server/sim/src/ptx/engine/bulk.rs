//! Copies that the hardware makes behind the program's back. Here they are done at once; the watch over memory finds out who
//! does not wait for them.

use super::access::{get_one, load_one, put_one, store_one, tell_one};
use super::atomic::apply;
use super::execute::{Surroundings, get};
use super::fault::Fault;
use super::mbarrier;
use super::spaces::{Use, addresses};
use super::watch::{Deed, Family, Until};
use crate::ptx::program::{Access, BulkCopy, Completion, Fill, Space};
use crate::ptx::registers::{Registers, WIDTH, lanes};

/// What addresses and sizes are multiples of.
const UNIT: u64 = 16;
/// What one copies at most.
const MOST_BYTES: u32 = 1_048_560;

/// `cp.async.bulk` and `cp.reduce.async.bulk`, lane after lane.
pub(crate) fn copy(
    bulk: &BulkCopy,
    r: &Registers,
    around: &mut Surroundings<'_>,
    mask: u32,
) -> Result<(), Fault> {
    let to = addresses(&bulk.to, r, around.frame_base);
    let from = addresses(&bulk.from, r, around.frame_base);
    for lane in lanes(mask) {
        let value = |slot: u32| r.get::<u32>(slot)[lane];
        let size = value(bulk.size);
        if bulk.blocks.is_some_and(|blocks| value(blocks) & 1 == 0) {
            continue;
        }
        let wrong = |what: &str, value: u64| {
            let message = format!("{what} {value:#x} of a bulk copy is no multiple of {UNIT}; make it one");
            Fault::new("misaligned", message, 1 << lane)
        };
        for (what, value) in
            [("the destination", to[lane]), ("the source", from[lane]), ("the size", size.into())]
        {
            if value % UNIT != 0 {
                return Err(wrong(what, value));
            }
        }
        if size > MOST_BYTES {
            let message =
                format!("a bulk copy of {size} bytes: one copies at most {MOST_BYTES}; make several of it");
            return Err(Fault::new("bulk-size", message, 1 << lane));
        }
        let ends = bulk.ends.map_or((0, 0), |(left, right)| (value(left), value(right)));
        let kept = bulk.bytes.map_or(u32::MAX, value);
        let copied = |byte: u32| {
            byte >= ends.0 && byte < size.saturating_sub(ends.1) && kept >> (u64::from(byte) % UNIT) & 1 == 1
        };
        let until = match &bulk.completion {
            Some(completion) => mbarrier::phase(completion, r, around, lane)?,
            None => Until::Waited(Family::Bulk),
        };
        let lane_copy = LaneCopy { bulk, to: to[lane], from: from[lane], lane };
        match bulk.ends.is_none() && bulk.bytes.is_none() {
            true => lane_copy.whole(size, around)?,
            false => lane_copy.chosen(size, copied, around)?,
        }
        begin(bulk.from_space, from[lane], size.into(), Use::Load, until, lane, around)?;
        if bulk.reduction.is_none() {
            begin(bulk.to_space, to[lane], size.into(), Use::Store, until, lane, around)?;
        }
        if let Some(completion) = &bulk.completion {
            mbarrier::complete(completion, size, r, around, lane)?;
        }
    }
    Ok(())
}

/// Tells the watch that what a lane did with a stretch of memory is but the beginning of a copy.
fn begin(
    space: Space,
    address: u64,
    span: u64,
    how: Use,
    until: Until,
    lane: usize,
    around: &mut Surroundings<'_>,
) -> Result<(), Fault> {
    if around.watch.is_some() && span != 0 {
        let checked = around.spaces.check(space, &[address; WIDTH], 1, how, 1 << lane, around.local)?;
        around.begun(&checked, address, span, lane, how == Use::Store, until);
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
    fn whole(&self, size: u32, around: &mut Surroundings<'_>) -> Result<(), Fault> {
        let &LaneCopy { bulk, to, from, lane } = self;
        let step = bulk.reduction.map_or(8, |(_, ty)| ty.size());
        for offset in (0..size).step_by(step as usize) {
            let at = |address: u64| address.wrapping_add(offset.into());
            let mut value = load_one(bulk.from_space, at(from), step, lane, around)?;
            if let Some((op, ty)) = bulk.reduction {
                tell_one(Deed::Atomic, bulk.to_space, at(to), step, 0, lane, around)?;
                let old = get_one(bulk.to_space, at(to), step, lane, around)?;
                value = apply(op, ty, bulk.to_space, old.into(), value.into(), 0) as u64;
                put_one(bulk.to_space, at(to), step, value, lane, around)?;
            } else {
                store_one(bulk.to_space, at(to), step, value, lane, around)?;
            }
        }
        Ok(())
    }

    fn chosen(
        &self,
        size: u32,
        copied: impl Fn(u32) -> bool,
        around: &mut Surroundings<'_>,
    ) -> Result<(), Fault> {
        for offset in (0..size).filter(|&byte| copied(byte)) {
            let at = |address: u64| address.wrapping_add(offset.into());
            let value = load_one(self.bulk.from_space, at(self.from), 1, self.lane, around)?;
            store_one(self.bulk.to_space, at(self.to), 1, value, self.lane, around)?;
        }
        Ok(())
    }
}

/// `st.bulk`, and other answers that are zeros.
pub(crate) fn fill(
    fill: &Fill,
    r: &Registers,
    around: &mut Surroundings<'_>,
    mask: u32,
) -> Result<(), Fault> {
    let to = addresses(&fill.to, r, around.frame_base);
    for lane in lanes(mask) {
        let size = get(fill.size, r, lane) as u64;
        if size == 0 {
            continue;
        }
        // Where the whole of it does not fit, nothing of it is done.
        let last = to[lane].wrapping_add(size.saturating_sub(8));
        around.spaces.check(fill.space, &[last; WIDTH], 8, Use::Store, 1 << lane, around.local)?;
        for offset in (0..size).step_by(8) {
            store_one(fill.space, to[lane].wrapping_add(offset), 8, 0, lane, around)?;
        }
        if let Some(completion) = &fill.completion {
            let until = mbarrier::phase(completion, r, around, lane)?;
            begin(fill.space, to[lane], size, Use::Store, until, lane, around)?;
            mbarrier::complete(completion, size as u32, r, around, lane)?;
        }
    }
    Ok(())
}

/// `st.async`: what was just stored there arrives some time, and an mbarrier is told of it.
pub(crate) fn stored(
    access: &Access,
    completion: &Completion,
    r: &Registers,
    around: &mut Surroundings<'_>,
    mask: u32,
) -> Result<(), Fault> {
    let to = addresses(&access.address, r, around.frame_base);
    let bytes = access.size * access.elements.len() as u32;
    for lane in lanes(mask) {
        let until = mbarrier::phase(completion, r, around, lane)?;
        begin(access.space, to[lane], bytes.into(), Use::Store, until, lane, around)?;
    }
    completed(completion, bytes, r, around, mask)
}

/// `red.async`: tells an mbarrier of what was just changed.
pub(crate) fn completed(
    completion: &Completion,
    bytes: u32,
    r: &Registers,
    around: &mut Surroundings<'_>,
    mask: u32,
) -> Result<(), Fault> {
    lanes(mask).try_for_each(|lane| mbarrier::complete(completion, bytes, r, around, lane))
}
