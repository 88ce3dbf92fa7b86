//! Matrix fragments: 4 x 4 tiles of binary32 values, which every lane has in three tables outside of the
//! register file.
//!
//! Every active lane loads, computes and stores whole tiles by itself. C starts as zeros and is only
//! accumulated.

use rustc_hash::FxHashMap;
use warplens_sim_warp::trace::Mask;

use super::float;
use super::lanes::{Rows, lanes};
use super::memory::{Memory, OutOfRange};
use super::op::{Matrix, Row, Space};

/// Rows and columns of a tile.
const N: usize = 4;

type Tile = [[u32; N]; N];

/// The table that a fragment is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Table {
    A,
    B,
    C,
}

/// The fragments of a wave, by table, number and lane.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fragments {
    tiles: FxHashMap<(Table, u8, u8), Tile>,
}

impl Fragments {
    /// Executes a matrix operation in the lanes of `mask`.
    pub(crate) fn perform<const W: usize>(
        &mut self,
        op: Matrix,
        rows: &Rows<W>,
        mask: Mask,
        memory: &mut Memory<'_>,
    ) -> Result<(), Box<OutOfRange>> {
        match op {
            Matrix::LoadA { fragment, address, stride } => {
                self.transfer((Table::A, fragment), rows, mask, [address, stride], memory)
            }
            Matrix::LoadB { fragment, address, stride } => {
                self.transfer((Table::B, fragment), rows, mask, [address, stride], memory)
            }
            Matrix::StoreC { address, stride, fragment } => {
                self.transfer((Table::C, fragment), rows, mask, [address, stride], memory)
            }
            Matrix::Compute { a, b, c } => {
                lanes(mask).for_each(|lane| self.compute(lane as u8, a, b, c));
                Ok(())
            }
        }
    }

    fn tile(&self, table: Table, fragment: u8, lane: u8) -> Tile {
        self.tiles.get(&(table, fragment, lane)).copied().unwrap_or_default()
    }

    /// Loads tiles of A or B, or stores tiles of C.
    fn transfer<const W: usize>(
        &mut self,
        (table, fragment): (Table, u8),
        rows: &Rows<W>,
        mask: Mask,
        tile: [Row; 2],
        memory: &mut Memory<'_>,
    ) -> Result<(), Box<OutOfRange>> {
        let [address, stride] = tile.map(|row| rows.get(row));
        for lane in lanes(mask) {
            let stored = (table == Table::C).then(|| self.tile(table, fragment, lane as u8));
            let mut loaded = Tile::default();
            for (row, column) in cells() {
                let element = |lane: usize| element(address[lane], stride[lane], row, column);
                let done = match stored {
                    Some(tile) => memory.set_local_word(element(lane), tile[row][column]),
                    None => memory.local_word(element(lane)).map(|word| loaded[row][column] = word),
                };
                if done.is_none() {
                    return Err(memory.out_of_range(Space::Local, mask, element, 4));
                }
            }
            if stored.is_none() {
                self.tiles.insert((table, fragment, lane as u8), loaded);
            }
        }
        Ok(())
    }

    /// `C += A * B`, adding one product after another, each rounded before it is added.
    fn compute(&mut self, lane: u8, a: u8, b: u8, c: u8) {
        let (left, right) = (self.tile(Table::A, a, lane), self.tile(Table::B, b, lane));
        let sum = self.tiles.entry((Table::C, c, lane)).or_default();
        for (row, column) in cells() {
            for k in 0..N {
                let product = float::binary(left[row][k], right[k][column], |x, y| x * y);
                sum[row][column] = float::binary(sum[row][column], product, |x, y| x + y);
            }
        }
    }
}

fn cells() -> impl Iterator<Item = (usize, usize)> {
    (0..N).flat_map(|row| (0..N).map(move |column| (row, column)))
}

fn element(address: u32, stride: u32, row: usize, column: usize) -> u32 {
    address.wrapping_add(stride.wrapping_mul(row as u32)).wrapping_add(4 * column as u32)
}
