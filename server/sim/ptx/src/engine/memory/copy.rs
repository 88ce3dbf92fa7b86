//! `cp.async`.

use warplens_sim_cuda::async_ops::operation::{Effect, MemoryPosition, Operation, Segment, Signal, Transfer};
use warplens_sim_cuda::fault::Result;
use warplens_sim_cuda::memory::region::AccessMode;
use warplens_sim_cuda::memory::spaces::{AddressCheck, addresses, write};
use warplens_sim_cuda::registers::{Registers, WIDTH, filter_lanes, lanes};
use warplens_sim_cuda::sanitizer::copies::{CopyCompletion, CopyFamily};
use warplens_sim_cuda::sanitizer::event::{AccessEvent, AccessKind};

use super::lane_address::LaneAddress;
use crate::engine::exec::context::ExecContext;
use crate::program::Copy;

/// The sanitizer reports accesses by threads that have not waited for the copy.
pub(crate) fn copy(copy: &Copy, r: &Registers, ctx: &mut ExecContext<'_>, mask: u32) -> Result {
    let ignored = copy.ignore.map_or(0, |guard| guard.of(&r.predicates, mask));
    let sizes = copy.source_size.map(|slot| *r.get::<u32>(slot));
    let to = addresses(&copy.to.0, r, ctx.bases);
    let from = addresses(&copy.from.0, r, ctx.bases);
    let span = u64::from(copy.size);
    let mode = AccessMode::Store;
    let check = AddressCheck { space: copy.to.1, addresses: &to, span, unit: span, mode, mask };
    let checked = ctx.spaces.check(&check, ctx.local)?;
    let wanted = |lane: usize| sizes.map_or(copy.size, |sizes| sizes[lane].min(copy.size));
    let whole = filter_lanes(mask & !ignored, |lane| wanted(lane) == copy.size);
    let (size, count, len) = (4, span as usize / 4, span as usize);
    let source = |lane: usize| LaneAddress { space: copy.from.1, address: from[lane], lane };
    if whole != 0 {
        let (space, mode) = (copy.from.1, AccessMode::Load);
        let check = AddressCheck { space, addresses: &from, span, unit: span, mode, mask: whole };
        let sources = ctx.spaces.check(&check, ctx.local)?;
        ctx.report(&AccessEvent {
            kind: AccessKind::Source,
            checked: &sources,
            addresses: &from,
            size,
            count,
            mask: whole,
            value: &|_, _| 0,
        });
    }
    let mut contents = [[0; 16]; WIDTH];
    for lane in lanes(mask & !ignored) {
        let is_whole = whole >> lane & 1 == 1;
        contents[lane] = contents_of(source(lane), wanted(lane), is_whole.then_some(copy.size), ctx)?;
    }
    ctx.report(&AccessEvent {
        kind: AccessKind::Store,
        checked: &checked,
        addresses: &to,
        size,
        count,
        mask,
        value: &|lane, word| u128::from_le_bytes(contents[lane]) >> (32 * word),
    });
    let until = CopyCompletion::Waited(CopyFamily::Single);
    lanes(mask).for_each(|lane| ctx.copy_started(&checked, to[lane], span, lane, true, until));
    for lane in lanes(mask & !ignored).filter(|&lane| wanted(lane) > 0) {
        let target = LaneAddress { space: copy.to.1, address: to[lane], lane };
        source(lane).copy_started(wanted(lane).into(), AccessMode::Load, until, ctx)?;
        source(lane).copied(target, wanted(lane).into(), ctx)?;
    }
    let place = |lane: usize| {
        checked.of(lane).map(|extent| MemoryPosition { region: extent.region, index: extent.index(to[lane]) })
    };
    let segments = lanes(mask).map(|lane| Segment { from: None, to: place(lane), len }).collect();
    let data = lanes(mask).flat_map(|lane| contents[lane].into_iter().take(len)).collect();
    let effect = Effect::Transfer(Transfer { segments, data: Some(data), ..Transfer::default() });
    let (issuer, statement) = (ctx.issuer(mask), ctx.statement());
    let group = Some(ctx.spaces.asynchronous.group(issuer, CopyFamily::Single));
    ctx.spaces.issue(Operation { issuer, statement, group, effect, signal: Signal::Nothing });
    Ok(())
}

/// The bytes that a lane copies. `whole` is the size of a full copy, whose source was checked before; in a partial copy,
/// zeros fill the rest.
fn contents_of(
    source: LaneAddress,
    wanted: u32,
    whole: Option<u32>,
    ctx: &mut ExecContext<'_>,
) -> Result<[u8; 16]> {
    let mut contents = [0; 16];
    let step = whole.map_or(1, |size| size.min(8));
    for offset in (0..wanted).step_by(step as usize) {
        let source = source.offset(offset.into());
        let value = if whole.is_some() { source.get(step, ctx)? } else { source.load_source(step, ctx)? };
        write(&mut contents, offset as usize, step, value);
    }
    Ok(contents)
}
