//! Matrices spread over the lanes of a warp: loaded, stored, transposed and multiplied.

use super::execute::{Surroundings, get, put};
use super::fault::Fault;
use super::spaces::{Checked, Extent, Use, addresses};
use crate::ptx::program::{MatrixAccess, MatrixProduct};
use crate::ptx::registers::{Lanes, Registers, Slots, WIDTH, lanes};

/// `mma`
pub(crate) fn multiply(op: &MatrixProduct, r: &mut Registers, mask: u32) {
    let mut results = Vec::new();
    let read =
        |which: usize, register: usize, lane: usize| get(op.registers[which][register], r, lane) as u64;
    op.product.compute(read, |register, lane, bits| results.push((register, lane, bits)));
    for (register, lane, bits) in results {
        if mask >> lane & 1 == 1 {
            put(op.registers[3][register], r, lane, bits.into());
        }
    }
}

/// `movmatrix`: a lane holds two neighbours of a row, and gets two neighbours of a column.
pub(crate) fn transpose(s: &Slots, r: &mut Registers, mask: u32) {
    let a = *r.get::<u32>(s.a);
    let element = |row: usize, column: usize| a[row * 4 + column / 2] >> (16 * (column % 2)) & 0xffff;
    let moved: Lanes<u32> = std::array::from_fn(|lane| {
        let (row, column) = (lane / 4, 2 * (lane % 4));
        element(column, row) | element(column + 1, row) << 16
    });
    r.set(s.d, mask, &moved);
}

/// `ldmatrix`, `stmatrix`: lane `8m + i` says where row `i` of matrix `m` is; lane `L` holds elements `2 (L % 4)` and the next
/// of row `L / 4`, or of the column of that number.
pub(crate) fn access(
    op: &MatrixAccess,
    r: &mut Registers,
    around: &mut Surroundings<'_>,
    mask: u32,
) -> Result<(), Fault> {
    let addresses = addresses(&op.address, r, around.frame_base);
    let rows = u32::MAX >> (32 - 8 * op.registers.len());
    let how = if op.store { Use::Store } else { Use::Load };
    let used = rows & mask;
    if used == 0 {
        return Ok(());
    }
    let checked = around.spaces.check(op.space, &addresses, 16, how, used, around.local)?;
    around.spaces.changes += u64::from(op.store);
    for (matrix, &register) in op.registers.iter().enumerate() {
        for lane in lanes(mask) {
            let mut word = if op.store { get(register, r, lane) as u32 } else { 0 };
            for part in 0..2 {
                let (mut row, mut column) = (lane / 4, 2 * (lane % 4) + part);
                if op.transposed {
                    (row, column) = (column, row);
                }
                let source = 8 * matrix + row;
                let Some(extent) = extent(&checked, source, used) else { continue };
                let address = addresses[source] + 2 * column as u64;
                if op.store {
                    let value = u64::from(word >> (16 * part) & 0xffff);
                    around.spaces.write(extent, around.local, source, address, 2, value);
                } else {
                    word |=
                        (around.spaces.read(extent, around.local, source, address, 2) as u32) << (16 * part);
                }
            }
            if !op.store {
                put(register, r, lane, word.into());
            }
        }
    }
    Ok(())
}

/// Where the row that a lane names is; nowhere if the lane does not take part.
fn extent(checked: &Checked, lane: usize, used: u32) -> Option<Extent> {
    match checked {
        _ if lane >= WIDTH || used >> lane & 1 == 0 => None,
        Checked::One(extent) => Some(*extent),
        Checked::Each(extents) => extents[lane],
    }
}
