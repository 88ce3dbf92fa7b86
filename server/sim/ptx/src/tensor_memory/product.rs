//! The start of `tcgen05.mma`, `tcgen05.cp` and `tcgen05.commit`: checks, accesses to shared memory, and the operation in
//! flight.

use std::collections::BTreeMap;
use std::sync::Arc;

use warplens_sim_cuda::async_ops::operation::{Effect, Issuer, Operation, Signal};
use warplens_sim_cuda::fault::{Fault, Result};
use warplens_sim_cuda::registers::{Registers, lanes};
use warplens_sim_cuda::sanitizer::cells::CellAccessKind;
use warplens_sim_cuda::sanitizer::copies::CopyFamily;
use warplens_sim_cuda::sanitizer::event::AccessKind;
use warplens_sim_cuda::tensor::descriptor::{Descriptor, DescriptorKind};
use warplens_sim_cuda::tensor::swizzle::Swizzle;
use warplens_sim_cuda::tensor_memory::cells::{BlockCells, CellRange, LANES, TensorMemory, lane_mask};
use warplens_sim_cuda::tensor_memory::instruction_descriptor::InstructionDescriptor;
use warplens_sim_cuda::tensor_memory::layout::{self, DLayout};
use warplens_sim_cuda::tensor_memory::operation::CellOperation;
use warplens_sim_cuda::tensor_memory::use_log::CellRole;
use warplens_sim_warp::finding_kind::FindingKind;

use super::address::{accessed, address, allocated, conflicts, group, initialized, note_use, ranks};
use super::operation::{CellAddress, FactorPlace, Multiplication};
use crate::engine::exec::context::ExecContext;
use crate::engine::exec::operand::get;
use crate::engine::memory::cluster_address;
use crate::engine::memory::lane_address::LaneAddress;
use crate::program::{Address, Completion, RegisterSlot, TensorFactor, TensorProduct};
use crate::tensor::ranges;

const NAME: &str = "tcgen05.mma";

/// `tcgen05.mma`, lane by lane: each lane starts a product.
pub(super) fn issue(product: &TensorProduct, r: &Registers, ctx: &mut ExecContext<'_>, mask: u32) -> Result {
    group(product.form.pair, ctx, mask)?;
    for lane in lanes(mask) {
        issue_one(product, lane, r, ctx)?;
    }
    Ok(())
}

fn issue_one(product: &TensorProduct, lane: usize, r: &Registers, ctx: &mut ExecContext<'_>) -> Result {
    let mask = 1 << lane;
    if let Some(sanitizer) = &mut ctx.sanitizer {
        sanitizer.check_tensor_order(mask);
    }
    let it = multiplication(product, lane, r, ctx)?;
    let operands = Cells::of(&it);
    let issuer = ctx.issuer(mask);
    let shape = [it.descriptor.m, it.descriptor.n];
    for (role, range) in &operands.reads {
        allocated(role.name(), range, ctx, mask)?;
        initialized(role.name(), range, ctx, mask);
        note_use(*role, range, ctx);
        conflicts(range, false, Some((issuer, None)), ctx, mask);
        accessed(CellAccessKind::ReadByProduct, range, ctx, mask);
    }
    for range in &operands.writes {
        allocated(CellRole::D.name(), range, ctx, mask)?;
        if it.accumulates {
            initialized(CellRole::D.name(), range, ctx, mask);
        }
        note_use(CellRole::D, range, ctx);
        conflicts(range, true, Some((issuer, Some(shape))), ctx, mask);
        accessed(CellAccessKind::WrittenByProduct, range, ctx, mask);
        let block = ctx.spaces.tensor_memory.block(range.rank);
        block.note_written(range);
        if !it.accumulates {
            block.note_defined(range);
        }
    }
    start_reads(&it, lane, ctx)?;
    if let Some(sanitizer) = &mut ctx.sanitizer
        && (std::mem::take(&mut sanitizer.undefined.is_unwritten_factor)
            || reads_undefined(&it, &ctx.spaces.tensor_memory))
    {
        note_unwritten_factors(&it, ctx);
    }
    let operation = CellOperation {
        name: NAME,
        shape: Some(shape),
        reads: operands.reads.into_iter().map(|(_, range)| range).collect(),
        writes: operands.writes,
        effect: Arc::new(it),
    };
    begin(operation, issuer, ctx)
}

/// Starts the reads of the factors that are in shared memory, in each block of the pair.
fn start_reads(it: &Multiplication, lane: usize, ctx: &mut ExecContext<'_>) -> Result {
    let (m, n, k) = (it.descriptor.m, it.descriptor.n, it.descriptor.k);
    let stored = if it.metadata.is_some() { k / 2 } else { k };
    let blocks = it.ranks.len() as u32;
    for &rank in &it.ranks {
        let [a, b] = it.descriptor.elements;
        if let FactorPlace::Shared(place) = &it.a {
            let chunks = place.chunks(m / blocks, stored, a.pitch, it.descriptor.transposed[0]);
            ranges::start_chunks(
                ("A", AccessKind::Source),
                chunks,
                rank,
                lane,
                CopyFamily::TensorMemory,
                ctx,
            )?;
        }
        let chunks = it.b.chunks(n / blocks, k, b.pitch, it.descriptor.transposed[1]);
        ranges::start_chunks(("B", AccessKind::Source), chunks, rank, lane, CopyFamily::TensorMemory, ctx)?;
    }
    Ok(())
}

/// Whether A is in tensor memory, and cells there may be undefined.
fn reads_undefined(it: &Multiplication, memory: &TensorMemory) -> bool {
    matches!(it.a, FactorPlace::Cells(_)) && memory.blocks().iter().any(BlockCells::has_undefined)
}

/// The rows of a block's A in tensor memory with undefined cells, each with the product that made them so.
fn undefined_rows(
    it: &Multiplication,
    at: CellAddress,
    rank: u32,
    ctx: &mut ExecContext<'_>,
) -> Vec<(u32, u32)> {
    let (descriptor, blocks) = (&it.descriptor, it.ranks.len() as u32);
    let stored = if it.metadata.is_some() { descriptor.k / 2 } else { descriptor.k };
    let columns = (stored * descriptor.elements[0].cell.bits()).div_ceil(32);
    let block = ctx.spaces.tensor_memory.block(rank);
    let undefined = |row: u32| {
        let lane = at.lane + it.layout.lane_of_a(row);
        let by = (at.column..at.column + columns).find_map(|column| block.undefined_by(lane, column))?;
        Some((row, by))
    };
    (0..descriptor.m / blocks).filter_map(undefined).collect()
}

/// Records the cells of D that depend on shared memory that nobody has written.
#[cold]
fn note_unwritten_factors(it: &Multiplication, ctx: &mut ExecContext<'_>) {
    let (m, n, k) = (it.descriptor.m, it.descriptor.n, it.descriptor.k);
    let stored = if it.metadata.is_some() { k / 2 } else { k };
    let blocks = it.ranks.len() as u32;
    let ([a, b], [of_a, of_b]) = (it.descriptor.elements, it.descriptor.transposed);
    let statement = ctx.statement();
    let mut cells = Vec::new();
    let cell = |row: u32, column: u32| it.layout.cell(row, column, n);
    for (index, &rank) in (0..).zip(&it.ranks) {
        let rows = match &it.a {
            FactorPlace::Shared(place) => {
                let chunks = place.chunks(m / blocks, stored, a.pitch, of_a);
                let rows = ranges::unwritten_lines(chunks, of_a, rank, ctx);
                rows.into_iter().map(|row| (row, statement)).collect()
            }
            FactorPlace::Cells(at) => undefined_rows(it, *at, rank, ctx),
        };
        cells.extend(
            rows.iter().flat_map(|&(row, by)| (0..n).map(move |column| (rank, by, cell(row, column)))),
        );
        let columns = ranges::unwritten_lines(it.b.chunks(n / blocks, k, b.pitch, of_b), of_b, rank, ctx);
        for column in columns.into_iter().map(|column| index * (n / blocks) + column) {
            let of_rank = |rank: u32| (0..m / blocks).map(move |row| (rank, statement, cell(row, column)));
            cells.extend(it.ranks.iter().flat_map(|&rank| of_rank(rank)));
        }
    }
    // By block, column and product: the lanes.
    let mut lanes: BTreeMap<(u32, u32, u32), u128> = BTreeMap::new();
    for (rank, by, (lane, column)) in cells {
        *lanes.entry((rank, it.d.column + column, by)).or_default() |=
            1u128.checked_shl(it.d.lane + lane).unwrap_or(0);
    }
    for ((rank, column, by), lanes) in lanes {
        let disabled = it.ranks.iter().position(|other| *other == rank).map_or(0, |index| it.disabled[index]);
        let range = CellRange { rank, lanes: lanes & !disabled, first: column, end: column + 1 };
        let block = ctx.spaces.tensor_memory.block(rank);
        block.note_defined(&range);
        block.note_undefined(range, by);
    }
}

/// Puts an operation in flight, for a later commit by its thread to cover.
pub(super) fn begin(operation: CellOperation, issuer: Issuer, ctx: &mut ExecContext<'_>) -> Result {
    ctx.meter.count(operation.effect.accesses())?;
    let (statement, effect) = (ctx.statement(), Effect::Cells(Box::new(operation)));
    ctx.spaces.issue(Operation { issuer, statement, group: None, effect, signal: Signal::Nothing });
    Ok(())
}

/// A lane's product, if its descriptors are valid.
fn multiplication(
    product: &TensorProduct,
    lane: usize,
    r: &Registers,
    ctx: &ExecContext<'_>,
) -> Result<Multiplication> {
    let mask = 1 << lane;
    let bits = get(product.descriptor, r, lane) as u32;
    let form = product.form;
    let invalid = |problem: String| {
        let message = format!("the instruction descriptor {bits:#010x} is invalid\n{problem}");
        Fault::new(FindingKind::InstructionDescriptor, message, mask)
    };
    let descriptor = InstructionDescriptor::decode(bits, form).map_err(invalid)?;
    let layout = DLayout::of(descriptor.m, form.pair, form.ws, form.sparse)
        .ok_or_else(|| invalid(format!("M is {}, which this form does not have", descriptor.m)))?;
    let zeros = product.zeros.map_or(0, |zeros| get(zeros, r, lane) as u64);
    if zeros != 0 {
        let message =
            "the product has a zero-column mask, which is not simulated: sources disagree about its fields";
        return Err(Fault::new(FindingKind::Unsupported, message, mask));
    }
    let matrix = |place: RegisterSlot, which: usize| {
        let (element, transposed) = (descriptor.elements[which], descriptor.transposed[which]);
        matrix(place, ["A", "B"][which], transposed.then_some(element.pitch), lane, r)
    };
    let a = match &product.a {
        TensorFactor::Shared(place) => FactorPlace::Shared(matrix(*place, 0)?),
        TensorFactor::Cells(at) => FactorPlace::Cells(address(at, lane, r, ctx)),
    };
    let word = |index: usize| product.disabled.get(index).map_or(0, |&at| get(at, r, lane) as u32);
    let disabled = |first: usize| (0..4).map(|index| u128::from(word(first + index)) << (32 * index)).sum();
    let cells = |at: &Address| address(at, lane, r, ctx);
    let it = Multiplication {
        descriptor,
        layout,
        ranks: ranks(product.form.pair, ctx),
        a,
        b: matrix(product.b, 1)?,
        d: cells(&product.d),
        accumulates: product.accumulates.of(&r.predicates, mask) != 0,
        shift: product.shift.map_or(0, |shift| get(shift, r, lane) as u32),
        disabled: [disabled(0), disabled(4)],
        metadata: product.metadata.as_ref().map(cells),
        scales: product.scales.as_ref().map(|[a, b]| [cells(a), cells(b)]),
        blocks: product.form.blocks,
    };
    check_lanes(&it, mask)?;
    Ok(it)
}

/// A matrix descriptor; `transposed` holds the bits per element if the matrix is MN-major.
fn matrix(
    place: RegisterSlot,
    which: &str,
    transposed: Option<u32>,
    lane: usize,
    r: &Registers,
) -> Result<Descriptor> {
    let bits = get(place, r, lane) as u64;
    let invalid = |problem: &str| {
        let message = format!("the descriptor of {which}, {bits:#018x}, is invalid\n{problem}");
        Fault::new(FindingKind::MatrixDescriptor, message, 1 << lane)
    };
    let descriptor =
        Descriptor::decode(bits, DescriptorKind::TensorMemory).map_err(|problem| invalid(&problem))?;
    let atoms = descriptor.swizzle == Swizzle::Bytes128Atom32;
    match transposed {
        Some(32) if !atoms => Err(invalid(
            "an MN-major matrix of 32-bit elements requires the 128-byte swizzle with 32-byte atoms",
        )),
        Some(8 | 16) if atoms => {
            Err(invalid("32-byte atoms are for MN-major matrices of 32-bit elements only"))
        }
        _ => Ok(descriptor),
    }
}

/// Checks that D, A and the other operands start at lanes that the layout allows.
fn check_lanes(it: &Multiplication, mask: u32) -> Result {
    let halves = matches!(it.layout, DLayout::C | DLayout::F);
    let a = match it.a {
        FactorPlace::Cells(at) => Some(("A", at)),
        FactorPlace::Shared(_) => None,
    };
    let others = it.metadata.map(|at| ("the metadata", at));
    let scales = it.scales.into_iter().flatten().map(|at| ("a scale factor", at));
    for (what, at) in [("D", it.d)].into_iter().chain(a).chain(others).chain(scales) {
        let allowed = at.lane == 0 || halves && at.lane == 16;
        if !allowed {
            let list = if halves { "0 or 16" } else { "0" };
            let message = format!(
                "{what} starts at lane {} of tensor memory\nfor M = {} the lane of the address must be {list}",
                at.lane, it.descriptor.m
            );
            return Err(Fault::new(FindingKind::TensorMemoryBounds, message, mask));
        }
        if halves && at.lane != it.d.lane && what != "a scale factor" {
            let message = format!(
                "{what} starts at lane {} of tensor memory, and D at lane {}\nfor M = {} all must have the same lane",
                at.lane, it.d.lane, it.descriptor.m
            );
            return Err(Fault::new(FindingKind::TensorMemoryBounds, message, mask));
        }
    }
    Ok(())
}

struct Cells {
    reads: Vec<(CellRole, CellRange)>,
    writes: Vec<CellRange>,
}

impl Cells {
    fn of(it: &Multiplication) -> Cells {
        let (descriptor, blocks) = (&it.descriptor, it.ranks.len() as u32);
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        let (lanes, columns) = it.layout.extent(descriptor.n);
        let range = |rank: u32, at: CellAddress, lanes: u128, columns: u32| {
            let lanes = lanes.checked_shl(at.lane).unwrap_or(0);
            CellRange { rank, lanes, first: at.column, end: at.column.saturating_add(columns) }
        };
        let stored = if it.metadata.is_some() { descriptor.k / 2 } else { descriptor.k };
        for (index, &rank) in it.ranks.iter().enumerate() {
            let written = range(rank, it.d, lanes, columns);
            writes.push(CellRange { lanes: written.lanes & !it.disabled[index], ..written });
            if let FactorPlace::Cells(at) = it.a {
                let rows = (0..descriptor.m / blocks).map(|row| 1u128 << it.layout.lane_of_a(row)).sum();
                reads.push((
                    CellRole::A,
                    range(rank, at, rows, (stored * descriptor.elements[0].cell.bits()).div_ceil(32)),
                ));
            }
            if let Some(at) = it.metadata {
                reads.push((CellRole::Metadata, metadata_cells(it, rank, at)));
            }
            for (at, lines, role) in it.scales.iter().flat_map(|[a, b]| {
                [(*a, descriptor.m / blocks, CellRole::ScaleOfA), (*b, descriptor.n, CellRole::ScaleOfB)]
            }) {
                let lanes = lane_mask(0, lines.min(32));
                reads.push((role, range(rank, at, lanes, lines.div_ceil(32))));
            }
        }
        Cells { reads, writes }
    }
}

fn metadata_cells(it: &Multiplication, rank: u32, at: CellAddress) -> CellRange {
    let (bits, rows) = (it.descriptor.pattern_bits(), it.descriptor.m / it.ranks.len() as u32);
    let chunks = warplens_sim_cuda::tensor::sparse::chunks(bits, it.descriptor.k);
    let cells = (0..rows).flat_map(|row| (0..chunks).map(move |chunk| (row, chunk)));
    let mut range = CellRange { rank, lanes: 0, first: u32::MAX, end: 0 };
    for (row, chunk) in cells {
        let (lane, column, _) = layout::metadata(it.layout, bits, row, chunk, it.descriptor.selector);
        if at.lane + lane < LANES {
            range.lanes |= 1 << (at.lane + lane);
        }
        range.first = range.first.min(at.column + column);
        range.end = range.end.max(at.column + column + 1);
    }
    range
}

/// `tcgen05.commit`: arrives at mbarriers once the thread's earlier operations are complete.
pub(super) fn commit(
    mbarrier: &Completion,
    blocks: Option<RegisterSlot>,
    pair: bool,
    r: &Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result {
    group(pair, ctx, mask)?;
    for lane in lanes(mask) {
        let at = LaneAddress::of(mbarrier, lane, r, ctx);
        match blocks {
            Some(blocks) => cluster_address::ranks(get(blocks, r, lane) as u32, lane, ctx.spaces.window)?
                .try_for_each(|rank| at.in_block(rank, ctx).arrive_after_tensor_operations(ctx))?,
            None => at.arrive_after_tensor_operations(ctx)?,
        }
        if let Some(sanitizer) = &mut ctx.sanitizer {
            sanitizer.closed(CopyFamily::TensorMemory, 1 << lane);
        }
    }
    Ok(())
}
