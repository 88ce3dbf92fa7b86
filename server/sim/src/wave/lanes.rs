//! The register file of a wave, row by row, and loops over its lanes.
//!
//! A row has one word a lane, and operations go over all lanes of a row at once, so that the compiler makes vectors of them; the
//! mask only says which results are kept. What must not happen in lanes that are not running (memory, slow functions) goes
//! over [`lanes`] instead.

#![expect(
    clippy::needless_range_loop,
    reason = "a plain loop over lanes becomes vectors wherever it is inlined"
)]

use crate::trace::Mask;

use super::program::Row;

/// Loops go over rows in pieces that fit into the host's own registers, so a source may also be the destination without being
/// copied first.
const PART: usize = 8;

/// Bit `i` at index `i`: a table vectorises where a variable shift does not.
const BITS: [u32; 32] = {
    let mut bits = [0; 32];
    let mut lane = 0;
    while lane < 32 {
        bits[lane] = 1 << lane;
        lane += 1;
    }
    bits
};

/// The rows of one wave. `W` is 32 or 64; a narrower wave leaves the upper lanes unused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rows<const W: usize> {
    rows: Vec<[u32; W]>,
    /// The mask under which a row may be written as a whole.
    full: Mask,
}

/// The lanes of `mask`, lowest first.
#[inline(always)]
pub(crate) fn lanes(mask: Mask) -> Lanes {
    Lanes(mask)
}

/// See [`lanes`].
pub(crate) struct Lanes(Mask);

impl Iterator for Lanes {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let lane = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(lane as usize)
    }
}

/// A row, lane by lane. A plain loop becomes vector code where `std::array::from_fn` does not.
#[inline(always)]
pub(crate) fn row<const W: usize>(f: impl Fn(usize) -> u32) -> [u32; W] {
    let mut values = [0; W];
    for lane in 0..W {
        values[lane] = f(lane);
    }
    values
}

#[inline(always)]
fn piece<const W: usize>(row: &[u32; W], part: usize) -> [u32; PART] {
    row.as_chunks::<PART>().0[part]
}

impl<const W: usize> Rows<W> {
    /// Zeroed rows for a wave of `width` lanes.
    pub(crate) fn new(rows: usize, width: u32) -> Self {
        Rows { rows: vec![[0; W]; rows], full: Mask::MAX >> (64 - width) }
    }

    /// Every row, to compare and to fill.
    pub(crate) fn all(&self) -> &[[u32; W]] {
        &self.rows
    }

    #[inline(always)]
    pub(crate) fn get(&self, row: Row) -> &[u32; W] {
        &self.rows[row as usize]
    }

    /// Sets a row in all lanes, running or not.
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
        for part in 0..W / PART {
            let values = piece(values, part);
            self.write_piece(row, part, mask, |lane| values[lane]);
        }
    }

    /// Writes one value in the lanes of `mask`.
    #[inline(always)]
    pub(crate) fn write_one(&mut self, row: Row, value: u32, mask: Mask) {
        for part in 0..W / PART {
            self.write_piece(row, part, mask, |_| value);
        }
    }

    /// Writes the lanes of `mask` within one piece of a row.
    #[inline(always)]
    fn write_piece(&mut self, row: Row, part: usize, mask: Mask, f: impl Fn(usize) -> u32) {
        let target = &mut self.rows[row as usize].as_chunks_mut::<PART>().0[part];
        if mask == self.full {
            for lane in 0..PART {
                target[lane] = f(lane);
            }
            return;
        }
        let bits = (mask >> (PART * part)) as u32;
        let mut values = [0; PART];
        for lane in 0..PART {
            values[lane] = f(lane);
        }
        for lane in 0..PART {
            let keep = if bits & BITS[lane] != 0 { u32::MAX } else { 0 };
            target[lane] = values[lane] & keep | target[lane] & !keep;
        }
    }

    /// `d = f(a)` in the lanes of `mask`.
    #[inline(always)]
    pub(crate) fn map1(&mut self, mask: Mask, d: Row, a: Row, f: impl Fn(u32) -> u32) {
        for part in 0..W / PART {
            let a = piece(self.get(a), part);
            self.write_piece(d, part, mask, |lane| f(a[lane]));
        }
    }

    /// `d = f(a, b)` in the lanes of `mask`.
    #[inline(always)]
    pub(crate) fn map2(&mut self, mask: Mask, d: Row, [a, b]: [Row; 2], f: impl Fn(u32, u32) -> u32) {
        for part in 0..W / PART {
            let [a, b] = [a, b].map(|row| piece(self.get(row), part));
            self.write_piece(d, part, mask, |lane| f(a[lane], b[lane]));
        }
    }

    /// `d = f(a, b, c)` in the lanes of `mask`.
    #[inline(always)]
    pub(crate) fn map3(&mut self, mask: Mask, d: Row, sources: [Row; 3], f: impl Fn(u32, u32, u32) -> u32) {
        for part in 0..W / PART {
            let [a, b, c] = sources.map(|row| piece(self.get(row), part));
            self.write_piece(d, part, mask, |lane| f(a[lane], b[lane], c[lane]));
        }
    }

    /// `d = a` in the lanes of `mask` that are in `chosen`, `d = b` in the others.
    #[inline(always)]
    pub(crate) fn select(&mut self, mask: Mask, d: Row, [a, b]: [Row; 2], chosen: Mask) {
        for part in 0..W / PART {
            let [a, b] = [a, b].map(|row| piece(self.get(row), part));
            let bits = (chosen >> (PART * part)) as u32;
            self.write_piece(d, part, mask, |lane| if bits & BITS[lane] != 0 { a[lane] } else { b[lane] });
        }
    }

    /// The lanes in which `f(a, b)` holds; lanes that are not running too, for the caller to cut.
    #[inline(always)]
    pub(crate) fn test2(&self, a: Row, b: Row, f: impl Fn(u32, u32) -> bool) -> Mask {
        let (a, b) = (self.get(a), self.get(b));
        let mut mask = 0;
        for word in 0..W / 32 {
            // Bits are gathered side by side and joined once, which keeps the comparison in vectors.
            let mut bits = [0u32; PART];
            for part in 0..32 / PART {
                for lane in 0..PART {
                    let at = part * PART + lane;
                    bits[lane] |= if f(a[word * 32 + at], b[word * 32 + at]) { BITS[at] } else { 0 };
                }
            }
            let mut joined = 0;
            for lane in 0..PART {
                joined |= bits[lane];
            }
            mask |= Mask::from(joined) << (word * 32);
        }
        mask
    }

    /// As [`map1`](Self::map1), for an `f` so dear that only running lanes should pay for it.
    #[inline(always)]
    pub(crate) fn each1(&mut self, mask: Mask, d: Row, a: Row, f: impl Fn(u32) -> u32) {
        for lane in lanes(mask) {
            self.set(d, lane, f(self.get(a)[lane]));
        }
    }

    /// As [`map2`](Self::map2), for an `f` so dear that only running lanes should pay for it.
    #[inline(always)]
    pub(crate) fn each2(&mut self, mask: Mask, d: Row, [a, b]: [Row; 2], f: impl Fn(u32, u32) -> u32) {
        for lane in lanes(mask) {
            self.set(d, lane, f(self.get(a)[lane], self.get(b)[lane]));
        }
    }

    /// As [`map3`](Self::map3), for an `f` so dear that only running lanes should pay for it.
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
    fn lanes_of_a_mask() {
        assert_eq!(lanes(0).count(), 0);
        assert_eq!(lanes(1 << 63 | 0b101).collect::<Vec<_>>(), [0, 2, 63]);
    }

    #[test]
    fn writes_touch_only_the_lanes_of_the_mask() {
        let mut rows = Rows::<64>::new(2, 40);
        rows.write(1, &[7; 64], 1 << 39 | 1);
        assert_eq!(rows.test2(1, 0, |a, b| a == 7 && b == 0), 1 << 39 | 1);
        rows.map2(Mask::MAX >> 24, 0, [1, 1], |a, b| a + b + 1);
        assert_eq!(rows.get(0)[0], 15);
        assert_eq!(rows.get(0)[1], 1);
    }
}
