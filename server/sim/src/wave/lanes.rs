//! The register file of a wave, lane by lane: one row of `W` values for every register, constant and scratch register.
//!
//! Loops here run over all `W` lanes, with the mask applied when the result is written, so that they become vector code;
//! whoever computes something dear or something with effects goes through [`lanes`] instead.

use crate::trace::Mask;

use super::program::Row;

/// The rows of one wave. `W` is 32 or 64; a narrower wave leaves the upper lanes unused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rows<const W: usize> {
    rows: Vec<[u32; W]>,
    /// The mask under which a row may be written as a whole.
    full: Mask,
}

/// The lanes of `mask`, lowest first.
pub(crate) fn lanes(mut mask: Mask) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (lane < 64).then_some(lane)
    })
}

/// A row, lane by lane. A plain loop becomes vector code where `std::array::from_fn` does not.
#[inline(always)]
pub(crate) fn row<const W: usize>(f: impl Fn(usize) -> u32) -> [u32; W] {
    let mut values = [0; W];
    for (lane, value) in values.iter_mut().enumerate() {
        *value = f(lane);
    }
    values
}

/// The mask of the lanes for which `f` holds.
#[inline(always)]
pub(crate) fn where_true<const W: usize>(f: impl Fn(usize) -> bool) -> Mask {
    let mut mask = 0;
    for word in 0..W / 32 {
        let mut bits = 0u32;
        for bit in 0..32 {
            bits |= if f(word * 32 + bit) { 1 << bit } else { 0 };
        }
        mask |= Mask::from(bits) << (word * 32);
    }
    mask
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
        let target = &mut self.rows[row as usize];
        if mask == self.full {
            *target = *values;
            return;
        }
        for word in 0..W / 32 {
            let bits = (mask >> (word * 32)) as u32;
            for bit in 0..32 {
                let lane = word * 32 + bit;
                target[lane] = if bits & 1 << bit != 0 { values[lane] } else { target[lane] };
            }
        }
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
    pub(crate) fn map2(&mut self, mask: Mask, d: Row, [a, b]: [Row; 2], f: impl Fn(u32, u32) -> u32) {
        let (a, b) = (self.get(a), self.get(b));
        let values = row(|lane| f(a[lane], b[lane]));
        self.write(d, &values, mask);
    }

    /// `d = f(a, b, c)` in the lanes of `mask`.
    #[inline(always)]
    pub(crate) fn map3(&mut self, mask: Mask, d: Row, sources: [Row; 3], f: impl Fn(u32, u32, u32) -> u32) {
        let [a, b, c] = sources.map(|row| self.get(row));
        let values = row(|lane| f(a[lane], b[lane], c[lane]));
        self.write(d, &values, mask);
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
        assert_eq!(where_true::<64>(|lane| rows.get(1)[lane] == 7), 1 << 39 | 1);
        rows.map2(Mask::MAX >> 24, 0, [1, 1], |a, b| a + b + 1);
        assert_eq!(rows.get(0)[0], 15);
        assert_eq!(rows.get(0)[1], 1);
    }
}
