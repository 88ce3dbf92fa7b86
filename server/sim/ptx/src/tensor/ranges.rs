//! Ranges of memory that one thread accesses through an asynchronous operation: checks, and reports to the sanitizer.

use std::collections::BTreeSet;

use warplens_sim_cuda::async_ops::operation::MemoryPosition;
use warplens_sim_cuda::fault::{Fault, Result};
use warplens_sim_cuda::memory::region::AccessMode;
use warplens_sim_cuda::sanitizer::copies::{CopyCompletion, CopyFamily};
use warplens_sim_cuda::sanitizer::event::AccessKind;
use warplens_sim_cuda::tensor::descriptor::Chunk;
use warplens_sim_cuda::windows;
use warplens_sim_warp::finding_kind::FindingKind;

use crate::engine::exec::context::ExecContext;
use crate::engine::memory::lane_address::{LaneAddress, source_kind};
use crate::program::Space;

/// Maximum number of bytes in one report: 32 elements of four bytes.
const REPORT: u64 = 128;

/// The start of a range, if all of the range may be accessed.
pub(crate) fn place(
    at: LaneAddress,
    len: u64,
    mode: AccessMode,
    ctx: &mut ExecContext<'_>,
) -> Result<MemoryPosition> {
    let place = at.place(1, mode, ctx)?;
    let checked = at.check(1, mode, ctx)?;
    if let Some(extent) = checked.of(at.lane)
        && !extent.holds(at.address, len)
    {
        at.offset(extent.end_of(at.address)).place(1, mode, ctx)?;
    }
    Ok(place)
}

pub(crate) fn report(at: LaneAddress, len: u64, kind: AccessKind, ctx: &mut ExecContext<'_>) -> Result {
    if ctx.sanitizer.is_none() {
        return Ok(());
    }
    // Blocks of a cluster may start anywhere in the cluster's memory.
    let start = at.place(1, AccessMode::Load, ctx)?.index as u64;
    let mut offset = 0;
    while offset < len {
        let address = at.address + offset;
        // Pieces are aligned powers of two.
        let aligned = 1 << (address | (start + offset)).trailing_zeros().min(7);
        let piece = REPORT.min(aligned).min(1 << (len - offset).ilog2());
        at.offset(offset).report_elements(kind, piece, ctx)?;
        offset += piece;
    }
    Ok(())
}

/// Reports an access to a range that is in flight from now on.
pub(crate) fn start(
    at: LaneAddress,
    len: u64,
    mode: AccessMode,
    until: CopyCompletion,
    ctx: &mut ExecContext<'_>,
) -> Result {
    let kind = match mode {
        AccessMode::Load => source_kind(at.place(1, mode, ctx)?.region),
        AccessMode::Store => AccessKind::Store,
    };
    start_as(kind, at, len, mode, until, ctx)
}

fn start_as(
    kind: AccessKind,
    at: LaneAddress,
    len: u64,
    mode: AccessMode,
    until: CopyCompletion,
    ctx: &mut ExecContext<'_>,
) -> Result {
    report(at, len, kind, ctx)?;
    at.copy_started(len, mode, until, ctx)
}

/// Checks and reports the reads of a matrix's chunks in a block's shared memory. The reads are in flight from now on. `kind` is
/// [`AccessKind::Source`] if the operation passes on that bytes have no value.
pub(crate) fn start_chunks(
    (which, kind): (&str, AccessKind),
    chunks: impl Iterator<Item = Chunk>,
    rank: u32,
    lane: usize,
    family: CopyFamily,
    ctx: &mut ExecContext<'_>,
) -> Result {
    let size = u64::from(ctx.spaces.window.size);
    let mut addresses: Vec<u64> = chunks.map(|chunk| chunk.address).collect();
    addresses.sort_unstable();
    addresses.dedup();
    if let Some(&outside) = addresses.last().filter(|address| **address + 16 > size) {
        let message = format!(
            "the descriptor of {which} leads beyond shared memory, to address {outside:#x}\nthe block has {size} bytes; check \
             the start address and the offsets"
        );
        return Err(Fault::new(FindingKind::MatrixDescriptor, message, u32::MAX));
    }
    if ctx.sanitizer.is_none() {
        return Ok(());
    }
    let base = u64::from(rank) * windows::SHARED_RANK;
    let mut addresses = addresses.into_iter().peekable();
    while let Some(first) = addresses.next() {
        let mut end = first + 16;
        while addresses.next_if_eq(&end).is_some() {
            end += 16;
        }
        let at = LaneAddress { space: Space::Shared, address: base + first, lane };
        start_as(kind, at, end - first, AccessMode::Load, CopyCompletion::Waited(family), ctx)?;
    }
    Ok(())
}

/// The rows of A or columns of B in a block's shared memory that nobody has written completely.
pub(crate) fn unwritten_lines(
    chunks: impl Iterator<Item = Chunk>,
    transposed: bool,
    rank: u32,
    ctx: &mut ExecContext<'_>,
) -> BTreeSet<u32> {
    let start = u64::from(rank) * u64::from(ctx.spaces.window.size);
    let mut lines = BTreeSet::new();
    let Some(sanitizer) = &mut ctx.sanitizer else { return lines };
    for chunk in chunks {
        if !sanitizer.is_unwritten_shared(start + chunk.address, 16) {
            continue;
        }
        match transposed {
            true => lines.extend(chunk.first..chunk.first + chunk.count),
            false => _ = lines.insert(chunk.line),
        }
    }
    lines
}
