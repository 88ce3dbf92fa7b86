//! The register file of a wave, row by row, and loops over its lanes.
//!
//! A row has one word for each lane. Operations compute all lanes of a row at once, so that the compiler
//! vectorizes them; the mask selects which results are written. Operations that must not run in inactive
//! lanes (memory accesses, slow functions) iterate over [`lanes`] instead.
//!
//! The loops over a row are plain loops over all its lanes that write to a separate row. The compiler
//! vectorizes such loops at level 2, which release builds use. It would unroll shorter loops first, and
//! vectorize them only at level 3.

#![expect(
    clippy::needless_range_loop,
    reason = "a plain loop over lanes becomes vectors wherever it is inlined"
)]

use pulp::Simd;
use warplens_sim_warp::lane_masks::{self, mask_of};
use warplens_sim_warp::lane_row::LaneRow;
use warplens_sim_warp::trace::Mask;

use super::op::Row;
pub(crate) use warplens_sim_warp::lane_iter::lanes;

/// The rows of one wave. `W` is 32 or 64; a narrower wave leaves the upper lanes unused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rows<const W: usize> {
    rows: Vec<LaneRow<u32, W>>,
}

/// Computes a row lane by lane. The compiler vectorizes a plain loop, but not `std::array::from_fn`.
#[inline(always)]
pub(crate) fn row<const W: usize>(f: impl Fn(usize) -> u32) -> [u32; W] {
    let mut values = [0; W];
    for lane in 0..W {
        values[lane] = f(lane);
    }
    values
}

/// All ones in the lanes of `mask`, zero in the others.
#[inline(always)]
fn expand_mask<const W: usize>(mask: Mask) -> [i32; W] {
    let mut lanes = [0; W];
    for (word, lanes) in lanes.as_chunks_mut().0.iter_mut().enumerate() {
        *lanes = lane_masks::expand_mask((mask >> (word * 32)) as u32);
    }
    lanes
}

/// The lanes whose word is all ones; the words of the others are 0.
#[inline(always)]
fn set_lanes<S: Simd, const W: usize>(simd: S, words: &[u32; W]) -> Mask {
    let words = words.as_chunks::<32>().0.iter().rev();
    words.fold(0, |mask, word| mask.unbounded_shl(32) | Mask::from(mask_of(simd, word)))
}

/// The lanes of `mask` in which a condition holds.
pub(crate) fn filter_lanes(mask: Mask, holds: impl Fn(usize) -> bool) -> Mask {
    lanes(mask).filter(|lane| holds(*lane)).fold(0, |mask, lane| mask | 1 << lane)
}

impl<const W: usize> Rows<W> {
    const FULL: Mask = Mask::MAX >> (Mask::BITS as usize - W);

    pub(crate) fn new(rows: usize) -> Self {
        Rows { rows: vec![LaneRow::all(0); rows] }
    }

    #[inline(always)]
    pub(crate) fn get(&self, row: Row) -> &[u32; W] {
        &self.rows[row as usize]
    }

    /// Not generic over an operation, so that it is compiled once for all of them.
    #[inline(always)]
    fn rows<const N: usize>(&self, rows: [Row; N]) -> [&[u32; W]; N] {
        rows.map(|row| self.get(row))
    }

    /// Sets a row in all lanes, active or not.
    pub(crate) fn fill(&mut self, row: Row, value: u32) {
        self.rows[row as usize] = LaneRow::all(value);
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, row: Row, lane: usize, value: u32) {
        self.rows[row as usize][lane] = value;
    }

    #[inline(always)]
    pub(crate) fn write(&mut self, row: Row, values: &[u32; W], mask: Mask) {
        let target = &mut self.rows[row as usize];
        if mask == Self::FULL {
            **target = *values;
            return;
        }
        let keep = expand_mask::<W>(mask);
        for lane in 0..W {
            let keep = keep[lane] as u32;
            target[lane] = values[lane] & keep | target[lane] & !keep;
        }
    }

    /// Writes one value to the lanes of `mask`.
    #[inline(always)]
    pub(crate) fn write_one(&mut self, row: Row, value: u32, mask: Mask) {
        self.write(row, &[value; W], mask);
    }

    /// `d = f(a)` in the lanes of `mask`.
    #[inline(always)]
    pub(crate) fn map1(&mut self, mask: Mask, d: Row, a: Row, f: impl Fn(u32) -> u32) {
        let a = self.get(a);
        let values = row(|lane| f(a[lane]));
        self.write(d, &values, mask);
    }

    /// `d = f(a, b)` in the lanes of `mask`.
    #[inline(always)]
    pub(crate) fn map2(&mut self, mask: Mask, d: Row, sources: [Row; 2], f: impl Fn(u32, u32) -> u32) {
        let [a, b] = self.rows(sources);
        let values = row(|lane| f(a[lane], b[lane]));
        self.write(d, &values, mask);
    }

    /// `d = f(a, b, c)` in the lanes of `mask`.
    #[inline(always)]
    pub(crate) fn map3(&mut self, mask: Mask, d: Row, sources: [Row; 3], f: impl Fn(u32, u32, u32) -> u32) {
        let [a, b, c] = self.rows(sources);
        let values = row(|lane| f(a[lane], b[lane], c[lane]));
        self.write(d, &values, mask);
    }

    /// `d = a` in the lanes of `mask` that are in `chosen`, `d = b` in the other lanes of `mask`.
    #[inline(always)]
    pub(crate) fn select(&mut self, mask: Mask, d: Row, [a, b]: [Row; 2], chosen: Mask) {
        let first = expand_mask::<W>(chosen);
        let (a, b) = (self.get(a), self.get(b));
        let values = row(|lane| {
            let first = first[lane] as u32;
            a[lane] & first | b[lane] & !first
        });
        self.write(d, &values, mask);
    }

    /// The lanes in which `f(a, b)` holds, including inactive ones: the caller masks the result.
    #[inline(always)]
    pub(crate) fn test2<S: Simd>(&self, simd: S, a: Row, b: Row, f: impl Fn(u32, u32) -> bool) -> Mask {
        let (a, b) = (self.get(a), self.get(b));
        set_lanes(simd, &row::<W>(|lane| u32::from(f(a[lane], b[lane])).wrapping_neg()))
    }

    /// Like [`map1`](Self::map1), for an expensive `f` that should run only in active lanes.
    #[inline(always)]
    pub(crate) fn each1(&mut self, mask: Mask, d: Row, a: Row, f: impl Fn(u32) -> u32) {
        for lane in lanes(mask) {
            self.set(d, lane, f(self.get(a)[lane]));
        }
    }

    /// Like [`map2`](Self::map2), for an expensive `f` that should run only in active lanes.
    #[inline(always)]
    pub(crate) fn each2(&mut self, mask: Mask, d: Row, [a, b]: [Row; 2], f: impl Fn(u32, u32) -> u32) {
        for lane in lanes(mask) {
            self.set(d, lane, f(self.get(a)[lane], self.get(b)[lane]));
        }
    }

    /// Like [`map3`](Self::map3), for an expensive `f` that should run only in active lanes.
    #[inline(always)]
    pub(crate) fn each3(&mut self, mask: Mask, d: Row, sources: [Row; 3], f: impl Fn(u32, u32, u32) -> u32) {
        for lane in lanes(mask) {
            let [a, b, c] = self.rows(sources);
            self.set(d, lane, f(a[lane], b[lane], c[lane]));
        }
    }

    /// One lane of a pair of rows as a 64-bit value, low word first.
    #[inline(always)]
    pub(crate) fn pair(&self, [low, high]: [Row; 2], lane: usize) -> u64 {
        u64::from(self.get(low)[lane]) | u64::from(self.get(high)[lane]) << 32
    }

    #[inline(always)]
    pub(crate) fn set_pair(&mut self, [low, high]: [Row; 2], lane: usize, value: u64) {
        self.set(low, lane, value as u32);
        self.set(high, lane, (value >> 32) as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_touch_only_the_lanes_of_the_mask() {
        let mut rows = Rows::<64>::new(2);
        rows.write(1, &[7; 64], 1 << 39 | 1);
        assert_eq!(rows.test2(pulp::Scalar::new(), 1, 0, |a, b| a == 7 && b == 0), 1 << 39 | 1);
        rows.map2(Mask::MAX >> 24, 0, [1, 1], |a, b| a + b + 1);
        assert_eq!(rows.get(0)[0], 15);
        assert_eq!(rows.get(0)[1], 1);
    }
}
