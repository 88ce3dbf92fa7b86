//! Products of a warpgroup. Each warp computes its own 16 rows of D: it reads 16 rows of A and all of B.
//!
//! A product is in flight until the warp waits for its group; only then does it read its sources and write the registers of
//! D. In an eager run, it does so at issue.

use std::sync::Arc;

use warplens_sim_cuda::fault::{ExecError, Fault, Result};
use warplens_sim_cuda::memory::spaces::Spaces;
use warplens_sim_cuda::registers::{PerLane, Registers, WIDTH};
use warplens_sim_cuda::sanitizer::copies::CopyFamily;
use warplens_sim_cuda::sanitizer::event::AccessKind;
use warplens_sim_cuda::sanitizer::undefined_use::Cause;
use warplens_sim_cuda::semantics::matrix::Sum;
use warplens_sim_cuda::tensor::accumulate::accumulate;
use warplens_sim_cuda::tensor::descriptor::{Chunk, Descriptor, DescriptorKind};
use warplens_sim_cuda::tensor::{fragment, sparse};
use warplens_sim_warp::finding_kind::FindingKind;

use super::products::{MAX_PENDING, Meeting, Pending, Products, product_cost};
use super::ranges;
use crate::engine::exec::context::ExecContext;
use crate::engine::exec::operand::{get, put};
use crate::program::{FactorSource, RegisterSlot, WarpgroupProduct};

/// Rows of A that a warp reads.
const ROWS: u32 = 16;

/// Maximum number of a warp's products, fences and commits that are compared with those of the other warps.
const MAX_COMPARED: usize = 1 << 16;

pub(crate) fn fence(ctx: &mut ExecContext<'_>) {
    note_issued(ctx, None, 0);
    ctx.products.fence();
}

pub(crate) fn commit(ctx: &mut ExecContext<'_>) {
    note_issued(ctx, None, 0);
    ctx.products.committed += 1;
    if let Some(sanitizer) = &mut ctx.sanitizer {
        sanitizer.closed(CopyFamily::Products, 1);
    }
}

/// Completes all products of the running frame, before a call or a return.
pub(crate) fn complete_all(products: &mut Products, r: &mut Registers, spaces: &Spaces, warp: u32) {
    for pending in std::mem::take(&mut products.pending) {
        complete(&pending, r, spaces, warp);
        products.note_completion(pending.statement);
    }
    products.note_uses();
}

/// Waits for products, and for the other warps of the warpgroup to do so: the products are complete only if all four warps have
/// started them. A thread may then tell others that the warpgroup has read its factors, as the pipelines of CUTLASS do.
pub(crate) fn wait(left: u32, r: &mut Registers, ctx: &mut ExecContext<'_>) -> Result<(), Box<ExecError>> {
    let committed = ctx.products.committed;
    let all = std::mem::take(&mut ctx.products.pending);
    let (done, rest): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|pending| pending.group.saturating_add(left) < committed);
    for pending in &done {
        complete(pending, r, ctx.spaces, ctx.warp);
        ctx.products.note_completion(pending.statement);
    }
    ctx.products.pending = rest;
    ctx.products.note_uses();
    if let Some(sanitizer) = &mut ctx.sanitizer {
        sanitizer.waited(CopyFamily::Products, 1, Some(left), false);
        sanitizer.waited_for_products();
    }
    if !ctx.products.is_whole {
        return Ok(());
    }
    let rank = ctx.spaces.window.rank;
    ctx.spaces.asynchronous.wait_for_products(rank, ctx.warp);
    if !ctx.spaces.asynchronous.warpgroup_has_waited(rank, ctx.warp) {
        ctx.products.meeting = Meeting::Awaited;
        return Err(Box::new(ExecError::Yield(None)));
    }
    // The other warps look again.
    ctx.spaces.changes += 1;
    if let Some(sanitizer) = &mut ctx.sanitizer {
        sanitizer.met_for_products(ctx.warp, ctx.live);
    }
    Ok(())
}

/// Records an instruction that all warps of the warpgroup must execute, with its descriptors.
fn note_issued(ctx: &mut ExecContext<'_>, a: Option<u64>, b: u64) {
    let statement = ctx.statement();
    if ctx.products.issued.len() < MAX_COMPARED {
        ctx.products.issued.push((statement, a, b));
    }
}

pub(crate) fn issue(
    product: &Arc<WarpgroupProduct>,
    r: &mut Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result {
    check_participants(ctx, mask)?;
    let descriptor = |place: RegisterSlot, which: &str| {
        let bits = get(place, r, 0) as u64;
        let decoded = Descriptor::decode(bits, DescriptorKind::Warpgroup);
        decoded.map(|descriptor| (bits, descriptor)).map_err(|problem| {
            let message = format!("the descriptor of {which}, {bits:#018x}, is invalid\n{problem}");
            Fault::new(FindingKind::MatrixDescriptor, message, mask)
        })
    };
    let a = match product.a {
        FactorSource::Shared(place) => Some(descriptor(place, "A")?),
        FactorSource::Registers(_) => None,
    };
    let (b_bits, b) = descriptor(product.b, "B")?;
    let statement = ctx.statement();
    note_issued(ctx, a.map(|(bits, _)| bits), b_bits);
    if let Some(missing) = ctx.products.missing_fence(product, statement)
        && let Some(sanitizer) = &mut ctx.sanitizer
    {
        sanitizer.report.product_without_fence(&missing);
    }
    check_metadata(product, r, mask)?;
    let a = a.map(|(_, descriptor)| descriptor);
    read_factors(product, a.as_ref(), &b, ctx)?;
    ctx.meter.count(product_cost(ROWS, product.n, product.k))?;
    if let Some(sanitizer) = &mut ctx.sanitizer
        // Each warp sees a part of B; what another one has seen there counts for all.
        && (std::mem::take(&mut sanitizer.undefined.is_unwritten_factor)
            || sanitizer.undefined.memory.contains_key(&statement))
    {
        note_unwritten_factors(product, a.as_ref(), &b, ctx);
    }
    let accumulates = product.accumulates.of(&r.predicates, 1) != 0;
    let group = ctx.products.committed;
    let pending = Pending { product: Arc::clone(product), a, b, accumulates, group, statement };
    if ctx.spaces.asynchronous.eager {
        complete(&pending, r, ctx.spaces, ctx.warp);
    } else {
        if ctx.products.pending.len() >= MAX_PENDING {
            let oldest = ctx.products.pending.remove(0);
            complete(&oldest, r, ctx.spaces, ctx.warp);
            ctx.products.note_completion(oldest.statement);
        }
        ctx.products.pending.push(pending);
        ctx.products.note_uses();
    }
    Ok(())
}

/// Fails if a thread of the warpgroup does not execute the product.
fn check_participants(ctx: &ExecContext<'_>, mask: u32) -> Result {
    let message = match mask {
        u32::MAX if ctx.products.is_whole => return Ok(()),
        u32::MAX => {
            "a product is executed by fewer than 128 threads\nlaunch blocks whose number of threads is a multiple of \
             128, or let whole warpgroups only execute it"
        }
        _ => {
            "a product is executed by a part of a warp\nall 128 threads of a warpgroup must execute it together: move it \
             out of divergent code"
        }
    };
    Err(Fault::new(FindingKind::Warpgroup, message, mask))
}

fn read_factors(
    product: &WarpgroupProduct,
    a: Option<&Descriptor>,
    b: &Descriptor,
    ctx: &mut ExecContext<'_>,
) -> Result {
    let width = product.factors[0].bits();
    let stored = if product.sparse.is_some() { product.k / 2 } else { product.k };
    let warp = ctx.warp % 4;
    if let Some(a) = a {
        let chunks = a.chunks(4 * ROWS, stored, width, product.transposed[0]);
        let mine = |chunk: &Chunk| match product.transposed[0] {
            false => chunk.line / ROWS == warp,
            true => chunk.first / ROWS == warp,
        };
        start_reads("A", chunks.filter(mine), ctx)?;
    }
    let chunks = b.chunks(product.n, product.k, product.factors[1].bits(), product.transposed[1]);
    // Each warp reads all of B, but is checked for only a quarter of it.
    let quarter = chunks.enumerate().filter(|(index, _)| *index as u32 % 4 == warp);
    start_reads("B", quarter.map(|(_, chunk)| chunk), ctx)
}

/// Records the elements of D that depend on memory that nobody has written.
#[cold]
fn note_unwritten_factors(
    product: &WarpgroupProduct,
    a: Option<&Descriptor>,
    b: &Descriptor,
    ctx: &mut ExecContext<'_>,
) {
    let (rank, first) = (ctx.spaces.window.rank, ctx.warp % 4 * ROWS);
    let stored = if product.sparse.is_some() { product.k / 2 } else { product.k };
    let [of_a, of_b] = product.transposed;
    let rows = a.map(|a| {
        let chunks = a.chunks(4 * ROWS, stored, product.factors[0].bits(), of_a);
        ranges::unwritten_lines(chunks, of_a, rank, ctx)
    });
    let rows = rows.unwrap_or_default();
    let chunks = b.chunks(product.n, product.k, product.factors[1].bits(), of_b);
    let columns = ranges::unwritten_lines(chunks, of_b, rank, ctx);
    let undefined =
        undefined_sums(product, |row, column| rows.contains(&(first + row)) || columns.contains(&column));
    let Some(sanitizer) = &mut ctx.sanitizer else { return };
    let statement = sanitizer.report.visit.statement;
    for (&register, bits) in product.d.iter().zip(undefined) {
        sanitizer.undefined.add_result(register, bits, statement, Cause::Factor);
    }
}

/// The bits of the registers of D that hold the elements for which `is_undefined` holds.
pub(crate) fn undefined_sums(
    product: &WarpgroupProduct,
    is_undefined: impl Fn(u32, u32) -> bool,
) -> Vec<PerLane<u64>> {
    let parts = if product.sum == Sum::F16 { 2 } else { 1 };
    let element = u64::from(u32::MAX >> (32 - 32 / parts));
    let bits = |register: usize, lane: usize| {
        (0..parts).fold(0, |bits, part| {
            let (row, column) = fragment::accumulator(parts == 2, lane as u32, register as u32, part);
            if is_undefined(row, column) { bits | element << (16 * part) } else { bits }
        })
    };
    (0..product.d.len()).map(|register| std::array::from_fn(|lane| bits(register, lane))).collect()
}

fn check_metadata(product: &WarpgroupProduct, r: &Registers, mask: u32) -> Result {
    let Some((metadata, selector)) = product.sparse else { return Ok(()) };
    let width = product.factors[0].bits();
    for row in 0..ROWS {
        for chunk in 0..sparse::chunks(width, product.k) {
            let nibble = nibble_of(product, metadata, selector, row, chunk, r);
            if !sparse::is_ordered(width, nibble) {
                let message = format!(
                    "the metadata of row {row} has the nibble {nibble:#06b} for chunk {chunk}\nthe indices of a chunk must \
                     ascend"
                );
                return Err(Fault::new(FindingKind::SparseMetadata, message, mask));
            }
        }
    }
    Ok(())
}

fn nibble_of(
    product: &WarpgroupProduct,
    metadata: RegisterSlot,
    selector: RegisterSlot,
    row: u32,
    chunk: u32,
    r: &Registers,
) -> u32 {
    let selector = get(selector, r, 0) as u32;
    let (lane, bit) = sparse::nibble(product.factors[0].bits(), product.k, row, chunk, selector);
    get(metadata, r, lane as usize) as u32 >> bit & 0xf
}

/// Checks and reports the reads of chunks in shared memory.
fn start_reads(which: &str, chunks: impl Iterator<Item = Chunk>, ctx: &mut ExecContext<'_>) -> Result {
    ranges::start_chunks(
        (which, AccessKind::Source),
        chunks,
        ctx.spaces.window.rank,
        0,
        CopyFamily::Products,
        ctx,
    )
}

/// Reads the sources and writes the registers of D.
fn complete(pending: &Pending, r: &mut Registers, spaces: &Spaces, warp: u32) {
    let product = &*pending.product;
    let (n, k) = (product.n as usize, product.k as usize);
    let warp = warp % 4;
    let a = factor_a(pending, r, spaces, warp);
    let b = factor_b(pending, spaces);
    let mut sums = vec![0f64; ROWS as usize * n];
    for (row, sums) in sums.chunks_exact_mut(n).enumerate() {
        for (depth, b) in b.chunks_exact(n).enumerate().take(k) {
            let a = a[row * k + depth];
            for (sum, b) in sums.iter_mut().zip(b) {
                *sum += a * b;
            }
        }
    }
    let parts = if product.sum == Sum::F16 { 2 } else { 1 };
    for (register, &place) in product.d.iter().enumerate() {
        for lane in 0..WIDTH {
            let before = get(place, r, lane) as u32;
            let mut after = 0;
            for part in 0..parts {
                let at = fragment::accumulator(parts == 2, lane as u32, register as u32, part);
                let sum = sums[at.0 as usize * n + at.1 as usize];
                let old = before >> (16 * part);
                let old = pending.accumulates.then_some(old);
                after |= accumulate(product.sum, product.saturate, sum, old, 0) << (16 * part);
            }
            put(place, r, lane, after.into());
        }
    }
}

/// A warp's 16 rows of A, dense, row by row.
fn factor_a(pending: &Pending, r: &Registers, spaces: &Spaces, warp: u32) -> Vec<f64> {
    let product = &*pending.product;
    let (k, factor) = (product.k as usize, product.factors[0]);
    let width = factor.bits();
    let stored = if product.sparse.is_some() { k / 2 } else { k };
    let mut a = vec![0f64; ROWS as usize * stored];
    let sign = if product.negated[0] { -1.0 } else { 1.0 };
    match (&product.a, pending.a) {
        (FactorSource::Registers(registers), _) => {
            for (register, &place) in registers.iter().enumerate() {
                for lane in 0..WIDTH {
                    let bits = get(place, r, lane) as u64;
                    for part in 0..32 / width {
                        let (row, column) = fragment::factor(width, lane as u32, register as u32, part);
                        let element = element(bits, part, width);
                        a[row as usize * stored + column as usize] = sign * factor.value(element);
                    }
                }
            }
        }
        (FactorSource::Shared(_), Some(descriptor)) => {
            for chunk in descriptor.chunks(4 * ROWS, stored as u32, width, product.transposed[0]) {
                each(&chunk, spaces, width, |at, bits| {
                    let (row, depth) =
                        if product.transposed[0] { (at, chunk.line) } else { (chunk.line, at) };
                    if row / ROWS == warp {
                        a[(row % ROWS) as usize * stored + depth as usize] = sign * factor.value(bits);
                    }
                });
            }
        }
        _ => {}
    }
    let Some((metadata, selector)) = product.sparse else { return a };
    let mut dense = vec![0f64; ROWS as usize * k];
    let chunks = sparse::chunks(width, product.k);
    let per = stored / chunks as usize;
    for row in 0..ROWS {
        for chunk in 0..chunks {
            let nibble = nibble_of(product, metadata, selector, row, chunk, r);
            for (index, column) in sparse::columns(width, chunk, nibble).enumerate() {
                let from = row as usize * stored + chunk as usize * per + index;
                dense[row as usize * k + column as usize] = a[from];
            }
        }
    }
    dense
}

/// B, ordered by K: the N elements of each row.
fn factor_b(pending: &Pending, spaces: &Spaces) -> Vec<f64> {
    let product = &*pending.product;
    let (n, factor) = (product.n as usize, product.factors[1]);
    let width = factor.bits();
    let mut b = vec![0f64; n * product.k as usize];
    let sign = if product.negated[1] { -1.0 } else { 1.0 };
    for chunk in pending.b.chunks(product.n, product.k, width, product.transposed[1]) {
        each(&chunk, spaces, width, |at, bits| {
            let (column, depth) = if product.transposed[1] { (at, chunk.line) } else { (chunk.line, at) };
            b[depth as usize * n + column as usize] = sign * factor.value(bits);
        });
    }
    b
}

/// Calls `f` with each element of a chunk: its position along the line, and its bits.
fn each(chunk: &Chunk, spaces: &Spaces, width: u32, mut f: impl FnMut(u32, u64)) {
    let start = (spaces.window.rank * spaces.window.size) as usize + chunk.address as usize;
    let Some(bytes) = spaces.shared.get(start..start + 16) else { return };
    let mut value = [0; 16];
    value.copy_from_slice(bytes);
    let value = u128::from_le_bytes(value);
    for part in 0..chunk.count {
        let bits = (value >> (part * width)) as u64;
        f(chunk.first + part, element(bits, 0, width));
    }
}

fn element(bits: u64, part: u32, width: u32) -> u64 {
    bits >> (part * width) & (u64::MAX >> (64 - width))
}
