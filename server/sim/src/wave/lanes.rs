//! The register file of a wave, row by row, and loops over its lanes.
//!
//! A row has one word a lane. Operations compute all lanes of a row at once, so that the compiler vectorizes them; the mask
//! selects the results that are written. Operations that must not run in inactive lanes (memory accesses, slow functions) iterate
//! over [`lanes`] instead.

#![expect(
    clippy::needless_range_loop,
    reason = "a plain loop over lanes becomes vectors wherever it is inlined"
)]

use crate::trace::Mask;

use super::program::Row;
pub(crate) use crate::warp::lanes::lanes;

/// Loops process rows in chunks that fit the host's vector registers, so a source may also be the destination without a copy.
const CHUNK: usize = 8;

/// Bit `i` at index `i`: a table vectorises where a variable shift does not.
const BITS: [u32; 32] = bits(0);
/// The same, rotated left by one.
const ROTATED_BITS: [u32; 32] = bits(1);

const fn bits(rotation: u32) -> [u32; 32] {
    let mut bits = [0; 32];
    let mut lane = 0;
    while lane < 32 {
        bits[lane as usize] = 1u32.rotate_left(lane + rotation);
        lane += 1;
    }
    bits
}

/// The rows of one wave. `W` is 32 or 64; a narrower wave leaves the upper lanes unused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rows<const W: usize> {
    rows: Vec<[u32; W]>,
}

/// A row computed lane by lane. A plain loop vectorizes where `std::array::from_fn` does not.
#[inline(always)]
pub(crate) fn row<const W: usize>(f: impl Fn(usize) -> u32) -> [u32; W] {
    let mut values = [0; W];
    for lane in 0..W {
        values[lane] = f(lane);
    }
    values
}

#[inline(always)]
fn chunk<const W: usize>(row: &[u32; W], part: usize) -> [u32; CHUNK] {
    row.as_chunks::<CHUNK>().0[part]
}

/// All ones in the lanes of `mask`. Computed once for a whole row: per chunk it becomes much longer code.
#[inline(always)]
fn expand_mask<const W: usize>(mask: Mask) -> [u32; W] {
    let mut kept = [0; W];
    for word in 0..W / 32 {
        let bits = (mask >> (word * 32)) as u32;
        for lane in 0..32 {
            kept[word * 32 + lane] = if bits & BITS[lane] != 0 { u32::MAX } else { 0 };
        }
    }
    kept
}

impl<const W: usize> Rows<W> {
    /// Zeroed rows.
    pub(crate) fn new(rows: usize) -> Self {
        Rows { rows: vec![[0; W]; rows] }
    }

    #[inline(always)]
    pub(crate) fn get(&self, row: Row) -> &[u32; W] {
        &self.rows[row as usize]
    }

    /// Sets a row in all lanes, active or not.
    pub(crate) fn fill(&mut self, row: Row, value: u32) {
        self.rows[row as usize] = [value; W];
    }

    /// Sets one lane.
    #[inline(always)]
    pub(crate) fn set(&mut self, row: Row, lane: usize, value: u32) {
        self.rows[row as usize][lane] = value;
    }

    /// Writes `values` in the lanes of `mask`.
    #[inline(always)]
    pub(crate) fn write(&mut self, row: Row, values: &[u32; W], mask: Mask) {
        let keep = expand_mask(mask);
        for part in 0..W / CHUNK {
            let values = chunk(values, part);
            self.write_chunk(row, part, &keep, |lane| values[lane]);
        }
    }

    /// Writes one value in the lanes of `mask`.
    #[inline(always)]
    pub(crate) fn write_one(&mut self, row: Row, value: u32, mask: Mask) {
        let keep = expand_mask(mask);
        for part in 0..W / CHUNK {
            self.write_chunk(row, part, &keep, |_| value);
        }
    }

    /// Writes the lanes of one chunk of a row where `keep` is all ones.
    #[inline(always)]
    fn write_chunk(&mut self, row: Row, part: usize, keep: &[u32; W], f: impl Fn(usize) -> u32) {
        let keep = chunk(keep, part);
        let target = &mut self.rows[row as usize].as_chunks_mut::<CHUNK>().0[part];
        for lane in 0..CHUNK {
            target[lane] = f(lane) & keep[lane] | target[lane] & !keep[lane];
        }
    }

    /// `d = f(a)` in the lanes of `mask`.
    #[inline(always)]
    pub(crate) fn map1(&mut self, mask: Mask, d: Row, a: Row, f: impl Fn(u32) -> u32) {
        let keep = expand_mask(mask);
        for part in 0..W / CHUNK {
            let a = chunk(self.get(a), part);
            self.write_chunk(d, part, &keep, |lane| f(a[lane]));
        }
    }

    /// `d = f(a, b)` in the lanes of `mask`.
    #[inline(always)]
    pub(crate) fn map2(&mut self, mask: Mask, d: Row, [a, b]: [Row; 2], f: impl Fn(u32, u32) -> u32) {
        let keep = expand_mask(mask);
        for part in 0..W / CHUNK {
            let [a, b] = [a, b].map(|row| chunk(self.get(row), part));
            self.write_chunk(d, part, &keep, |lane| f(a[lane], b[lane]));
        }
    }

    /// `d = f(a, b, c)` in the lanes of `mask`.
    #[inline(always)]
    pub(crate) fn map3(&mut self, mask: Mask, d: Row, sources: [Row; 3], f: impl Fn(u32, u32, u32) -> u32) {
        let keep = expand_mask(mask);
        for part in 0..W / CHUNK {
            let [a, b, c] = sources.map(|row| chunk(self.get(row), part));
            self.write_chunk(d, part, &keep, |lane| f(a[lane], b[lane], c[lane]));
        }
    }

    /// `d = a` in the lanes of `mask` that are in `chosen`, `d = b` in the others.
    #[inline(always)]
    pub(crate) fn select(&mut self, mask: Mask, d: Row, [a, b]: [Row; 2], chosen: Mask) {
        let (keep, first) = (expand_mask(mask), expand_mask::<W>(chosen));
        for part in 0..W / CHUNK {
            let [a, b] = [a, b].map(|row| chunk(self.get(row), part));
            let first = chunk(&first, part);
            self.write_chunk(d, part, &keep, |lane| a[lane] & first[lane] | b[lane] & !first[lane]);
        }
    }

    /// The lanes in which `f(a, b)` holds, inactive lanes included: the caller masks the result.
    #[inline(always)]
    pub(crate) fn test2(&self, a: Row, b: Row, f: impl Fn(u32, u32) -> bool) -> Mask {
        let (a, b) = (self.get(a), self.get(b));
        let mut mask = 0;
        for word in 0..W / 32 {
            // Vectors of bits, combined lane by lane and only then into one word. The bits are rotated, and rotated back when
            // combined: otherwise the compiler first widens them to the size of a mask.
            let mut bits = [0; 32];
            for lane in 0..32 {
                let at = word * 32 + lane;
                bits[lane] = if f(a[at], b[at]) { ROTATED_BITS[lane] } else { 0 };
            }
            let mut joined = [0; CHUNK];
            for lane in 0..CHUNK {
                joined[lane] = bits[lane] | bits[lane + 8] | bits[lane + 16] | bits[lane + 24];
            }
            let joined = joined.iter().fold(0u32, |all, bits| all | bits);
            mask |= Mask::from(joined.rotate_right(1)) << (word * 32);
        }
        mask
    }

    /// As [`map1`](Self::map1), for an expensive `f` that should run in active lanes only.
    #[inline(always)]
    pub(crate) fn each1(&mut self, mask: Mask, d: Row, a: Row, f: impl Fn(u32) -> u32) {
        for lane in lanes(mask) {
            self.set(d, lane, f(self.get(a)[lane]));
        }
    }

    /// As [`map2`](Self::map2), for an expensive `f` that should run in active lanes only.
    #[inline(always)]
    pub(crate) fn each2(&mut self, mask: Mask, d: Row, [a, b]: [Row; 2], f: impl Fn(u32, u32) -> u32) {
        for lane in lanes(mask) {
            self.set(d, lane, f(self.get(a)[lane], self.get(b)[lane]));
        }
    }

    /// As [`map3`](Self::map3), for an expensive `f` that should run in active lanes only.
    #[inline(always)]
    pub(crate) fn each3(&mut self, mask: Mask, d: Row, sources: [Row; 3], f: impl Fn(u32, u32, u32) -> u32) {
        for lane in lanes(mask) {
            let [a, b, c] = sources.map(|row| self.get(row)[lane]);
            self.set(d, lane, f(a, b, c));
        }
    }

    /// A pair of rows as 64-bit values in one lane, low word first.
    #[inline(always)]
    pub(crate) fn pair(&self, [low, high]: [Row; 2], lane: usize) -> u64 {
        u64::from(self.get(low)[lane]) | u64::from(self.get(high)[lane]) << 32
    }

    /// Sets a pair of rows in one lane.
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
        assert_eq!(rows.test2(1, 0, |a, b| a == 7 && b == 0), 1 << 39 | 1);
        rows.map2(Mask::MAX >> 24, 0, [1, 1], |a, b| a + b + 1);
        assert_eq!(rows.get(0)[0], 15);
        assert_eq!(rows.get(0)[1], 1);
    }
}
