//! Allocation of the columns of tensor memory.

use warplens_sim_cuda::fault::{Fault, Result};
use warplens_sim_cuda::registers::Registers;
use warplens_sim_cuda::sanitizer::cells::CellAccessKind;
use warplens_sim_cuda::tensor_memory::cells::{Allocation, COLUMNS, CellRange};
use warplens_sim_warp::finding_kind::FindingKind;

use super::address::{accessed, conflicts, group, ranks};
use crate::engine::exec::context::ExecContext;
use crate::engine::exec::operand::get;
use crate::engine::memory::lane_address::LaneAddress;
use crate::program::{Address, RegisterSlot, Space};
use crate::tensor::whole_warp::whole_warp;

const KIND: FindingKind = FindingKind::TensorMemoryAllocation;

pub(super) fn allocate(
    to: &(Address, Space),
    columns: RegisterSlot,
    pair: bool,
    r: &Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result {
    whole_warp("tcgen05.alloc", KIND, mask)?;
    group(pair, ctx, mask)?;
    let (count, statement, rank) = (get(columns, r, 0) as u32, ctx.statement(), ctx.spaces.window.rank);
    check_count(count, ctx, mask)?;
    let block = ctx.spaces.tensor_memory.block(rank);
    // The other block of the pair may have chosen the columns already.
    let offered = block.offered.iter().position(|(_, columns)| pair && *columns == count);
    let first = match offered.map(|index| block.offered.remove(index).0) {
        Some(first) => first,
        None => free_columns(count, pair, ctx).ok_or_else(|| no_columns(count, ctx, mask))?,
    };
    if pair && offered.is_none() {
        ctx.spaces.tensor_memory.block(rank ^ 1).offered.push((first, count));
    }
    let allocation = Allocation { first, count, warp: ctx.warp, statement };
    ctx.spaces.tensor_memory.block(rank).allocate(allocation);
    if ctx.sanitizer.is_some() {
        ctx.spaces.asynchronous.cells_of(rank).allocated(allocation);
    }
    LaneAddress::of(to, 0, r, ctx).store(4, first.into(), ctx)?;
    // All lanes of the warp may read the address at once, as in the examples of the ISA; ptxas emits `WARPSYNC.ALL` after the store.
    if let Some(sanitizer) = &mut ctx.sanitizer {
        sanitizer.warp_synchronized();
    }
    Ok(())
}

/// The first columns that are free in the block, or in both blocks of its pair.
fn free_columns(count: u32, pair: bool, ctx: &mut ExecContext<'_>) -> Option<u32> {
    let ranks = ranks(pair, ctx);
    let memory = &mut ctx.spaces.tensor_memory;
    (0..=COLUMNS - count)
        .step_by(32)
        .find(|&first| ranks.iter().all(|&rank| memory.block(rank).is_free(first, count)))
}

fn no_columns(count: u32, ctx: &mut ExecContext<'_>, mask: u32) -> Fault {
    let rank = ctx.spaces.window.rank;
    let used: u32 = ctx.spaces.tensor_memory.block(rank).allocations.iter().map(|one| one.count).sum();
    let message = format!(
        "`tcgen05.alloc` of {count} columns waits forever\nthe block has allocated {used} of {COLUMNS} columns; free some with \
         `tcgen05.dealloc` before"
    );
    Fault::new(KIND, message, mask)
}

fn check_count(count: u32, ctx: &mut ExecContext<'_>, mask: u32) -> Result {
    let (rank, warp) = (ctx.spaces.window.rank, ctx.warp);
    let block = ctx.spaces.tensor_memory.block(rank);
    let fault = |message: &str| Err(Fault::new(KIND, message, mask));
    if !count.is_power_of_two() || !(32..=COLUMNS).contains(&count) {
        return fault(&format!(
            "`tcgen05.alloc` of {count} columns\nthe number must be a power of two from 32 to {COLUMNS}"
        ));
    }
    if block.relinquished.is_some() {
        return fault(
            "`tcgen05.alloc` after `tcgen05.relinquish_alloc_permit`\nthe block has given up the permit: allocate before",
        );
    }
    if let Some((first, least)) = block.earlier {
        if first.warp != warp {
            return fault(&format!(
                "warps {} and {warp} of a block allocate tensor memory\none warp of a block allocates and frees: let warp {} \
                 allocate all columns",
                first.warp, first.warp
            ));
        }
        if count > least {
            return fault(&format!(
                "`tcgen05.alloc` of {count} columns follows one of {least} columns\nan allocation must not be larger than an \
                 earlier one of the block: allocate the largest first"
            ));
        }
    }
    Ok(())
}

pub(super) fn free(
    address: RegisterSlot,
    columns: RegisterSlot,
    pair: bool,
    r: &Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result {
    whole_warp("tcgen05.dealloc", KIND, mask)?;
    group(pair, ctx, mask)?;
    let (at, count) = (get(address, r, 0) as u32, get(columns, r, 0) as u32);
    let rank = ctx.spaces.window.rank;
    let block = ctx.spaces.tensor_memory.block(rank);
    let Some(index) = block.allocations.iter().position(|one| (one.first, one.count) == (at, count)) else {
        let list: Vec<String> =
            block.allocations.iter().map(|one| format!("{} at {:#x}", one.count, one.first)).collect();
        let allocated = if list.is_empty() { "no columns".to_owned() } else { list.join(", ") };
        let message = format!(
            "`tcgen05.dealloc` of {count} columns at {at:#x}, which are not an allocation\nthe block has allocated \
             {allocated}: free with the address and the number of the allocation"
        );
        return Err(Fault::new(KIND, message, mask));
    };
    let range = CellRange { rank, lanes: u128::MAX, first: at, end: at + count };
    conflicts(&range, true, None, ctx, mask);
    accessed(CellAccessKind::Free, &range, ctx, mask);
    ctx.spaces.tensor_memory.block(rank).allocations.remove(index);
    if ctx.sanitizer.is_some() {
        let statement = ctx.statement();
        ctx.spaces.asynchronous.cells_of(rank).freed(at, statement);
    }
    Ok(())
}

pub(super) fn relinquish(pair: bool, ctx: &mut ExecContext<'_>, mask: u32) -> Result {
    whole_warp("tcgen05.relinquish_alloc_permit", KIND, mask)?;
    group(pair, ctx, mask)?;
    let (rank, statement) = (ctx.spaces.window.rank, ctx.statement());
    ctx.spaces.tensor_memory.block(rank).relinquished.get_or_insert(statement);
    Ok(())
}
