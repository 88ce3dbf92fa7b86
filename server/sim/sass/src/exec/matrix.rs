//! Matrices whose elements are distributed across the lanes of a warp.

use warplens_sim_cuda::registers::PerLane;
use warplens_sim_cuda::semantics::matrix::{Product, Words};

use super::context::{ExecContext, Executed};
use super::memory::{load_rows, store_rows};
use crate::program::{MatrixAccess, Operation};
use crate::registers::Registers;

/// `LDSM` loads 8 x 8 matrices of 16-bit elements. Lanes 0 to 7 have the row addresses of the first matrix,
/// lanes 8 to 15 of the second, and so on.
pub(super) fn load(load: &MatrixAccess, r: &mut Registers, ctx: &mut ExecContext<'_>, mask: u32) -> Executed {
    let rows = load_rows(&load.address, r, ctx, mask & row_lanes(load))?;
    for matrix in 0..usize::from(load.count) {
        let element = |row: usize, column: usize| {
            let bytes = &rows[8 * matrix + row];
            u32::from(bytes[2 * column]) | u32::from(bytes[2 * column + 1]) << 8
        };
        let word = |lane: usize| {
            let (outer, inner) = (lane / 4, 2 * (lane % 4));
            match load.transposed {
                false => element(outer, inner) | element(outer, inner + 1) << 16,
                true => element(inner, outer) | element(inner + 1, outer) << 16,
            }
        };
        r.set(load.data + matrix as u16, mask, &std::array::from_fn(word));
    }
    Ok(())
}

/// `STSM` stores 8 x 8 matrices of 16-bit elements, with the addresses of `LDSM`.
pub(super) fn store(store: &MatrixAccess, r: &Registers, ctx: &mut ExecContext<'_>, mask: u32) -> Executed {
    let row = |lane: usize| {
        let fragment = r.row(store.data + (lane / 8) as u16);
        let element = |row: usize, column: usize| fragment[4 * row + column / 2] >> (16 * (column % 2));
        std::array::from_fn(|byte| {
            let (row, column) = (lane % 8, byte / 2);
            let element = if store.transposed { element(column, row) } else { element(row, column) };
            (element >> (8 * (byte % 2))) as u8
        })
    };
    let mask = mask & row_lanes(store);
    let rows = std::array::from_fn(|lane| if mask >> lane & 1 == 1 { row(lane) } else { [0; 16] });
    store_rows(&store.address, &rows, r, ctx, mask)
}

/// The lanes that have the address of a row.
fn row_lanes(access: &MatrixAccess) -> u32 {
    u32::MAX >> (32 - 8 * u32::from(access.count).clamp(1, 4))
}

/// `MOVM.16.MT88`
pub(super) fn transpose(o: &Operation, r: &mut Registers, mask: u32) {
    let a = *r.row(o.s[0].row);
    let element = |row: usize, column: usize| a[4 * row + column / 2] >> (16 * (column % 2)) & 0xffff;
    let word = |lane: usize| {
        let (outer, inner) = (lane / 4, 2 * (lane % 4));
        element(inner, outer) | element(inner + 1, outer) << 16
    };
    r.set(o.d, mask, &std::array::from_fn(word));
}

/// `HMMA`, `IMMA`, `QMMA`
pub(super) fn multiply(product: &Product, o: &Operation, r: &mut Registers, mask: u32) {
    let [of_a, of_b, of_c, _] = product.matrices();
    let words = |index: usize, count: u32| -> Words {
        let word = |word: u16| -> PerLane<u64> { r.row(o.s[index].row + word).map(u64::from) };
        (0..count as u16).map(word).collect()
    };
    let results = product.compute(
        &words(0, of_a.registers),
        &words(1, of_b.registers),
        &words(2, of_c.registers),
        None,
    );
    for (word, values) in results.iter().enumerate() {
        r.set(o.d + word as u16, mask, &values.map(|value| value as u32));
    }
}
