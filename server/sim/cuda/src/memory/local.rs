//! Local memory of each thread: `.local` variables, stack, and the `.param` variables of calls.
//!
//! Stored as rows of 32 words, so that an access at one offset in all lanes moves whole rows.

use pulp::Scalar;

use super::local_frames::LocalFrames;
use crate::registers::{LaneRow, PerLane, WIDTH, blend, lanes_where};

/// Limit of local memory per thread in bytes, as on hardware.
pub const MAX_LOCAL_BYTES: u32 = 512 << 10;

#[derive(Clone, Debug, Default)]
pub struct Local {
    rows: Vec<LaneRow<u32, WIDTH>>,
    /// The calls that use this memory.
    pub frames: LocalFrames,
}

impl Local {
    /// Grows to `bytes` bytes per thread.
    pub fn grow(&mut self, bytes: u32) {
        let rows = bytes.div_ceil(4) as usize;
        if self.rows.len() < rows {
            self.rows.resize(rows, LaneRow::all(0));
        }
    }

    /// Resets to `bytes` zero bytes per thread, without calls.
    pub fn renew(&mut self, bytes: u32) {
        self.rows.clear();
        self.frames = LocalFrames::default();
        self.grow(bytes);
    }

    #[inline]
    pub fn bytes_per_thread(&self) -> u64 {
        self.rows.len() as u64 * 4
    }

    /// The offsets of words that differ, and the lanes in which they do. Words that only one side has compare with 0.
    pub fn differing(&self, other: &Local) -> Vec<(u32, u32)> {
        let zeros = LaneRow::all(0);
        let rows = self.rows.len().max(other.rows.len());
        let row = |local: &Local, index: usize| *local.rows.get(index).unwrap_or(&zeros);
        let lanes = |index: usize| {
            let (a, b) = (row(self, index), row(other, index));
            lanes_where(Scalar::new(), |lane| a[lane] != b[lane])
        };
        (0..rows).map(|index| (index as u32, lanes(index))).filter(|(_, lanes)| *lanes != 0).collect()
    }

    /// Reads up to eight bytes of one lane. The access must be in bounds and aligned.
    #[inline]
    pub fn read(&self, lane: usize, address: u64, size: u32) -> u64 {
        let row = (address / 4) as usize;
        let low = u64::from(self.rows[row][lane]);
        match size {
            8 => low | u64::from(self.rows[row + 1][lane]) << 32,
            4 => low,
            _ => low >> (8 * (address % 4)) & ((1 << (8 * size)) - 1),
        }
    }

    /// Writes up to eight bytes of one lane.
    #[inline]
    pub fn write(&mut self, lane: usize, address: u64, size: u32, value: u64) {
        let row = (address / 4) as usize;
        match size {
            8 => {
                self.rows[row][lane] = value as u32;
                self.rows[row + 1][lane] = (value >> 32) as u32;
            }
            4 => self.rows[row][lane] = value as u32,
            _ => {
                let shift = 8 * (address % 4) as u32;
                let mask = ((1u32 << (8 * size)) - 1) << shift;
                let word = &mut self.rows[row][lane];
                *word = *word & !mask | (value as u32) << shift & mask;
            }
        }
    }

    /// The words at `address`, a multiple of four, in all lanes.
    #[inline]
    pub fn row(&self, address: u64) -> &PerLane<u32> {
        &self.rows[(address / 4) as usize]
    }

    /// Writes the words at `address`, a multiple of four, in the lanes of `mask`.
    #[inline]
    pub fn set_row(&mut self, address: u64, mask: u32, values: &PerLane<u32>) {
        blend(&mut self.rows[(address / 4) as usize], mask, |lane| values[lane]);
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
}
