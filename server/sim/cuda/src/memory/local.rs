//! Local memory of each thread: `.local` variables, stack, and the `.param` variables of calls.
//!
//! Stored as rows of 32 words, so that an access at one offset in all lanes moves whole rows. Rows that were never written
//! are zero and take no host memory.

use pulp::Scalar;

use super::local_frames::LocalFrames;
use super::zero_pages::ZeroPages;
use crate::registers::{LaneRow, PerLane, WIDTH, blend, lanes_where};

/// Limit of local memory per thread in bytes, as on hardware.
pub const MAX_LOCAL_BYTES: u32 = 512 << 10;

/// Rows of a page: 2 kB of host memory.
const PAGE: usize = 16;

static ZEROS: PerLane<u32> = [0; WIDTH];

#[derive(Clone, Debug, Default)]
pub struct Local {
    rows: ZeroPages<LaneRow<u32, WIDTH>, PAGE>,
    /// Bytes of a thread, a multiple of four.
    size: u64,
    /// The calls that use this memory.
    pub frames: LocalFrames,
}

impl Local {
    /// Grows to `bytes` bytes per thread.
    pub fn grow(&mut self, bytes: u32) {
        self.size = self.size.max(u64::from(bytes).next_multiple_of(4));
    }

    /// Resets to `bytes` zero bytes per thread, without calls.
    pub fn renew(&mut self, bytes: u32) {
        *self = Local::default();
        self.grow(bytes);
    }

    #[inline]
    pub fn bytes_per_thread(&self) -> u64 {
        self.size
    }

    /// Bytes of host memory.
    pub fn bytes(&self) -> u64 {
        self.rows.bytes()
    }

    /// The offsets of words that differ, and the lanes in which they do. Words that only one side has compare with 0.
    pub fn differing(&self, other: &Local) -> Vec<(u32, u32)> {
        let lanes = |index: usize| {
            let (a, b) = (self.row_at(index), other.row_at(index));
            lanes_where(Scalar::new(), |lane| a[lane] != b[lane])
        };
        let pages = (0..self.rows.longest(&other.rows)).step_by(PAGE);
        let rows = pages.filter(|&first| self.rows.has(first) || other.rows.has(first));
        rows.flat_map(|first| first..first + PAGE)
            .map(|index| (index as u32, lanes(index)))
            .filter(|(_, lanes)| *lanes != 0)
            .collect()
    }

    /// The addresses of pages that may hold other bytes than zeros.
    pub(super) fn written_ranges(&self) -> impl Iterator<Item = (u64, u64)> {
        let pages = (0..(self.size / 4) as usize).step_by(PAGE).filter(|row| self.rows.has(*row));
        pages.map(|row| (4 * row as u64, self.size.min(4 * (row + PAGE) as u64)))
    }

    #[inline]
    fn row_at(&self, index: usize) -> &PerLane<u32> {
        self.rows.get(index).map_or(&ZEROS, |row| &**row)
    }

    /// Reads up to eight bytes of one lane. The access must be in bounds and aligned.
    #[inline]
    pub fn read(&self, lane: usize, address: u64, size: u32) -> u64 {
        let row = (address / 4) as usize;
        let low = u64::from(self.row_at(row)[lane]);
        match size {
            8 => low | u64::from(self.row_at(row + 1)[lane]) << 32,
            4 => low,
            _ => low >> (8 * (address % 4)) & ((1 << (8 * size)) - 1),
        }
    }

    /// Writes up to eight bytes of one lane.
    #[inline]
    pub fn write(&mut self, lane: usize, address: u64, size: u32, value: u64) {
        let row = (address / 4) as usize;
        let word = &mut self.rows.get_mut(row)[lane];
        match size {
            8 => {
                *word = value as u32;
                self.rows.get_mut(row + 1)[lane] = (value >> 32) as u32;
            }
            4 => *word = value as u32,
            _ => {
                let shift = 8 * (address % 4) as u32;
                let mask = ((1u32 << (8 * size)) - 1) << shift;
                *word = *word & !mask | (value as u32) << shift & mask;
            }
        }
    }

    /// The words at `address`, a multiple of four, in all lanes.
    #[inline]
    pub fn row(&self, address: u64) -> &PerLane<u32> {
        self.row_at((address / 4) as usize)
    }

    /// Writes the words at `address`, a multiple of four, in the lanes of `mask`.
    #[inline]
    pub fn set_row(&mut self, address: u64, mask: u32, values: &PerLane<u32>) {
        let index = (address / 4) as usize;
        if self.rows.has(index) || *values != ZEROS {
            blend(self.rows.get_mut(index), mask, |lane| values[lane]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::FULL;

    #[test]
    fn bytes_words_and_doubles() {
        let mut local = Local::default();
        local.grow(17);
        assert_eq!(local.bytes_per_thread(), 20);
        local.write(3, 8, 8, 0x1122_3344_5566_7788);
        assert_eq!((local.read(3, 8, 4), local.read(3, 13, 1), local.read(4, 8, 8)), (0x5566_7788, 0x33, 0));
        local.write(3, 10, 2, 0xabcd);
        assert_eq!(local.read(3, 8, 8), 0x1122_3344_abcd_7788);
    }

    #[test]
    fn rows_are_written_by_mask() {
        let mut local = Local::default();
        local.grow(8);
        local.set_row(4, FULL, &[7; WIDTH]);
        local.set_row(4, 0b10, &[9; WIDTH]);
        assert_eq!((local.read(0, 4, 4), local.read(1, 4, 4), local.read(1, 0, 4)), (7, 9, 0));
    }

    #[test]
    fn what_is_not_written_costs_nothing() {
        let mut local = Local::default();
        local.grow(500_000);
        local.set_row(400_000, FULL, &[0; WIDTH]);
        assert_eq!((local.read(3, 499_996, 4), local.bytes_per_thread(), local.bytes()), (0, 500_000, 0));
        let earlier = local.clone();
        local.write(3, 400_000, 4, 7);
        assert!(local.bytes() < 100_000, "{}", local.bytes());
        assert_eq!(local.differing(&earlier), [(100_000, 0b1000)]);
    }
}
