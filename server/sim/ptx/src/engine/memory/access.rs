//! Loads and stores of a warp.

use warplens_sim_cuda::fault::Result;
use warplens_sim_cuda::memory::lane_elements::LaneElements;
use warplens_sim_cuda::memory::spaces::addresses;
use warplens_sim_cuda::registers::{PerLane, Registers, blend, lanes};
use warplens_sim_cuda::sanitizer::event::AccessKind;

use crate::engine::exec::context::{ExecContext, MemoryRequest};
use crate::engine::exec::operand::{get, put};
use crate::program::{Access, Element, RegisterSlot};

#[inline(always)]
pub(crate) fn load(access: &Access, r: &mut Registers, ctx: &mut ExecContext<'_>, mask: u32) -> Result {
    if mask == 0 {
        return Ok(());
    }
    let addresses = addresses(&access.address, r, ctx.bases);
    let elements = (access.size, access.elements.len());
    let request = MemoryRequest::new(AccessKind::Load, access.space, &addresses, elements, mask);
    let checked = ctx.resolve(&request)?;
    let older = ctx.take_older();
    let fetch = |offset: u64, size: u32, ctx: &ExecContext<'_>| {
        let elements = LaneElements { checked: &checked, addresses: &addresses, offset, size, mask };
        let mut values = elements.load(ctx.spaces, ctx.local, |value| value);
        if let Some(older) = &older {
            lanes(older.mask).for_each(|lane| values[lane] = older.element(lane, offset, size));
        }
        values
    };
    for (index, element) in access.elements.iter().enumerate() {
        let Some(element) = element else { continue };
        let offset = index as u64 * u64::from(access.size);
        match element.place {
            RegisterSlot::Quad(slot) => {
                let low = fetch(offset, 8, ctx);
                let high = fetch(offset + 8, 8, ctx);
                r.set(slot, mask, &low);
                r.set(slot + 1, mask, &high);
            }
            _ => deliver(access, element, &fetch(offset, access.size, ctx), r, mask),
        }
    }
    Ok(())
}

/// Extends loaded values and writes them to a register.
#[inline(always)]
pub(super) fn deliver(
    access: &Access,
    element: &Element,
    values: &PerLane<u64>,
    r: &mut Registers,
    mask: u32,
) {
    let size = 8 * access.size;
    let extend = |value: u64| match access.signed {
        true => ((value << (64 - size)) as i64 >> (64 - size)) as u64,
        false => value,
    };
    match element.place {
        RegisterSlot::Word(slot) => {
            let keep = u32::MAX >> (32 - element.bits.clamp(1, 32));
            blend(&mut r.words[slot as usize], mask, |lane| extend(values[lane]) as u32 & keep);
        }
        RegisterSlot::Double(slot) => blend(&mut r.doubles[slot as usize], mask, |lane| extend(values[lane])),
        place => {
            for lane in lanes(mask) {
                put(place, r, lane, extend(values[lane]).into());
            }
        }
    }
}

/// `st`; if lanes store to the same address, the highest lane wins.
#[inline(always)]
pub(crate) fn store(access: &Access, r: &Registers, ctx: &mut ExecContext<'_>, mask: u32) -> Result {
    if mask == 0 {
        return Ok(());
    }
    store_at(access, &addresses(&access.address, r, ctx.bases), r, ctx, mask)
}

/// `st` at these addresses.
#[inline(always)]
pub(super) fn store_at(
    access: &Access,
    addresses: &PerLane<u64>,
    r: &Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result {
    let elements = (access.size, access.elements.len());
    let value = |lane: usize, number: usize| stored(access, r, lane, number);
    let request = MemoryRequest::new(AccessKind::Store, access.space, addresses, elements, mask);
    let checked = ctx.resolve(&MemoryRequest { value: &value, ..request })?;
    ctx.spaces.count_store(&checked, (addresses, mask), elements, &value);
    for (index, element) in access.elements.iter().enumerate() {
        let Some(element) = element else { continue };
        let offset = index as u64 * u64::from(access.size);
        let part = |offset: u64, size: u32| LaneElements { checked: &checked, addresses, offset, size, mask };
        let whole = part(offset, access.size);
        match element.place {
            RegisterSlot::Quad(slot) => {
                let (low, high) = (r.get::<u64>(slot), r.get::<u64>(slot + 1));
                part(offset, 8).store(ctx.spaces, ctx.local, |lane| low[lane]);
                part(offset + 8, 8).store(ctx.spaces, ctx.local, |lane| high[lane]);
            }
            RegisterSlot::Double(slot) => {
                let values = r.get::<u64>(slot);
                whole.store(ctx.spaces, ctx.local, |lane| values[lane]);
            }
            RegisterSlot::Word(slot) => {
                let values = r.get::<u32>(slot);
                whole.store(ctx.spaces, ctx.local, |lane| values[lane].into());
            }
            place => whole.store(ctx.spaces, ctx.local, |lane| get(place, r, lane) as u64),
        }
    }
    Ok(())
}

/// The element with this number that a lane stores.
pub(super) fn stored(access: &Access, r: &Registers, lane: usize, number: usize) -> u128 {
    let element = access.elements.get(number).copied().flatten();
    element.map_or(0, |element| get(element.place, r, lane))
}
