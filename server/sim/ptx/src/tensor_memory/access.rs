//! A warp's loads from and stores to tensor memory.
//!
//! A load writes its registers at issue, because an instruction that uses them waits for the load. It stays in flight until
//! the warp waits, and its cells must not be overwritten before. A store completes when the warp waits for it.

use std::sync::Arc;

use warplens_sim_cuda::async_ops::operation::{Effect, Group, Operation, Signal};
use warplens_sim_cuda::fault::{Fault, Result};
use warplens_sim_cuda::memory::spaces::addresses;
use warplens_sim_cuda::registers::{Registers, WIDTH};
use warplens_sim_cuda::sanitizer::cells::CellAccessKind;
use warplens_sim_cuda::sanitizer::copies::CopyFamily;
use warplens_sim_cuda::sanitizer::undefined_use::Cause;
use warplens_sim_cuda::tensor_memory::cells::{CellRange, Lack, PendingLoad, lane_mask};
use warplens_sim_cuda::tensor_memory::operation::CellOperation;
use warplens_sim_cuda::tensor_memory::use_log::CellRole;
use warplens_sim_warp::finding_kind::FindingKind;

use super::address::{self, LOAD, STORE, accessed, allocated, conflicts, initialized, note_use};
use super::operation::{CellAddress, CellStores};
use crate::engine::exec::context::ExecContext;
use crate::engine::exec::operand::{get, put};
use crate::program::{CellAccess, CellNumber, CellReduction, CellShape};
use crate::tensor::whole_warp::whole_warp;

const LANES_KIND: FindingKind = FindingKind::TensorMemoryLanes;

pub(super) fn load(access: &CellAccess, r: &mut Registers, ctx: &mut ExecContext<'_>, mask: u32) -> Result {
    let (at, ranges) = start(LOAD, access, r, ctx, mask)?;
    let statement = ctx.statement();
    for range in &ranges {
        if access.reduction.is_some() {
            initialized("the source of `tcgen05.ld`", range, ctx, mask);
        }
        conflicts(range, false, None, ctx, mask);
        accessed(CellAccessKind::Load, range, ctx, mask);
        note_use(CellRole::Loaded, range, ctx);
        let load = PendingLoad { range: *range, warp: ctx.warp, statement };
        let loads = &mut ctx.spaces.tensor_memory.block(range.rank).loads;
        // A warp that never waits would collect loads without end, so one per statement is kept.
        loads
            .retain(|other| (other.warp, other.statement, other.range) != (load.warp, statement, load.range));
        loads.push(load);
    }
    if ctx.sanitizer.is_some() {
        let reduced = access.reduction.iter().map(|(_, register)| *register);
        ctx.loaded.start(access.registers.iter().copied().chain(reduced), statement);
    }
    note_undefined(access, at, &ranges, ctx);
    let block = ctx.spaces.tensor_memory.block(ctx.spaces.window.rank);
    for t in 0..WIDTH {
        let mut reduced = None;
        for (index, &register) in access.registers.iter().enumerate() {
            let (lane, column) = access.cell(t as u32, index as u32);
            let (lane, first) = (at.lane + lane, at.column.wrapping_add(column));
            let value = match access.packed {
                false => block.get(lane, first),
                true => block.get(lane, first) & 0xffff | block.get(lane, first.wrapping_add(1)) << 16,
            };
            put(register, r, t, value.into());
            if let Some((reduction, _)) = &access.reduction {
                reduced = Some(
                    reduced.map_or_else(|| reduction.first(value), |before| reduction.of(before, value)),
                );
            }
        }
        if let (Some((_, register)), Some(value)) = (&access.reduction, reduced) {
            put(*register, r, t, value.into());
        }
    }
    Ok(())
}

/// Records the registers that receive cells without a value.
fn note_undefined(access: &CellAccess, at: CellAddress, ranges: &[CellRange], ctx: &mut ExecContext<'_>) {
    let block = ctx.spaces.tensor_memory.block(ctx.spaces.window.rank);
    let Some(sanitizer) = ctx.sanitizer.as_mut().filter(|sanitizer| sanitizer.report.checks.uninitialized)
    else {
        return;
    };
    let lacks = |range: &CellRange| block.has_undefined() || block.unwritten(range).is_some();
    if access.reduction.is_some() || !ranges.iter().any(lacks) {
        return;
    }
    let statement = sanitizer.report.visit.statement;
    for (index, &register) in access.registers.iter().enumerate() {
        let mut first = None;
        let mut undefined = |t: usize| {
            let (lane, column) = access.cell(t as u32, index as u32);
            let (lane, column) = (at.lane + lane, at.column.wrapping_add(column));
            let mut half = |column: u32, bits: u64| {
                let lack = block.lack(lane, column);
                first = first.or(lack.map(|lack| (lack, lane, column)));
                if lack.is_some() { bits } else { 0 }
            };
            match access.packed {
                false => half(column, u32::MAX.into()),
                true => half(column, 0xffff) | half(column.wrapping_add(1), 0xffff_0000),
            }
        };
        let bits = std::array::from_fn(&mut undefined);
        match first {
            Some((Lack::Product(product), ..)) => {
                sanitizer.undefined.add_result(register, bits, product, Cause::Factor);
            }
            Some((Lack::Unwritten, lane, column)) => {
                let title =
                    format!("lane {lane}, column {column} of tensor memory is read before it is written");
                sanitizer.undefined.memory.entry(statement).or_insert(title);
                sanitizer.undefined.add_result(register, bits, statement, Cause::Cell);
            }
            None => {}
        }
    }
}

pub(super) fn store(access: &CellAccess, r: &Registers, ctx: &mut ExecContext<'_>, mask: u32) -> Result {
    let (at, ranges) = start(STORE, access, r, ctx, mask)?;
    let issuer = ctx.issuer(mask);
    for range in &ranges {
        conflicts_of_store(range, ctx, mask);
        accessed(CellAccessKind::Store, range, ctx, mask);
        note_use(CellRole::Stored, range, ctx);
        let block = ctx.spaces.tensor_memory.block(range.rank);
        block.note_written(range);
        block.note_defined(range);
    }
    let mut values = Vec::with_capacity(WIDTH * access.registers.len());
    for t in 0..WIDTH {
        for (index, &register) in access.registers.iter().enumerate() {
            let (lane, column) = access.cell(t as u32, index as u32);
            let first = at.column.wrapping_add(column);
            let value = get(register, r, t) as u32;
            match access.packed {
                false => values.push((at.lane + lane, first, value)),
                true => {
                    values.push((at.lane + lane, first, value & 0xffff));
                    values.push((at.lane + lane, first.wrapping_add(1), value >> 16));
                }
            }
        }
    }
    let effect = Arc::new(CellStores { rank: ctx.spaces.window.rank, values });
    let operation = CellOperation { name: STORE, shape: None, reads: Vec::new(), writes: ranges, effect };
    let group = Some(Group { family: CopyFamily::CellStores, number: 0 });
    let (statement, effect) = (ctx.statement(), Effect::Cells(Box::new(operation)));
    ctx.spaces.issue(Operation { issuer, statement, group, effect, signal: Signal::Nothing });
    Ok(())
}

/// Stores by one warp to the same cells stay in order, so they do not conflict.
fn conflicts_of_store(range: &CellRange, ctx: &mut ExecContext<'_>, mask: u32) {
    let warp = (ctx.spaces.window.rank, ctx.warp);
    let is_own = ctx
        .spaces
        .asynchronous
        .cell_operations()
        .all(|(issuer, _, operation)| operation.name == STORE && (issuer.rank, issuer.warp) == warp);
    if !is_own || ctx.spaces.tensor_memory.load_of(range).is_some() {
        conflicts(range, true, None, ctx, mask);
    }
}

pub(super) fn wait_for_loads(ctx: &mut ExecContext<'_>, mask: u32) -> Result {
    whole_warp("tcgen05.wait::ld", LANES_KIND, mask)?;
    let warp = ctx.warp;
    ctx.loaded.finish();
    if let Some(sanitizer) = &mut ctx.sanitizer {
        sanitizer.waited_for_cells(CellAccessKind::Load);
    }
    ctx.spaces.tensor_memory.block(ctx.spaces.window.rank).loads.retain(|load| load.warp != warp);
    Ok(())
}

pub(super) fn wait_for_stores(ctx: &mut ExecContext<'_>, mask: u32) -> Result {
    whole_warp("tcgen05.wait::st", LANES_KIND, mask)?;
    let issuer = ctx.issuer(mask);
    ctx.spaces.wait_for_groups(issuer, CopyFamily::CellStores, None, false);
    if let Some(sanitizer) = &mut ctx.sanitizer {
        sanitizer.waited_for_cells(CellAccessKind::Store);
    }
    Ok(())
}

/// Checks an access; returns its address and cells.
fn start(
    name: &str,
    access: &CellAccess,
    r: &Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result<(CellAddress, Vec<CellRange>)> {
    whole_warp(name, LANES_KIND, mask)?;
    let all = addresses(&access.address, r, ctx.bases);
    if let Some(lane) = (1..WIDTH).find(|&lane| all[lane] != all[0]) {
        let message = format!(
            "lanes 0 and {lane} of a warp give `{name}` different addresses\nthe address must be the same in all lanes of the warp"
        );
        return Err(Fault::new(LANES_KIND, message, mask));
    }
    let at = address::address(&access.address, 0, r, ctx);
    let (first, count) = (32 * (ctx.warp % 4), access.shape.lanes());
    if at.lane != first && !(count == 16 && at.lane == first + 16) {
        let message = format!(
            "warp {} accesses lanes {} to {} of tensor memory\nit can access only lanes {first} to {}, because its number modulo \
             4 is {}: add {first} << 16 to the address",
            ctx.warp,
            at.lane,
            at.lane + count - 1,
            first + 31,
            ctx.warp % 4
        );
        return Err(Fault::new(LANES_KIND, message, mask));
    }
    if let Some(sanitizer) = &mut ctx.sanitizer {
        sanitizer.check_tensor_order(mask);
    }
    let registers = access.registers.len() as u32;
    let halves: &[u32] = if access.shape == CellShape::Lanes16Bits32Twice { &[0, 16] } else { &[0] };
    let mut ranges = Vec::new();
    for &half in halves {
        let threads = if halves.len() == 2 { half..half + 16 } else { 0..32 };
        let columns = threads.flat_map(|t| (0..registers).map(move |r| access.cell(t, r).1));
        let (least, greatest) = columns
            .fold((u32::MAX, 0), |(least, greatest), column| (least.min(column), greatest.max(column)));
        let range = CellRange {
            rank: ctx.spaces.window.rank,
            lanes: lane_mask(at.lane, count),
            first: at.column.saturating_add(least),
            end: at.column.saturating_add(greatest.saturating_add(access.columns())),
        };
        allocated(&format!("`{name}`"), &range, ctx, mask)?;
        ranges.push(range);
    }
    Ok((at, ranges))
}

impl CellAccess {
    /// Columns of a register.
    pub(crate) fn columns(&self) -> u32 {
        if self.packed { 2 } else { 1 }
    }

    /// The lane and the first column of register `r` of thread `t`, relative to the address.
    fn cell(&self, t: u32, r: u32) -> (u32, u32) {
        self.shape.cell(t, r, self.half, self.columns())
    }
}

impl CellReduction {
    fn first(self, value: u32) -> u32 {
        match self.of {
            CellNumber::F32 { magnitude: true, .. } => value & 0x7fff_ffff,
            _ => value,
        }
    }

    fn of(self, before: u32, value: u32) -> u32 {
        let value = self.first(value);
        let takes_value = match self.of {
            CellNumber::U32 => (value > before) == self.greatest,
            CellNumber::S32 => (value as i32 > before as i32) == self.greatest,
            CellNumber::F32 { nan, .. } => {
                let (one, two) = (f32::from_bits(before), f32::from_bits(value));
                match (one.is_nan(), two.is_nan()) {
                    (true, true) => return 0x7fff_ffff,
                    (true, false) | (false, true) if nan => return 0x7fff_ffff,
                    (one_is_nan, two_is_nan) if one_is_nan || two_is_nan => one_is_nan,
                    // Zeros are ordered by sign.
                    _ => {
                        let order = one.total_cmp(&two);
                        if self.greatest { order.is_lt() } else { order.is_gt() }
                    }
                }
            }
        };
        if takes_value { value } else { before }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reductions() {
        let float =
            |greatest, magnitude, nan| CellReduction { greatest, of: CellNumber::F32 { magnitude, nan } };
        let (one, minus_two, nan) = (1f32.to_bits(), (-2f32).to_bits(), f32::NAN.to_bits());
        assert_eq!(float(true, false, false).of(one, minus_two), one);
        assert_eq!(float(true, true, false).of(one, minus_two), 2f32.to_bits());
        assert_eq!(float(false, false, false).of(nan, minus_two), minus_two);
        assert_eq!(float(false, false, true).of(one, nan), 0x7fff_ffff);
        let unsigned = CellReduction { greatest: false, of: CellNumber::U32 };
        assert_eq!((unsigned.of(5, 3), unsigned.of(3, 5)), (3, 3));
        let signed = CellReduction { greatest: true, of: CellNumber::S32 };
        assert_eq!(signed.of(u32::MAX, 1), 1);
    }
}
