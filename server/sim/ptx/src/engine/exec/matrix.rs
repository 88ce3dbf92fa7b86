//! Matrices distributed over the lanes of a warp: load, store, transpose and multiply.

use warplens_sim_cuda::fault::{Fault, Result};
use warplens_sim_cuda::memory::region::{CheckedAddresses, Extent};
use warplens_sim_cuda::memory::spaces::{addresses, read, write};
use warplens_sim_cuda::registers::{PerLane, Registers, WIDTH, lanes};
use warplens_sim_cuda::sanitizer::event::AccessKind;
use warplens_sim_cuda::sanitizer::undefined_use::{Cause, UndefinedUse};
use warplens_sim_cuda::semantics::fragments::Matrix;
use warplens_sim_cuda::semantics::matrix::{ScaleWords, Words};
use warplens_sim_cuda::tensor::sparse;
use warplens_sim_warp::finding_kind::FindingKind;

use super::context::{ExecContext, MemoryRequest};
use super::operand::{get, put};
use crate::program::{FragmentAccess, MatrixAccess, MatrixProduct, RegisterSlot, Rows, Slots, SparseFactor};

pub(crate) fn multiply(op: &MatrixProduct, r: &mut Registers, mask: u32) -> Result {
    let words = |places: &[RegisterSlot]| -> Words { places.iter().map(|&place| values(place, r)).collect() };
    let [a, b, c, d] = &op.registers;
    let scales = op.scales.as_ref().map(|scales| {
        let word = |place| values(place, r).map(|value| value as u32);
        // All lanes name the same registers.
        let select = |[byte, lane]: [RegisterSlot; 2]| (word(byte)[0], word(lane)[0]);
        ScaleWords {
            a: word(scales.words[0]),
            b: word(scales.words[1]),
            select_a: select(scales.selectors[0]),
            select_b: select(scales.selectors[1]),
        }
    });
    let a = match op.sparse {
        Some(sparse) => dense(op, sparse, &words(a), r, mask)?,
        None => words(a),
    };
    let results = op.product.compute(&a, &words(b), &words(c), scales.as_ref());
    for (&place, values) in d.iter().zip(&results) {
        for lane in lanes(mask) {
            put(place, r, lane, values[lane].into());
        }
    }
    Ok(())
}

/// Expands the registers of a sparse A with its metadata to a dense one.
fn dense(
    op: &MatrixProduct,
    factor: SparseFactor,
    stored: &Words,
    r: &Registers,
    mask: u32,
) -> Result<Words> {
    let product = &op.product;
    let (bits, k) = (product.a.bits(), product.k);
    let [of_dense, ..] = product.matrices();
    let of_stored = Matrix::new(product.m, k / 2, bits, false, 1);
    let (metadata, selector) = (values(factor.metadata, r), values(factor.selector, r)[0] as u32);
    let per = k / 2 / sparse::chunks(bits, k);
    let mut words = vec![[0; WIDTH]; of_dense.registers as usize];
    for row in 0..product.m {
        for chunk in 0..sparse::chunks(bits, k) {
            let (lane, bit) = sparse::nibble(bits, k, row, chunk, selector);
            let nibble = (metadata[lane as usize] >> bit & 0xf) as u32;
            let is_valid = match factor.ordered {
                true => sparse::is_ordered(bits, nibble),
                false => bits == 32 || nibble & 3 != nibble >> 2,
            };
            if !is_valid {
                let rule = if factor.ordered { "ascend" } else { "differ" };
                let message = format!(
                    "the metadata of row {row} have the nibble {nibble:04b} for chunk {chunk}\nthe indices of a chunk must {rule}"
                );
                return Err(Fault::new(FindingKind::SparseMetadata, message, mask));
            }
            for (index, column) in sparse::columns(bits, chunk, nibble).enumerate() {
                let from = product.layout.factor(of_stored, 0, row, chunk * per + index as u32);
                let to = product.layout.factor(of_dense, 0, row, column);
                let element = stored[from.register][from.lane] >> from.shift & (u64::MAX >> (64 - bits));
                words[to.register][to.lane] |= element << to.shift;
            }
        }
    }
    Ok(words)
}

fn values(place: RegisterSlot, r: &Registers) -> PerLane<u64> {
    std::array::from_fn(|lane| get(place, r, lane) as u64)
}

/// `wmma.load` and `wmma.store`, element by element, or register by register for sub-byte elements.
pub(crate) fn fragment(
    op: &FragmentAccess,
    r: &mut Registers,
    ctx: &mut ExecContext<'_>,
    mask: u32,
) -> Result {
    if mask == 0 {
        return Ok(());
    }
    let matrix = op.matrix;
    let bases = addresses(&op.address, r, ctx.bases);
    let strides = op.stride.map(|slot| *r.get::<u32>(slot));
    let kind = if op.store { AccessKind::Store } else { AccessKind::Load };
    let mut undefined = Undefined::of(ctx);
    let piece = if matrix.bits < 8 { 32 } else { matrix.bits };
    let size = piece / 8;
    let width = matrix.bits.max(32);
    for index in 0..matrix.per_lane() * matrix.bits / piece {
        let pieces: PerLane<u64> = std::array::from_fn(|lane| {
            let stride = strides.map(|strides| strides[lane]);
            let element = element_of(op, lane as u32, index * piece / matrix.bits, stride);
            bases[lane].wrapping_add(element * u64::from(matrix.bits) / 8)
        });
        let (register, shift) = ((index * piece / width) as usize, index * piece % width);
        if op.store {
            undefined.storing(ctx, |stored, sources| {
                undefined_bytes(&sources[register], shift, size, mask, stored);
            });
        }
        let checked = ctx.resolve(&MemoryRequest {
            // If several lanes hold an element, report only the first one.
            reported: mask & u32::MAX >> (32 - matrix.owners().min(32)),
            value: &|lane, _| get(op.registers[register], r, lane) >> shift,
            ..MemoryRequest::new(kind, op.space, &pieces, (size, 1), mask)
        })?;
        undefined.accessed(ctx, |loaded, results| {
            results.resize(op.registers.len(), [0; WIDTH]);
            for lane in lanes(mask) {
                let bytes = (0..size).filter(|byte| loaded[*byte as usize] >> lane & 1 == 1);
                results[register][lane] |= bytes.fold(0, |bits, byte| bits | 0xff << (8 * byte)) << shift;
            }
        });
        for lane in lanes(mask) {
            let Some(extent) = extent(&checked, lane, mask) else { continue };
            let word = get(op.registers[register], r, lane) as u64;
            let keep = if piece == 64 { u64::MAX } else { (1 << piece) - 1 };
            if op.store {
                let value = word >> shift & keep;
                ctx.spaces.write(extent, ctx.local, lane, pieces[lane], size, value);
            } else {
                let value = ctx.spaces.read(extent, ctx.local, lane, pieces[lane], size);
                put(op.registers[register], r, lane, (word & !(keep << shift) | value << shift).into());
            }
        }
    }
    ctx.spaces.changes += u64::from(op.store);
    undefined.finish(&op.registers, ctx);
    Ok(())
}

/// The index in memory of the element that a lane has at `at`. Without a stride, lines follow each other.
fn element_of(op: &FragmentAccess, lane: u32, at: u32, stride: Option<u32>) -> u64 {
    let matrix = op.matrix;
    let number = lane % matrix.owners() * matrix.per_lane() + at;
    let (outer, inner) = (number / matrix.inner, number % matrix.inner);
    let (line, place) = if op.along { (outer, inner) } else { (inner, outer) };
    let stride = stride.unwrap_or(if op.along { matrix.inner } else { matrix.outer });
    u64::from(line) * u64::from(stride) + u64::from(place)
}

/// Sets the lanes in which each byte of an element is undefined. `bits` are the undefined bits of its register.
fn undefined_bytes(bits: &PerLane<u64>, shift: u32, size: u32, mask: u32, stored: &mut [u32; 32]) {
    for lane in lanes(mask) {
        let bits = bits[lane] >> shift;
        (0..size)
            .filter(|byte| bits >> (8 * byte) & 0xff != 0)
            .for_each(|byte| stored[byte as usize] |= 1 << lane);
    }
}

/// The undefined elements of a matrix that a warp loads or stores.
#[derive(Default)]
struct Undefined {
    /// A stored value that other threads see.
    visible: Option<UndefinedUse>,
    sources: Option<(UndefinedUse, Vec<PerLane<u64>>)>,
    /// The undefined bits of the loaded registers.
    results: Vec<PerLane<u64>>,
}

impl Undefined {
    fn of(ctx: &mut ExecContext<'_>) -> Undefined {
        let sources = ctx.sanitizer.as_mut().and_then(|sanitizer| sanitizer.undefined.sources.take());
        Undefined { sources, ..Undefined::default() }
    }

    /// Called before an access: `bytes` sets the lanes for each undefined byte that it stores.
    fn storing(&self, ctx: &mut ExecContext<'_>, bytes: impl Fn(&mut [u32; 32], &[PerLane<u64>])) {
        let Some((sanitizer, (used, sources))) = ctx.sanitizer.as_mut().zip(self.sources.as_ref()) else {
            return;
        };
        let mut stored = [0; 32];
        bytes(&mut stored, sources);
        if stored != [0; 32] {
            sanitizer.undefined.storing(stored, *used);
        }
    }

    /// Called after an access: `bits` gets the lanes for each undefined byte that it loaded.
    fn accessed(&mut self, ctx: &mut ExecContext<'_>, bits: impl Fn(&[u32; 32], &mut Vec<PerLane<u64>>)) {
        let Some(sanitizer) = ctx.sanitizer.as_mut().filter(|sanitizer| sanitizer.undefined.is_pending)
        else {
            return;
        };
        self.visible = self.visible.or(sanitizer.undefined.visible_store());
        let loaded = std::mem::take(&mut sanitizer.undefined.loaded);
        if loaded != [0; 32] {
            bits(&loaded, &mut self.results);
        }
    }

    fn finish(self, registers: &[RegisterSlot], ctx: &mut ExecContext<'_>) {
        let Some(sanitizer) = &mut ctx.sanitizer else { return };
        let statement = sanitizer.report.visit.statement;
        for (&register, bits) in registers.iter().zip(self.results) {
            sanitizer.undefined.add_result(register, bits, statement, Cause::Memory);
        }
        if let Some(visible) = self.visible {
            (sanitizer.undefined.store, sanitizer.undefined.visible) = (Some(visible), visible.lanes);
        }
    }
}

/// `movmatrix`: a lane passes two adjacent elements of a row and receives two adjacent elements of a column.
pub(crate) fn transpose(s: &Slots, r: &mut Registers, mask: u32) {
    let a = *r.get::<u32>(s.a);
    let element = |row: usize, column: usize| a[row * 4 + column / 2] >> (16 * (column % 2)) & 0xffff;
    let moved: PerLane<u32> = std::array::from_fn(|lane| {
        let (row, column) = (lane / 4, 2 * (lane % 4));
        element(column, row) | element(column + 1, row) << 16
    });
    r.set(s.d, mask, &moved);
}

/// `ldmatrix` and `stmatrix`: lane `8m + i` has the address of row `i` of matrix `m`. Lane `L` holds elements `2 (L % 4)`
/// and `2 (L % 4) + 1` of row `L / 4`, or of that column. Byte matrices have four elements per lane; a store takes them from
/// two columns.
pub(crate) fn access(op: &MatrixAccess, r: &mut Registers, ctx: &mut ExecContext<'_>, mask: u32) -> Result {
    let addresses = addresses(&op.address, r, ctx.bases);
    let rows = u32::MAX >> (32 - 8 * op.registers.len());
    let kind = if op.store { AccessKind::Store } else { AccessKind::Load };
    let used = rows & mask;
    if used == 0 {
        return Ok(());
    }
    let stored = if op.store { stored_rows(op, r, mask) } else { [[0; 16]; WIDTH] };
    let mut undefined = Undefined::of(ctx);
    if op.store {
        undefined.storing(ctx, |stored, sources| undefined_rows(op, sources, stored));
    }
    let checked = ctx.resolve(&MemoryRequest {
        value: &|row, _| u128::from_le_bytes(stored[row]),
        ..MemoryRequest::new(kind, op.space, &addresses, (16, 1), used)
    })?;
    ctx.spaces.changes += u64::from(op.store);
    undefined.accessed(ctx, |loaded, results| *results = loaded_bits(op, loaded));
    undefined.finish(&op.registers, ctx);
    for (index, &register) in op.registers.iter().enumerate() {
        for lane in lanes(mask) {
            let mut word = 0;
            for part in 0..if op.rows == Rows::Halves { 2 } else { 4 } {
                let (row, column) = element(op, index, lane, part);
                let Some(extent) = extent(&checked, row, used) else { continue };
                let bits = if op.rows == Rows::Halves { 16 } else { 8 };
                if op.store {
                    let at = column * bits / 8;
                    let value = read(&stored[row], at as usize, bits / 8);
                    ctx.spaces.write(extent, ctx.local, row, addresses[row] + u64::from(at), bits / 8, value);
                } else {
                    let value = field(op.rows, column, |at, size| {
                        ctx.spaces.read(extent, ctx.local, row, addresses[row] + u64::from(at), size)
                    });
                    word |= value << (bits * part);
                }
            }
            if !op.store {
                put(register, r, lane, word.into());
            }
        }
    }
    Ok(())
}

/// The undefined bits of the registers that `ldmatrix` loads; `loaded` has the rows for each undefined byte.
#[cold]
fn loaded_bits(op: &MatrixAccess, loaded: &[u32; 32]) -> Vec<PerLane<u64>> {
    let (bits, parts) = if op.rows == Rows::Halves { (16, 2) } else { (8, 4) };
    let undefined = |index: usize, lane: usize| {
        (0..parts).fold(0, |word, part| {
            let (row, column) = element(op, index, lane, part);
            let byte = |at: u32| u64::from(loaded[at as usize].checked_shr(row as u32).unwrap_or(0) & 1);
            let read = |at: u32, size: u32| {
                (0..size).fold(0, |all, next| all | (0xff * byte(at + next)) << (8 * next))
            };
            word | u64::from(field(op.rows, column, read)) << (bits * part)
        })
    };
    (0..op.registers.len()).map(|index| std::array::from_fn(|lane| undefined(index, lane))).collect()
}

/// Adds the rows for each undefined byte that `stmatrix` stores.
#[cold]
fn undefined_rows(op: &MatrixAccess, sources: &[PerLane<u64>], stored: &mut [u32; 32]) {
    let (bits, parts) = if op.rows == Rows::Halves { (16, 2) } else { (8, 4) };
    for (index, words) in sources.iter().enumerate() {
        for (lane, word) in words.iter().enumerate() {
            for part in 0..parts {
                let (row, column) = element(op, index, lane, part);
                for byte in (0..bits / 8).filter(|byte| word >> (bits * part + 8 * byte) & 0xff != 0) {
                    stored[(column * bits / 8 + byte) as usize] |= 1u32.checked_shl(row as u32).unwrap_or(0);
                }
            }
        }
    }
}

/// The bytes of each row that `stmatrix` stores, by the lane that has its address.
fn stored_rows(op: &MatrixAccess, r: &Registers, mask: u32) -> [[u8; 16]; WIDTH] {
    let mut rows = [[0; 16]; WIDTH];
    let (bits, parts) = if op.rows == Rows::Halves { (16, 2) } else { (8, 4) };
    for (index, &register) in op.registers.iter().enumerate() {
        for lane in lanes(mask) {
            let word = get(register, r, lane) as u32;
            for part in 0..parts {
                let (row, column) = element(op, index, lane, part);
                let value = u64::from(word >> (bits * part) & ((1 << bits) - 1));
                if let Some(row) = rows.get_mut(row) {
                    write(row, (column * bits / 8) as usize, bits / 8, value);
                }
            }
        }
    }
    rows
}

/// For part `part` of a lane's register, the row (as the lane that has its address) and the element in the row.
fn element(op: &MatrixAccess, index: usize, lane: usize, part: u32) -> (usize, u32) {
    let (g, t, e) = (lane / 4, lane % 4, part as usize);
    match op.rows {
        Rows::Halves if op.transposed => (8 * index + 2 * t + e, g as u32),
        Rows::Halves => (8 * index + g, (2 * t + e) as u32),
        // Eight rows: the bytes of columns `g` and `g + 8` of each.
        _ if op.store => (8 * index + 2 * t + e % 2, (g + 8 * (e / 2)) as u32),
        // Sixteen rows, in two registers.
        _ if op.transposed => (index / 2 * 16 + 4 * t + e, (g + 8 * (index % 2)) as u32),
        _ => (8 * index + g, (4 * t + e) as u32),
    }
}

fn field(rows: Rows, column: u32, read: impl Fn(u32, u32) -> u64) -> u32 {
    match rows {
        Rows::Halves => read(2 * column, 2) as u32,
        Rows::Bytes => read(column, 1) as u32,
        Rows::Fours => (read(column / 2, 1) >> (column % 2 * 4) & 0xf) as u32,
        Rows::Sixes => {
            let bit = 6 * column;
            let (low, high) = (read(bit / 8, 1), read(bit / 8 + 1, 1));
            ((low | high << 8) >> (bit % 8) & 0x3f) as u32
        }
    }
}

/// The row that this lane addresses; `None` if the lane does not participate.
fn extent(checked: &CheckedAddresses, lane: usize, used: u32) -> Option<Extent> {
    if lane < WIDTH && used >> lane & 1 == 1 { checked.of(lane) } else { None }
}
