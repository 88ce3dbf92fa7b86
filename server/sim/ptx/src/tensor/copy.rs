//! Copies of tensor boxes between global and shared memory, and reductions.

use warplens_sim_cuda::async_ops::copy_log::BoxCopy;
use warplens_sim_cuda::async_ops::operation::{Convert, MemoryPosition, Segment, Transfer};
use warplens_sim_cuda::fault::{ExecError, Fault, Result};
use warplens_sim_cuda::memory::region::AccessMode;
use warplens_sim_cuda::registers::{Registers, lanes};
use warplens_sim_cuda::sanitizer::copies::{CopyCompletion, CopyFamily};
use warplens_sim_cuda::sanitizer::event::AccessKind;
use warplens_sim_cuda::tensor::boxes;
use warplens_sim_cuda::tensor::map::{self, ElementType, Interleave, TensorMap};
use warplens_sim_cuda::tensor::swizzle::Swizzle;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::scalar_type::ScalarType;

use super::{map_update, ranges};
use crate::engine::exec::context::ExecContext;
use crate::engine::exec::operand::get;
use crate::engine::memory::lane_address::LaneAddress;
use crate::engine::memory::{bulk, cluster_address};
use crate::program::{AtomicOp, BoxMode, Space, TensorCopy};

/// Required alignment of a tile in shared memory, in bytes.
const TILE_ALIGNMENT: u64 = 128;

struct Tile {
    map: TensorMap,
    runs: Vec<boxes::BoxRun>,
    rows: u64,
    /// Bytes in shared memory, including the padding of rows.
    size: u64,
    shared: LaneAddress,
    place: MemoryPosition,
    /// The offset of the tile in its block's memory, which the swizzle depends on.
    within: u64,
}

/// `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor`, lane by lane.
pub(crate) fn execute(
    copy: &TensorCopy,
    r: &Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result<(), Box<ExecError>> {
    for lane in lanes(mask) {
        let tile = tile(copy, lane, r, ctx)?;
        if ctx.sanitizer.is_some() {
            let statement = ctx.statement();
            let noted = tile.noted(copy, r, ctx);
            ctx.spaces.asynchronous.copies.note(statement, noted);
        }
        if copy.loads {
            load(copy, &tile, r, ctx)?;
        } else {
            store(copy, &tile, ctx)?;
        }
    }
    Ok(())
}

fn tile(copy: &TensorCopy, lane: usize, r: &Registers, ctx: &mut ExecContext<'_>) -> Result<Tile> {
    let map = usable_map(copy, lane, r, ctx)?;
    let coordinates: Vec<i32> = copy.coordinates.iter().map(|&at| get(at, r, lane) as i32).collect();
    let offsets: Vec<u32> = copy.offsets.iter().map(|&at| get(at, r, lane) as u32 & 0xffff).collect();
    let shared = LaneAddress::of(&copy.shared, lane, r, ctx);
    if !shared.address.is_multiple_of(TILE_ALIGNMENT) {
        let message = format!(
            "the tile of a tensor copy\nthe shared address {:#x} is not a multiple of {TILE_ALIGNMENT}; align it",
            shared.address
        );
        return Err(Fault::new(FindingKind::Misaligned, message, 1 << lane));
    }
    let within = ctx.spaces.window.block_at(shared.space, shared.address).map_or(0, |(_, within)| within);
    let rows = boxes::row_count(&map, copy.mode, &coordinates);
    let size = rows.saturating_mul(map.row_bytes() as u64);
    // A map in memory may have any box, so a box that exceeds shared memory must be rejected before its rows are listed.
    let mode = if copy.loads { AccessMode::Store } else { AccessMode::Load };
    let place = ranges::place(shared, size, mode, ctx)?;
    let runs = boxes::runs(&map, copy.mode, &coordinates, &offsets);
    Ok(Tile { map, runs, rows, size, shared, place, within })
}

/// A lane's map, if the copy may use it.
fn usable_map(copy: &TensorCopy, lane: usize, r: &Registers, ctx: &mut ExecContext<'_>) -> Result<TensorMap> {
    let fault = |message: &str| Fault::new(FindingKind::TensorMap, message, 1 << lane);
    let at = map_update::of_lane(&copy.map, lane, r, ctx)?;
    let place = at.place(1, AccessMode::Load, ctx)?;
    let mut bytes = [0; map::BYTES];
    for (index, part) in bytes.chunks_exact_mut(8).enumerate() {
        part.copy_from_slice(&at.offset(8 * index as u64).get(8, ctx)?.to_le_bytes());
    }
    if let Some(sanitizer) = &mut ctx.sanitizer {
        sanitizer.used_map(place, lane);
    }
    let map = TensorMap::decode(&bytes);
    if bytes == [0; map::BYTES] || map.im2col.is_none() && map.dims == [0; 5] {
        return Err(fault(
            "the copy uses 128 bytes that are not a tensor map\npass a map with the launch key `tensormap`, or set every \
             field with `tensormap.replace`",
        ));
    }
    if map.rank != copy.rank {
        return Err(fault(&format!(
            "a copy of {} dimensions uses a tensor map of rank {}\nuse `.{}d` and as many coordinates",
            copy.rank, map.rank, map.rank
        )));
    }
    if let Some((key, rule)) = map.violation() {
        return Err(fault(&format!("the copy uses an invalid tensor map: `{key}`\n{rule}")));
    }
    let mismatch = match (copy.mode, map.im2col) {
        (BoxMode::Im2col, None) => Some("an `.im2col` copy uses a tiled map\nencode the map for im2col"),
        (BoxMode::Tile | BoxMode::Rows, Some(_)) => Some("a tiled copy uses an im2col map\nuse `.im2col`"),
        (BoxMode::Rows, None) if map.rank != 2 || map.extents[1] != 1 => {
            Some("a copy of four rows requires a map of rank 2 whose box has one row\nset box[1] to 1")
        }
        _ => None,
    };
    if let Some(mismatch) = mismatch {
        return Err(fault(mismatch));
    }
    if map.interleave != Interleave::None {
        let message = "the copy uses a map with interleaved channels, which are not simulated";
        return Err(Fault::new(FindingKind::Unsupported, message, 1 << lane));
    }
    Ok(map)
}

impl Tile {
    fn swizzle(&self) -> Swizzle {
        self.map.swizzle.unwrap_or_default()
    }

    fn noted(&self, copy: &TensorCopy, r: &Registers, ctx: &ExecContext<'_>) -> BoxCopy {
        let lane = self.shared.lane;
        let element = self.map.element;
        let outside: u64 = self.runs.iter().filter(|run| run.global.is_none()).map(|run| run.len).sum();
        BoxCopy {
            map: self.map,
            mode: copy.mode,
            loads: copy.loads,
            coordinates: copy.coordinates.iter().map(|&at| get(at, r, lane) as i32).collect(),
            rows: self.rows,
            outside: outside / element.global_bytes() as u64 * element.unit(),
            tile: self.place.index,
            issuer: ctx.issuer(1 << lane),
        }
    }

    /// The segments of the copy, for a tile at this position in shared memory.
    fn segments(
        &self,
        runs: &[(boxes::BoxRun, Option<MemoryPosition>)],
        tile: MemoryPosition,
        loads: bool,
    ) -> Vec<Segment> {
        let swizzle = self.swizzle();
        let mut segments = Vec::new();
        for &(run, global) in runs {
            let mut at = 0;
            while at < run.len {
                let address = self.within + run.shared + at;
                let unit = swizzle.unit() as u64;
                let len = match swizzle {
                    Swizzle::None => run.len,
                    _ => (run.len - at).min(unit - address % unit),
                };
                let index = (swizzle.apply(address) as usize + tile.index).wrapping_sub(self.within as usize);
                let shared = Some(MemoryPosition { index, ..tile });
                let global = global.map(|place| MemoryPosition { index: place.index + at as usize, ..place });
                let (from, to) = if loads { (global, shared) } else { (shared, global) };
                segments.push(Segment { from, to, len: len as usize });
                at += len;
            }
        }
        segments
    }

    /// The ranges of the tile that a store copies, as offsets and lengths: the map may clip rows and columns, and then nobody needs
    /// to have written them.
    fn stored(&self, segments: &[Segment]) -> Vec<(u64, u64)> {
        let inside = segments.iter().filter(|segment| segment.to.is_some());
        let mut starts: Vec<(u64, u64)> = inside
            .filter_map(|segment| Some(((segment.from?.index - self.place.index) as u64, segment.len as u64)))
            .collect();
        starts.sort_unstable();
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for (start, len) in starts {
            match ranges.last_mut() {
                Some((first, all)) if *first + *all == start => *all += len,
                _ => ranges.push((start, len)),
            }
        }
        ranges
    }

    /// The runs, with the positions of their bytes in global memory.
    fn globals(
        &self,
        mode: AccessMode,
        ctx: &mut ExecContext<'_>,
    ) -> Result<Vec<(boxes::BoxRun, Option<MemoryPosition>)>> {
        let lane = self.shared.lane;
        let mut place = |run: &boxes::BoxRun| {
            let Some(address) = run.global else { return Ok((*run, None)) };
            let at = LaneAddress { space: Space::Global, address, lane };
            Ok((*run, Some(ranges::place(at, run.len, mode, ctx)?)))
        };
        self.runs.iter().map(&mut place).collect()
    }

    /// Bytes of elements, which is what completes transactions of an mbarrier. Those of padded types count without the padding: CUTLASS and
    /// Triton announce them so.
    fn element_bytes(&self) -> u64 {
        let element = self.map.element;
        let units = self.map.inner_bytes() / element.shared_bytes();
        self.rows * (units * element.global_bytes()) as u64
    }
}

/// Copies from global memory to the shared memory of one or more blocks.
fn load(copy: &TensorCopy, tile: &Tile, r: &Registers, ctx: &mut ExecContext<'_>) -> Result {
    let lane = tile.shared.lane;
    let Some(completion) = &copy.completion else { return Ok(()) };
    let mbarrier = LaneAddress::of(completion, lane, r, ctx);
    let runs = tile.globals(AccessMode::Load, ctx)?;
    let own = ctx.spaces.window;
    let ranks = match copy.blocks {
        Some(blocks) => {
            cluster_address::ranks(r.get::<u32>(blocks)[lane] & 0xffff, lane, own)?.map(Some).collect()
        }
        None => vec![None],
    };
    for rank in ranks {
        let shared = rank.map_or(tile.shared, |rank| tile.shared.in_block(rank, ctx));
        let target = own.block_at(shared.space, shared.address).map_or(0, |(rank, _)| rank as u32);
        let mbarrier = match (rank, copy.pairs) {
            (None, false) => mbarrier,
            (_, true) => {
                let parity =
                    own.block_at(mbarrier.space, mbarrier.address).map_or(0, |(rank, _)| rank as u32 & 1);
                mbarrier.in_block(target & !1 | parity, ctx)
            }
            (Some(rank), false) => mbarrier.in_block(rank, ctx),
        };
        let until = mbarrier.phase(ctx)?;
        let place = match rank {
            Some(_) => ranges::place(shared, tile.size, AccessMode::Store, ctx)?,
            None => tile.place,
        };
        for run in &tile.runs {
            let Some(address) = run.global else { continue };
            let at = LaneAddress { space: Space::Global, address, lane };
            ranges::start(at, run.len, AccessMode::Load, until, ctx)?;
        }
        ranges::start(shared, tile.size, AccessMode::Store, until, ctx)?;
        let fill = if tile.map.nan { tile.map.element.nan() } else { Vec::new() };
        let transfer = Transfer {
            segments: tile.segments(&runs, place, true),
            fill,
            convert: conversion(tile.map.element),
            ..Transfer::default()
        };
        bulk::issue(transfer, Some((mbarrier, tile.element_bytes() as u32)), lane, ctx)?;
    }
    Ok(())
}

/// Copies from shared to global memory. Elements outside the tensor are dropped.
fn store(copy: &TensorCopy, tile: &Tile, ctx: &mut ExecContext<'_>) -> Result {
    let lane = tile.shared.lane;
    let until = CopyCompletion::Waited(CopyFamily::Bulk);
    let reduction = copy.reduction.map(|op| reduction(op, tile.map.element, lane)).transpose()?;
    let runs = tile.globals(AccessMode::Store, ctx)?;
    let segments = tile.segments(&runs, tile.place, false);
    if ctx.sanitizer.is_some() {
        for (offset, len) in tile.stored(&segments) {
            ranges::start(tile.shared.offset(offset), len, AccessMode::Load, until, ctx)?;
        }
    }
    for run in &tile.runs {
        let Some(address) = run.global else { continue };
        let at = LaneAddress { space: Space::Global, address, lane };
        let kind = if reduction.is_some() { AccessKind::Atomic } else { AccessKind::Store };
        ranges::report(at, run.len, kind, ctx)?;
        at.copy_started(run.len, AccessMode::Store, until, ctx)?;
    }
    bulk::issue(Transfer { segments, reduction, ..Transfer::default() }, None, lane, ctx)
}

/// The reduction of elements of a type; an error if there is none.
fn reduction(op: AtomicOp, element: ElementType, lane: usize) -> Result<(AtomicOp, ScalarType)> {
    let ty = element.scalar().filter(|ty| {
        use ScalarType::{Bf16, F16, F32, S32, S64, U32, U64};
        match op {
            AtomicOp::Add => matches!(ty, U32 | S32 | U64 | F32 | F16 | Bf16),
            AtomicOp::Min | AtomicOp::Max => matches!(ty, U32 | S32 | U64 | S64 | F16 | Bf16),
            AtomicOp::Increment | AtomicOp::Decrement => *ty == U32,
            AtomicOp::And | AtomicOp::Or | AtomicOp::Xor => matches!(ty, U32 | S32 | U64 | S64),
            AtomicOp::Exchange | AtomicOp::CompareSwap => false,
        }
    });
    ty.map(|ty| (op, ty)).ok_or_else(|| {
        let message = format!(
            "the reduction is not defined for elements of type {}\nthe type is that of the tensor map; use another operation or \
             map",
            element.name()
        );
        Fault::new(FindingKind::TensorMap, message, 1 << lane)
    })
}

/// How elements change on the way to shared memory.
fn conversion(element: ElementType) -> Convert {
    match element.name() {
        "f32.ftz" => Convert::Flush,
        "tf32" => Convert::Tf32,
        "tf32.ftz" => Convert::FlushTf32,
        _ => Convert::No,
    }
}
