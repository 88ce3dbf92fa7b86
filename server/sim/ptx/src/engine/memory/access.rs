//! Loads and stores of a warp.

use warplens_sim_cuda::fault::Result;
use warplens_sim_cuda::memory::region::{CheckedAddresses, MemoryRegion};
use warplens_sim_cuda::memory::spaces::{addresses, read, write};
use warplens_sim_cuda::registers::{FULL, PerLane, Registers, WIDTH, blend, lanes};
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
    for (index, element) in access.elements.iter().enumerate() {
        let Some(element) = element else { continue };
        let offset = index as u64 * u64::from(access.size);
        match element.place {
            RegisterSlot::Quad(slot) => {
                let low = fetch(&checked, &addresses, offset, 8, ctx, mask);
                let high = fetch(&checked, &addresses, offset + 8, 8, ctx, mask);
                r.set(slot, mask, &low);
                r.set(slot + 1, mask, &high);
            }
            _ => {
                let values = fetch(&checked, &addresses, offset, access.size, ctx, mask);
                deliver(access, element, &values, r, mask);
            }
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

/// Loads one element in every lane of `mask`; the other lanes get zero.
#[inline(always)]
pub(super) fn fetch(
    checked: &CheckedAddresses,
    addresses: &PerLane<u64>,
    offset: u64,
    size: u32,
    ctx: &ExecContext<'_>,
    mask: u32,
) -> PerLane<u64> {
    let mut values = [0; WIDTH];
    match checked {
        CheckedAddresses::One(extent) if extent.region == MemoryRegion::Local => {
            for lane in lanes(mask) {
                let index = extent.index(addresses[lane] + offset) as u64;
                values[lane] = ctx.local.read(lane, index, size);
            }
        }
        CheckedAddresses::One(extent) => {
            let bytes = ctx.spaces.bytes(extent.region);
            let index = |lane: usize| extent.index(addresses[lane] + offset);
            match size {
                1 => gather::<1>(bytes, index, mask, &mut values),
                2 => gather::<2>(bytes, index, mask, &mut values),
                4 => gather::<4>(bytes, index, mask, &mut values),
                _ => gather::<8>(bytes, index, mask, &mut values),
            }
        }
        CheckedAddresses::Each(extents) => {
            for lane in lanes(mask) {
                if let Some(extent) = extents[lane] {
                    let address = addresses[lane] + offset;
                    values[lane] = ctx.spaces.read(extent, ctx.local, lane, address, size);
                }
            }
        }
    }
    values
}

#[inline(always)]
fn gather<const SIZE: u32>(
    bytes: &[u8],
    index: impl Fn(usize) -> usize,
    mask: u32,
    values: &mut PerLane<u64>,
) {
    if mask == FULL {
        for (lane, value) in values.iter_mut().enumerate() {
            *value = read(bytes, index(lane), SIZE);
        }
    } else {
        for lane in lanes(mask) {
            values[lane] = read(bytes, index(lane), SIZE);
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
    let value = |lane: usize, at: u64| stored(access, r, lane, at);
    let request = MemoryRequest::new(AccessKind::Store, access.space, addresses, elements, mask);
    let checked = ctx.resolve(&MemoryRequest { value: &value, ..request })?;
    let span = u64::from(access.size) * access.elements.len() as u64;
    ctx.spaces.count_store(&checked, (addresses, span, mask), &value);
    for (index, element) in access.elements.iter().enumerate() {
        let Some(element) = element else { continue };
        let offset = index as u64 * u64::from(access.size);
        match element.place {
            RegisterSlot::Quad(slot) => {
                scatter(&checked, addresses, offset, 8, r.get::<u64>(slot), ctx, mask);
                scatter(&checked, addresses, offset + 8, 8, r.get::<u64>(slot + 1), ctx, mask);
            }
            RegisterSlot::Double(slot) => {
                scatter(&checked, addresses, offset, access.size, r.get::<u64>(slot), ctx, mask);
            }
            RegisterSlot::Word(slot) => {
                let mut values = [0; WIDTH];
                for (value, word) in values.iter_mut().zip(r.get::<u32>(slot)) {
                    *value = u64::from(*word);
                }
                scatter(&checked, addresses, offset, access.size, &values, ctx, mask);
            }
            place => {
                let values = std::array::from_fn(|lane| get(place, r, lane) as u64);
                scatter(&checked, addresses, offset, access.size, &values, ctx, mask);
            }
        }
    }
    Ok(())
}

/// The byte that a lane stores at this offset from its address.
pub(super) fn stored(access: &Access, r: &Registers, lane: usize, at: u64) -> u8 {
    let size = u64::from(access.size);
    let element = access.elements.get((at / size) as usize).copied().flatten();
    element.map_or(0, |element| (get(element.place, r, lane) >> (8 * (at % size))) as u8)
}

/// Stores one element in every lane of `mask`.
#[inline(always)]
pub(super) fn scatter(
    checked: &CheckedAddresses,
    addresses: &PerLane<u64>,
    offset: u64,
    size: u32,
    values: &PerLane<u64>,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) {
    match checked {
        CheckedAddresses::One(extent) if extent.region != MemoryRegion::Local => {
            let bytes = ctx.spaces.bytes_mut(extent.region);
            for lane in lanes(mask) {
                write(bytes, extent.index(addresses[lane] + offset), size, values[lane]);
            }
        }
        CheckedAddresses::One(extent) => {
            for lane in lanes(mask) {
                let index = extent.index(addresses[lane] + offset) as u64;
                ctx.local.write(lane, index, size, values[lane]);
            }
        }
        CheckedAddresses::Each(extents) => {
            for lane in lanes(mask) {
                if let Some(extent) = extents[lane] {
                    let address = addresses[lane] + offset;
                    ctx.spaces.write(extent, ctx.local, lane, address, size, values[lane]);
                }
            }
        }
    }
}
