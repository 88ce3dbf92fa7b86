//! Checks that tensor memory instructions share: the block group, whole warps, allocated columns, operations in flight.

use warplens_sim_cuda::async_ops::operation::Issuer;
use warplens_sim_cuda::fault::{Fault, Result};
use warplens_sim_cuda::memory::spaces::addresses;
use warplens_sim_cuda::registers::Registers;
use warplens_sim_cuda::sanitizer::cells::CellAccessKind;
use warplens_sim_cuda::tensor_memory::cells::CellRange;
use warplens_sim_cuda::tensor_memory::operation::CellOperation;
use warplens_sim_cuda::tensor_memory::use_log::{CellRole, CellUse};
use warplens_sim_warp::finding_kind::FindingKind;

use super::operation::CellAddress;
use crate::engine::exec::context::ExecContext;
use crate::program::Address;

pub(super) fn address(operand: &Address, lane: usize, r: &Registers, ctx: &ExecContext<'_>) -> CellAddress {
    CellAddress::of_bits(addresses(operand, r, ctx.bases)[lane] as u32)
}

/// Checks that all tensor memory instructions have the same `.cta_group`, and that the block has a pair if it is 2.
pub(super) fn group(pair: bool, ctx: &mut ExecContext<'_>, mask: u32) -> Result {
    let (window, statement) = (ctx.spaces.window, ctx.statement());
    if pair && window.rank | 1 >= window.blocks {
        let message = "`.cta_group::2` is used by a block without a pair\nlaunch clusters with an even number of blocks: the \
                       ranks of a pair differ in bit 0";
        return Err(Fault::new(FindingKind::TensorMemoryGroup, message, mask));
    }
    let first = ctx.spaces.tensor_memory.block(window.rank).group.get_or_insert((pair, statement));
    if first.0 != pair {
        let message = "`.cta_group::1` and `.cta_group::2` are used by one block\nall `tcgen05` instructions of a kernel must \
                       have the same `.cta_group`";
        return Err(Fault::new(FindingKind::TensorMemoryGroup, message, mask));
    }
    Ok(())
}

pub(super) fn ranks(pair: bool, ctx: &ExecContext<'_>) -> Vec<u32> {
    let rank = ctx.spaces.window.rank;
    if pair { vec![rank & !1, rank | 1] } else { vec![rank] }
}

/// Checks that the columns of a range are allocated; `what` names the cells.
pub(super) fn allocated(what: &str, range: &CellRange, ctx: &mut ExecContext<'_>, mask: u32) -> Result {
    let block = ctx.spaces.tensor_memory.block(range.rank);
    if block.is_allocated(range.first, range.end) {
        return Ok(());
    }
    let columns = |first: u32, end: u32| format!("columns {first} to {}", end.max(first + 1) - 1);
    let list: Vec<String> =
        block.allocations.iter().map(|one| columns(one.first, one.first + one.count)).collect();
    let allocated = if list.is_empty() { "no columns".to_owned() } else { list.join(", ") };
    let message = format!(
        "{what}: {} of tensor memory are not allocated\nthe block has allocated {allocated}: allocate more \
         columns, or correct the address",
        columns(range.first, range.end)
    );
    Err(Fault::new(FindingKind::TensorMemoryBounds, message, mask))
}

pub(super) fn note_use(role: CellRole, range: &CellRange, ctx: &mut ExecContext<'_>) {
    if ctx.sanitizer.is_some() {
        let statement = ctx.statement();
        ctx.spaces.asynchronous.cells_of(range.rank).used(CellUse { role, range: *range, statement });
    }
}

/// Reports a read of cells that no operation has written since their allocation.
pub(super) fn initialized(what: &str, range: &CellRange, ctx: &mut ExecContext<'_>, mask: u32) {
    if ctx.sanitizer.is_none() {
        return;
    }
    if let Some((lane, column)) = ctx.spaces.tensor_memory.block(range.rank).unwritten(range)
        && let Some(sanitizer) = &mut ctx.sanitizer
    {
        sanitizer.report.unwritten_cell(what, (lane, column), mask);
    }
}

/// Reports an access to cells that nothing orders after an earlier one, and records it.
pub(super) fn accessed(kind: CellAccessKind, range: &CellRange, ctx: &mut ExecContext<'_>, mask: u32) {
    if let Some(sanitizer) = &mut ctx.sanitizer {
        sanitizer.access_cells(kind, *range, mask);
    }
}

/// Reports conflicts of an access with operations in flight, except those of the thread `ordered`, which execute in order with it. Of
/// products only those of one shape with the same D do.
pub(super) fn conflicts(
    range: &CellRange,
    writes: bool,
    ordered: Option<(Issuer, Option<[u32; 2]>)>,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) {
    if ctx.sanitizer.is_none() {
        return;
    }
    let in_order = |operation: &CellOperation, issuer: Issuer| {
        let Some((_, shape)) = ordered.filter(|(own, _)| *own == issuer) else { return false };
        let is_one_sum = || {
            let overlapping = operation.writes.iter().filter(|other| other.overlaps(range));
            operation.shape == shape && overlapping.clone().all(|other| other.first == range.first)
        };
        operation.name != STORE && (shape.is_none() || operation.shape.is_none() || is_one_sum())
    };
    let mut found = None;
    for (issuer, statement, operation) in ctx.spaces.asynchronous.cell_operations() {
        if in_order(operation, issuer) {
            continue;
        }
        if operation.writes.iter().any(|other| other.overlaps(range)) {
            found = Some((FindingKind::AsyncResult, statement, operation.name));
        } else if writes && operation.reads.iter().any(|other| other.overlaps(range)) {
            found = Some((FindingKind::AsyncSource, statement, operation.name));
        }
    }
    if writes && let Some(load) = ctx.spaces.tensor_memory.load_of(range) {
        found = Some((FindingKind::AsyncSource, load.statement, LOAD));
    }
    if let (Some((kind, statement, name)), Some(sanitizer)) = (found, &mut ctx.sanitizer) {
        sanitizer.report.cells_in_flight(kind, name, statement, writes, mask);
    }
}

pub(super) const LOAD: &str = "tcgen05.ld";
pub(super) const STORE: &str = "tcgen05.st";
