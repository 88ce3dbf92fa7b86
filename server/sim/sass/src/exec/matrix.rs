//! Matrices whose elements are distributed across the lanes of a warp.

use warplens_sim_cuda::registers::PerLane;
use warplens_sim_cuda::semantics::matrix::{Product, Words};

use super::context::{ExecContext, Executed};
use super::memory::load_rows;
use crate::program::{MatrixLoad, Operation};
use crate::registers::Registers;

/// `LDSM` loads 8 x 8 matrices of 16-bit elements. Lanes 0 to 7 have the row addresses of the first matrix,
/// lanes 8 to 15 of the second, and so on.
pub(super) fn load(load: &MatrixLoad, r: &mut Registers, ctx: &mut ExecContext<'_>, mask: u32) -> Executed {
    let used = u32::MAX >> (32 - 8 * u32::from(load.count).clamp(1, 4));
    let rows = load_rows(&load.address, r, ctx, mask & used)?;
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

/// `HMMA`, `IMMA`
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
