//! Ranges of memory that one thread accesses through an asynchronous operation: their check, and their reports to the sanitizer.

use crate::cuda::fault::Fault;
use crate::cuda::memory::region::AccessMode;
use crate::cuda::sanitizer::copies::CopyCompletion;
use crate::cuda::sanitizer::event::AccessKind;
use crate::ptx::async_ops::operation::MemoryPosition;
use crate::ptx::engine::exec::context::ExecContext;
use crate::ptx::engine::memory::lane_address::LaneAddress;

/// The most bytes of one report: 32 elements of four bytes.
const REPORT: u64 = 128;

/// Where a range starts, if all of it may be accessed.
pub(crate) fn place(
    at: LaneAddress,
    len: u64,
    mode: AccessMode,
    ctx: &mut ExecContext<'_>,
) -> Result<MemoryPosition, Fault> {
    let place = at.place(1, mode, ctx)?;
    let checked = at.check(1, mode, ctx)?;
    if let Some(extent) = checked.of(at.lane)
        && !extent.holds(at.address, len)
    {
        at.offset(extent.end_of(at.address)).place(1, mode, ctx)?;
    }
    Ok(place)
}

/// Reports an access of a range to the sanitizer.
pub(crate) fn report(
    at: LaneAddress,
    len: u64,
    kind: AccessKind,
    ctx: &mut ExecContext<'_>,
) -> Result<(), Fault> {
    if ctx.sanitizer.is_none() {
        return Ok(());
    }
    // Blocks of a cluster may start anywhere in its memory.
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

/// Reports an access of a range that is in flight from now on.
pub(crate) fn start(
    at: LaneAddress,
    len: u64,
    mode: AccessMode,
    until: CopyCompletion,
    ctx: &mut ExecContext<'_>,
) -> Result<(), Fault> {
    let kind = if mode == AccessMode::Load { AccessKind::Read } else { AccessKind::Store };
    report(at, len, kind, ctx)?;
    at.copy_started(len, mode, until, ctx)
}
