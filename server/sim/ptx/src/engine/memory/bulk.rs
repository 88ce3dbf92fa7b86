//! Asynchronous bulk copies, stores and reductions. Accesses are checked and reported at issue; until the completion has
//! been waited for, the sanitizer reports conflicting accesses.

use warplens_sim_cuda::async_ops::operation::{Effect, MemoryPosition, Operation, Segment, Signal, Transfer};
use warplens_sim_cuda::fault::{Fault, Result};
use warplens_sim_cuda::memory::region::AccessMode;
use warplens_sim_cuda::memory::spaces::addresses;
use warplens_sim_cuda::registers::{Registers, lanes};
use warplens_sim_cuda::sanitizer::copies::{CopyCompletion, CopyFamily};
use warplens_sim_cuda::sanitizer::event::AccessKind;
use warplens_sim_cuda::sanitizer::mbarrier_phases::PhaseEvent;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::scalar_type::ScalarType;

use super::access::stored as stored_element;
use super::lane_address::LaneAddress;
use super::{cluster_address, multimem};
use crate::engine::exec::context::{ExecContext, MemoryRequest};
use crate::engine::exec::operand::get;
use crate::program::{Access, Atomic, AtomicOp, BulkCopy, Completion, Fill};

/// Required alignment of addresses and sizes, in bytes.
const UNIT: u64 = 16;
/// Maximum size of a copy, in bytes.
const MAX_BYTES: u32 = 1_048_560;

/// `cp.async.bulk` and `cp.reduce.async.bulk`, lane by lane.
pub(crate) fn copy(bulk: &BulkCopy, r: &Registers, ctx: &mut ExecContext<'_>, mask: u32) -> Result {
    for lane in lanes(mask) {
        let value = |slot: u32| r.get::<u32>(slot)[lane];
        let size = value(bulk.size);
        let target = LaneAddress::of(&bulk.to, lane, r, ctx);
        let source = LaneAddress::of(&bulk.from, lane, r, ctx);
        check_units(target, source, size, ctx)?;
        let ignored = bulk.ends.map_or((0, 0), |(left, right)| (value(left), value(right)));
        let kept = bulk.bytes.map_or(u32::MAX, value);
        let copied = |byte: u32| {
            byte >= ignored.0
                && byte < size.saturating_sub(ignored.1)
                && kept >> (u64::from(byte) % UNIT) & 1 == 1
        };
        let mbarrier = bulk.completion.as_ref().map(|completion| LaneAddress::of(completion, lane, r, ctx));
        for (to, mbarrier) in targets(bulk, target, mbarrier, size, r, ctx)? {
            let lane_copy = LaneCopy { to, from: source, reduction: bulk.reduction };
            let until = match mbarrier {
                Some(mbarrier) => mbarrier.phase(ctx)?,
                None => CopyCompletion::Waited(CopyFamily::Bulk),
            };
            let transfer = match bulk.ends.is_none() && bulk.bytes.is_none() {
                true => lane_copy.whole(size, ctx)?,
                false => lane_copy.chosen(size, copied, ctx)?,
            };
            lane_copy.begin(size, until, ctx)?;
            issue(transfer, mbarrier.map(|mbarrier| (mbarrier, size)), lane, ctx)?;
        }
    }
    Ok(())
}

fn check_units(to: LaneAddress, from: LaneAddress, size: u32, ctx: &ExecContext<'_>) -> Result {
    let fault = |kind, message| Err(Fault::new(kind, message, 1 << to.lane));
    let ends = [("destination", to), ("source", from)];
    if let Some((end, at)) = ends.into_iter().find(|(_, at)| at.address % UNIT != 0) {
        let object = ctx.spaces.element(at.space, at.address, UNIT, ctx.local);
        let message = format!(
            "the {end} {object} of a bulk copy\nthe address {:#x} is not a multiple of {UNIT}; align it",
            at.address
        );
        return fault(FindingKind::Misaligned, message);
    }
    if u64::from(size) % UNIT != 0 {
        let message = format!(
            "{size} bytes, not a multiple of {UNIT}\nround it up, or copy the last bytes with other instructions"
        );
        return fault(FindingKind::BulkSize, message);
    }
    if size > MAX_BYTES {
        return fault(
            FindingKind::BulkSize,
            format!("{size} bytes, the limit is {MAX_BYTES}\nsplit the copy"),
        );
    }
    Ok(())
}

/// The destinations of a lane's copy, each with the mbarrier that tracks it. Without a mask of ranks, the addresses select
/// the block.
fn targets(
    bulk: &BulkCopy,
    to: LaneAddress,
    mbarrier: Option<LaneAddress>,
    size: u32,
    r: &Registers,
    ctx: &mut ExecContext<'_>,
) -> Result<Vec<(LaneAddress, Option<LaneAddress>)>> {
    Ok(match bulk.blocks {
        Some(blocks) => cluster_address::ranks(r.get::<u32>(blocks)[to.lane], to.lane, ctx.spaces.window)?
            .map(|rank| (to.in_block(rank, ctx), mbarrier.map(|at| at.in_block(rank, ctx))))
            .collect(),
        None if bulk.replicated => {
            let replicas = multimem::replicas(to, size.into(), ctx)?;
            replicas.into_iter().map(|address| (LaneAddress { address, ..to }, None)).collect()
        }
        None => vec![(to, mbarrier)],
    })
}

/// Issues a lane's transfer, which completes bytes at an mbarrier or belongs to a bulk group.
pub(crate) fn issue(
    transfer: Transfer,
    mbarrier: Option<(LaneAddress, u32)>,
    lane: usize,
    ctx: &mut ExecContext<'_>,
) -> Result {
    let issuer = ctx.issuer(1 << lane);
    let (signal, group) = match mbarrier {
        Some((mbarrier, bytes)) => (Signal::Bytes(mbarrier.announce(PhaseEvent::Copy, ctx)?, bytes), None),
        None => (Signal::Nothing, Some(ctx.spaces.asynchronous.group(issuer, CopyFamily::Bulk))),
    };
    let statement = ctx.statement();
    ctx.meter.count(transfer.accesses())?;
    if let Some(sanitizer) = &mut ctx.sanitizer
        && transfer.reduction.is_none()
    {
        for Segment { from, to, len } in &transfer.segments {
            if let (Some(from), Some(to)) = (*from, *to) {
                sanitizer.copied(from, to, *len as u64);
            }
        }
    }
    ctx.spaces.issue(Operation { issuer, statement, group, effect: Effect::Transfer(transfer), signal });
    Ok(())
}

struct LaneCopy {
    to: LaneAddress,
    from: LaneAddress,
    reduction: Option<(AtomicOp, ScalarType)>,
}

impl LaneCopy {
    fn begin(&self, size: u32, until: CopyCompletion, ctx: &mut ExecContext<'_>) -> Result {
        self.from.copy_started(size.into(), AccessMode::Load, until, ctx)?;
        self.to.copy_started(size.into(), AccessMode::Store, until, ctx)
    }

    /// Checks and reports the accesses of the whole copy.
    fn whole(&self, size: u32, ctx: &mut ExecContext<'_>) -> Result<Transfer> {
        let step = self.reduction.map_or(8, |(_, ty)| ty.bytes() as u32);
        for offset in (0..size).step_by(step as usize) {
            let (to, from) = (self.to.offset(offset.into()), self.from.offset(offset.into()));
            let value = from.load_source(step, ctx)?;
            to.place(step.into(), AccessMode::Store, ctx)?;
            match self.reduction {
                None => to.report(AccessKind::Store, step, value, ctx)?,
                Some(_) => to.report(AccessKind::Atomic, step, 0, ctx)?,
            }
        }
        let segments = match size {
            0 => Vec::new(),
            _ => vec![self.segment(0, size, ctx)?],
        };
        Ok(Transfer { segments, reduction: self.reduction, ..Transfer::default() })
    }

    /// Checks and reports the accesses of only the bytes that are copied.
    fn chosen(&self, size: u32, copied: impl Fn(u32) -> bool, ctx: &mut ExecContext<'_>) -> Result<Transfer> {
        ctx.meter.count(u64::from(size) / 64)?;
        let mut segments = Vec::new();
        for offset in (0..size).filter(|&byte| copied(byte)) {
            let value = self.from.offset(offset.into()).load_source(1, ctx)?;
            self.to.offset(offset.into()).report(AccessKind::Store, 1, value, ctx)?;
            segments.push(self.segment(offset, 1, ctx)?);
        }
        Ok(Transfer { segments, ..Transfer::default() })
    }

    fn segment(&self, offset: u32, len: u32, ctx: &mut ExecContext<'_>) -> Result<Segment> {
        let from = self.from.offset(offset.into()).place(1, AccessMode::Load, ctx)?;
        let to = self.to.offset(offset.into()).place(1, AccessMode::Store, ctx)?;
        Ok(Segment { from: Some(from), to: Some(to), len: len as usize })
    }
}

/// `st.bulk`, and other operations that write zeros.
pub(crate) fn fill(fill: &Fill, r: &Registers, ctx: &mut ExecContext<'_>, mask: u32) -> Result {
    for lane in lanes(mask) {
        let size = get(fill.size, r, lane) as u64;
        if size == 0 {
            continue;
        }
        if !size.is_multiple_of(8) {
            let message = format!(
                "{size} bytes, not a multiple of 8\nround it up, or clear the last bytes with other stores"
            );
            return Err(Fault::new(FindingKind::BulkSize, message, 1 << lane));
        }
        // If the range does not fit, nothing is written.
        let to = LaneAddress::of(&fill.to, lane, r, ctx);
        to.offset(size.saturating_sub(8)).check(8, AccessMode::Store, ctx)?;
        let Some(completion) = &fill.completion else {
            for offset in (0..size).step_by(8) {
                to.offset(offset).store(8, 0, ctx)?;
            }
            continue;
        };
        for offset in (0..size).step_by(8) {
            to.offset(offset).report(AccessKind::Store, 8, 0, ctx)?;
        }
        let mbarrier = LaneAddress::of(completion, lane, r, ctx);
        let until = mbarrier.phase(ctx)?;
        to.copy_started(size, AccessMode::Store, until, ctx)?;
        let place = to.place(1, AccessMode::Store, ctx)?;
        let segments = vec![Segment { from: None, to: Some(place), len: size as usize }];
        issue(Transfer { segments, ..Transfer::default() }, Some((mbarrier, size as u32)), lane, ctx)?;
    }
    Ok(())
}

/// `st.async`: the stored bytes arrive later, tracked by an mbarrier.
pub(crate) fn store(
    (access, completion): &(Access, Completion),
    r: &Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result {
    let count = access.elements.len();
    let parts = (access.size, count);
    let value = |lane: usize, number: usize| stored_element(access, r, lane, number);
    let to = addresses(&access.address, r, ctx.bases);
    ctx.resolve(&MemoryRequest {
        value: &value,
        ..MemoryRequest::new(AccessKind::Store, access.space, &to, parts, mask)
    })?;
    let bytes = access.size * count as u32;
    for lane in lanes(mask) {
        let mbarrier = LaneAddress::of(completion, lane, r, ctx);
        let until = mbarrier.phase(ctx)?;
        let to = LaneAddress { space: access.space, address: to[lane], lane };
        to.copy_started(bytes.into(), AccessMode::Store, until, ctx)?;
        let place = to.place(1, AccessMode::Store, ctx)?;
        let elements = (0..count).map(|number| value(lane, number).to_le_bytes());
        let data = elements.flat_map(|bytes| bytes.into_iter().take(access.size as usize)).collect();
        issue(stored(place, data, None), Some((mbarrier, bytes)), lane, ctx)?;
    }
    Ok(())
}

/// `red.async`: the reduction happens later, tracked by an mbarrier.
pub(crate) fn reduce(
    (atomic, completion): &(Atomic, Completion),
    r: &Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result {
    let to = addresses(&atomic.address, r, ctx.bases);
    let size = atomic.ty.bytes() as u32;
    let parts = (size, atomic.b.len());
    ctx.resolve(&MemoryRequest::new(AccessKind::Atomic, atomic.space, &to, parts, mask))?;
    for lane in lanes(mask) {
        let to = LaneAddress { space: atomic.space, address: to[lane], lane };
        let place = to.place(1, AccessMode::Store, ctx)?;
        let values = atomic.b.iter().map(|&b| get(b, r, lane).to_le_bytes());
        let data: Vec<u8> = values.flat_map(|bytes| bytes.into_iter().take(size as usize)).collect();
        let mbarrier = LaneAddress::of(completion, lane, r, ctx);
        let until = mbarrier.phase(ctx)?;
        to.copy_started(data.len() as u64, AccessMode::Store, until, ctx)?;
        issue(stored(place, data, Some((atomic.op, atomic.ty))), Some((mbarrier, size)), lane, ctx)?;
    }
    Ok(())
}

fn stored(to: MemoryPosition, data: Vec<u8>, reduction: Option<(AtomicOp, ScalarType)>) -> Transfer {
    let segments = vec![Segment { from: None, to: Some(to), len: data.len() }];
    Transfer { segments, data: Some(data), reduction, ..Transfer::default() }
}
