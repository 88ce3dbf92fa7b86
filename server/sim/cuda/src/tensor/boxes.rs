//! The elements of a tensor copy: which bytes of global memory are copied, and where they are in shared memory.

use crate::tensor::box_mode::BoxMode;
use crate::tensor::map::{Im2col, TensorMap};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoxRun {
    /// The address in global memory; `None` outside the tensor.
    pub global: Option<u64>,
    /// The offset from the start of the tile in shared memory, before the swizzle.
    pub shared: u64,
    /// Bytes in global memory. Shared memory has as many, unless elements are padded.
    pub len: u64,
}

/// Counts the rows of a box without listing them.
pub fn row_count(map: &TensorMap, mode: BoxMode, coordinates: &[i32]) -> u64 {
    match (mode, map.im2col) {
        (BoxMode::Im2col, Some(im2col)) => im2col.pixels.into(),
        (BoxMode::Rows, _) => coordinates.len() as u64 - 1,
        _ => counts(map).iter().fold(1, |rows, &count| rows.saturating_mul(count)),
    }
}

/// The runs of a box. There are as many as rows, and the caller has checked that the rows fit in shared memory.
pub fn runs(map: &TensorMap, mode: BoxMode, coordinates: &[i32], offsets: &[u32]) -> Vec<BoxRun> {
    let rows: Vec<Option<u64>> = match (mode, map.im2col) {
        (BoxMode::Im2col, Some(im2col)) => pixels(map, im2col, coordinates, offsets),
        (BoxMode::Rows, _) => coordinates[1..].iter().map(|&row| position(map, &[i64::from(row)])).collect(),
        _ => tile(map, coordinates),
    };
    let mut runs = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        inner(map, *row, coordinates[0].into(), index as u64 * map.row_bytes() as u64, &mut runs);
    }
    runs
}

/// Number of positions of a tiled box in each dimension, from dimension 1 on.
fn counts(map: &TensorMap) -> Vec<u64> {
    let count = |d: usize| u64::from(map.extents[d]).div_ceil(u64::from(map.element_strides[d].max(1)));
    (1..usize::from(map.rank)).map(count).collect()
}

/// The address of a row's first element; `None` outside the tensor. Coordinates start at dimension 1.
fn position(map: &TensorMap, coordinates: &[i64]) -> Option<u64> {
    let mut address = map.address;
    for (index, &coordinate) in coordinates.iter().enumerate() {
        if coordinate < 0 || coordinate as u64 >= map.dims[index + 1] {
            return None;
        }
        address = address.wrapping_add((coordinate as u64).wrapping_mul(map.strides[index]));
    }
    Some(address)
}

/// The rows of a tiled box, dimension 1 fastest.
fn tile(map: &TensorMap, coordinates: &[i32]) -> Vec<Option<u64>> {
    let rank = usize::from(map.rank);
    let counts = counts(map);
    let rows: u64 = counts.iter().product();
    let row = |number: u64| {
        let mut rest = number;
        let mut at = [0; 4];
        for (d, &count) in counts.iter().enumerate() {
            let index = (rest % count) as i64;
            rest /= count;
            at[d] = i64::from(coordinates[d + 1]) + index * i64::from(map.element_strides[d + 1]);
        }
        position(map, &at[..rank - 1])
    };
    (0..rows).map(row).collect()
}

/// The pixels of an im2col copy. The traversal wraps within the bounding box; the offsets are added afterwards and do not
/// wrap.
fn pixels(map: &TensorMap, im2col: Im2col, coordinates: &[i32], offsets: &[u32]) -> Vec<Option<u64>> {
    let rank = usize::from(map.rank);
    let spatial = rank - 2;
    let first = |axis: usize| i64::from(im2col.lower[axis]);
    let last = |axis: usize| map.dims[axis + 1] as i64 - 1 + i64::from(im2col.upper[axis]);
    let mut at: Vec<i64> = coordinates[1..].iter().map(|&coordinate| coordinate.into()).collect();
    let mut pixels = Vec::with_capacity(im2col.pixels.into());
    for _ in 0..im2col.pixels {
        let mut shifted = at.clone();
        for (position, offset) in shifted.iter_mut().zip(offsets) {
            *position += i64::from(*offset);
        }
        pixels.push(position(map, &shifted));
        let mut axis = 0;
        loop {
            if axis == spatial {
                at[axis] += 1;
                break;
            }
            at[axis] += i64::from(map.element_strides[axis + 1]);
            if at[axis] <= last(axis) {
                break;
            }
            at[axis] = first(axis);
            axis += 1;
        }
    }
    pixels
}

/// The runs of a row: the elements before the tensor, inside it, and after it.
fn inner(map: &TensorMap, row: Option<u64>, start: i64, shared: u64, runs: &mut Vec<BoxRun>) {
    let element = map.element;
    let unit = element.unit() as i64;
    let (from_bytes, to_bytes) = (element.global_bytes() as i64, element.shared_bytes() as u64);
    let count = map.inner_bytes() as i64 / to_bytes as i64;
    let (start, limit) = (start.div_euclid(unit), (map.dims[0] as i64) / unit);
    let begin = (-start).clamp(0, count);
    let end = (limit - start).clamp(begin, count);
    let parts = match row {
        Some(row) => [(None, 0, begin), (Some(row), begin, end), (None, end, count)],
        None => [(None, 0, count), (None, 0, 0), (None, 0, 0)],
    };
    for (row, from, to) in parts.into_iter().filter(|(_, from, to)| from < to) {
        // Padded units are not contiguous in shared memory.
        let step = if element.is_padded() { 1 } else { to - from };
        for at in (from..to).step_by(step as usize) {
            runs.push(BoxRun {
                global: row.map(|row| row.wrapping_add_signed((start + at) * from_bytes)),
                shared: shared + at as u64 * to_bytes,
                len: (step * from_bytes) as u64,
            });
        }
    }
}
