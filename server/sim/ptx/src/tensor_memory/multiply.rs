//! Products with D in tensor memory.
//!
//! Products are exact. The products along K and D are summed without rounding to single precision in between; the result is
//! then rounded once to the type of D.

use warplens_sim_cuda::semantics::matrix::{BlockScale, Factor};
use warplens_sim_cuda::tensor::accumulate::accumulate;
use warplens_sim_cuda::tensor::descriptor::Descriptor;
use warplens_sim_cuda::tensor::sparse;
use warplens_sim_cuda::tensor_memory::cells::{BlockCells, TensorMemory};
use warplens_sim_cuda::tensor_memory::layout;
use warplens_sim_cuda::tensor_memory::operation::LateProblem;
use warplens_sim_warp::finding_kind::FindingKind;

use super::operation::{CellAddress, FactorPlace, Multiplication};

pub(super) fn multiply(
    product: &Multiplication,
    shared: &[u8],
    window: u32,
    memory: &mut TensorMemory,
) -> Option<LateProblem> {
    let it = &product.descriptor;
    let blocks = product.ranks.len() as u32;
    let (rows, n, k) = (it.m / blocks, it.n as usize, it.k as usize);
    let mut problem = None;
    let mut b = vec![0f64; n * k];
    for (index, &rank) in product.ranks.iter().enumerate() {
        let of_block = Side { which: 1, lines: it.n / blocks, depth: it.k };
        let bytes = block_bytes(shared, window, rank);
        of_block.read(product, &product.b, bytes, |column, depth, value| {
            b[depth as usize * n + index * of_block.lines as usize + column as usize] = value;
        });
    }
    let mut sums = vec![0f64; n];
    for (index, &rank) in product.ranks.iter().enumerate() {
        let block = memory.block(rank);
        let mut a = factor_a(product, rows, block, block_bytes(shared, window, rank), &mut problem);
        let mut scaled = None;
        if let Some([of_a, of_b]) = product.scales {
            scale(product, of_a, rows, 0, block, &mut problem, |row, depth, factor| {
                a[row * k + depth] *= factor
            });
            let mut b = b.clone();
            scale(product, of_b, it.n, 1, block, &mut problem, |column, depth, factor| {
                b[depth * n + column] *= factor;
            });
            scaled = Some(b);
        }
        let b = scaled.as_ref().unwrap_or(&b);
        for row in 0..rows {
            sums.fill(0.0);
            for (depth, b) in b.chunks_exact(n).enumerate() {
                let a = a[row as usize * k + depth];
                sums.iter_mut().zip(b).for_each(|(sum, b)| *sum += a * b);
            }
            write_row(product, row, &sums, product.disabled[index], block);
        }
    }
    problem
}

fn block_bytes(shared: &[u8], window: u32, rank: u32) -> &[u8] {
    shared.get((rank * window) as usize..).unwrap_or_default()
}

fn write_row(product: &Multiplication, row: u32, sums: &[f64], disabled: u128, block: &mut BlockCells) {
    let it = &product.descriptor;
    for (column, &sum) in sums.iter().enumerate() {
        let (lane, column) = product.layout.cell(row, column as u32, it.n);
        let (lane, column) = (product.d.lane + lane, product.d.column + column);
        if disabled >> lane & 1 == 1 {
            continue;
        }
        let cell = block.get(lane, column);
        let old = product.accumulates.then_some(cell);
        let new = accumulate(it.sum, it.saturate, sum, old, product.shift);
        // A half occupies the low half of a cell.
        let kept = if it.sum.bits() == 16 { cell & 0xffff_0000 } else { 0 };
        block.set(lane, column, kept | new);
    }
}

/// A or B of a block in shared memory: which of the two, its rows or columns, and its stored elements along K.
#[derive(Clone, Copy)]
struct Side {
    which: usize,
    lines: u32,
    depth: u32,
}

impl Side {
    /// Calls `f` with the line, the position along K and the value of each element.
    fn read(
        self,
        product: &Multiplication,
        descriptor: &Descriptor,
        bytes: &[u8],
        mut f: impl FnMut(u32, u32, f64),
    ) {
        let it = &product.descriptor;
        let (element, transposed) = (it.elements[self.which], it.transposed[self.which]);
        let sign = if it.negated[self.which] { -1.0 } else { 1.0 };
        let bits = element.shared.bits();
        let mask = u64::MAX >> (64 - bits);
        for chunk in descriptor.chunks(self.lines, self.depth, element.pitch, transposed) {
            let start = chunk.address as usize;
            let Some(bytes) = bytes.get(start..start + 16) else { continue };
            let mut data = [0; 16];
            data.copy_from_slice(bytes);
            let data = u128::from_le_bytes(data);
            for part in 0..chunk.count {
                let value = sign * element.shared.value((data >> (part * bits)) as u64 & mask);
                let along = chunk.first + part;
                let (line, depth) = if transposed { (along, chunk.line) } else { (chunk.line, along) };
                f(line, depth, value);
            }
        }
    }
}

/// A of a block, dense, row by row.
fn factor_a(
    product: &Multiplication,
    rows: u32,
    block: &BlockCells,
    bytes: &[u8],
    problem: &mut Option<LateProblem>,
) -> Vec<f64> {
    let it = &product.descriptor;
    let stored = if product.metadata.is_some() { it.k / 2 } else { it.k };
    let mut a = vec![0f64; (rows * stored) as usize];
    match &product.a {
        FactorPlace::Shared(descriptor) => {
            let side = Side { which: 0, lines: rows, depth: stored };
            side.read(product, descriptor, bytes, |row, depth, value| {
                a[(row * stored + depth) as usize] = value;
            });
        }
        FactorPlace::Cells(at) => {
            let sign = if it.negated[0] { -1.0 } else { 1.0 };
            let factor = it.elements[0].cell;
            for row in 0..rows {
                for depth in 0..stored {
                    let bits = cell_element(block, *at, product.layout.lane_of_a(row), depth, factor);
                    a[(row * stored + depth) as usize] = sign * factor.value(bits);
                }
            }
        }
    }
    match product.metadata {
        Some(metadata) => expand(product, metadata, rows, &a, block, problem),
        None => a,
    }
}

/// The bits of a row's element along K in tensor memory.
fn cell_element(block: &BlockCells, at: CellAddress, lane: u32, depth: u32, factor: Factor) -> u64 {
    let bits = factor.bits();
    let per = 32 / bits;
    let cell = block.get(at.lane + lane, at.column + depth / per);
    u64::from(cell >> (bits * (depth % per))) & (u64::MAX >> (64 - bits))
}

fn expand(
    product: &Multiplication,
    at: CellAddress,
    rows: u32,
    a: &[f64],
    block: &BlockCells,
    problem: &mut Option<LateProblem>,
) -> Vec<f64> {
    let it = &product.descriptor;
    let bits = it.pattern_bits();
    let (k, stored) = (it.k as usize, it.k as usize / 2);
    let chunks = sparse::chunks(bits, it.k);
    let kept = stored / chunks as usize;
    let mut dense = vec![0f64; rows as usize * k];
    for row in 0..rows {
        for chunk in 0..chunks {
            let (lane, column, bit) = layout::metadata(product.layout, bits, row, chunk, it.selector);
            let nibble = block.get(at.lane + lane, at.column + column) >> bit & 0xf;
            // The PTX ISA also lists 0110 as valid for these kinds.
            if !sparse::is_ordered(bits, nibble) && (bits == 32 || nibble != 0b0110) && problem.is_none() {
                *problem = Some(LateProblem {
                    kind: FindingKind::SparseMetadata,
                    message: format!(
                        "the metadata of row {row} has the nibble {nibble:#06b} for chunk {chunk}\nthe indices of a chunk \
                         must ascend"
                    ),
                });
            }
            for (index, column) in sparse::columns(bits, chunk, nibble).enumerate() {
                let from = row as usize * stored + chunk as usize * kept + index;
                dense[row as usize * k + column as usize] = a[from];
            }
        }
    }
    dense
}

/// Calls `f` with the line, the position along K and the scale factor of each element of A (`which` 0) or B.
fn scale(
    product: &Multiplication,
    at: CellAddress,
    lines: u32,
    which: usize,
    block: &BlockCells,
    problem: &mut Option<LateProblem>,
    mut f: impl FnMut(usize, usize, f64),
) {
    let it = &product.descriptor;
    let scale = BlockScale { blocks: product.blocks, ue4m3: it.ue4m3 };
    let length = it.k / product.blocks;
    for line in 0..lines {
        let (lane, column) = layout::scale(line);
        let cell = block.get(at.lane + lane, at.column + column);
        let differs = (1..4).any(|group| {
            let lane = at.lane + lane + 32 * group;
            lane < warplens_sim_cuda::tensor_memory::cells::LANES
                && block.get(lane, at.column + column) != cell
        });
        if differs && problem.is_none() {
            *problem = Some(LateProblem {
                kind: FindingKind::TensorMemoryLanes,
                message: format!(
                    "the scale factors of {} {line} of {} differ between the groups of lanes\nwrite the same factors to all \
                     four groups of 32 lanes, for example with `tcgen05.cp` and `.warpx4`",
                    ["row", "column"][which],
                    ["A", "B"][which]
                ),
            });
        }
        for depth in 0..it.k {
            let byte = cell >> (8 * (it.scale_ids[which] + depth / length)) & 0xff;
            f(line as usize, depth as usize, scale.value(byte));
        }
    }
}
