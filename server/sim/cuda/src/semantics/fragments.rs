//! Which lane holds which element of a matrix that is distributed over the registers of a warp.
//!
//! The documented fragments of `mma`, with `g = lane / 4`, `t = lane % 4`, and `E` elements per 32-bit register:
//! register `r` of A holds row `g + 8 * (r & 1)` (8-row shapes: `g`) and columns `(r >> 1) * 4E + tE + e`; register `r`
//! of B holds column `g` and rows `r * 4E + tE + e`; 32- and 64-bit elements of C and D are at row `g + 8 * (r >> 1)`,
//! column `2t + (r & 1)`, pairs of halves at row `g + 8r`, columns `2t` and `2t + 1`.
//!
//! The fragments of `wmma` have no documented layout. Here the elements are numbered row by row (B: column by column),
//! and each lane holds as many consecutive elements as fit into its registers, lane after lane. Halves in A and B have
//! more registers than they need, so the remaining lanes hold copies.

/// Where an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    pub register: usize,
    pub lane: usize,
    /// The lowest bit of the element in the register.
    pub shift: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// The documented layout of `mma`.
    Documented,
    /// The documented layout of `mma.m8n8k4` with halves: four products, each in a pair of quads.
    Quads {
        /// Whether lanes hold columns of A.
        a_columns: bool,
        /// Whether lanes hold rows of B.
        b_rows: bool,
    },
    /// The layout chosen here for `wmma`.
    Own,
}

impl Layout {
    pub fn tiles(self) -> u32 {
        if let Layout::Quads { .. } = self { 4 } else { 1 }
    }

    /// Where the element of A is at a row (`outer`) and a column (`inner`), or the element of B at a column (`outer`)
    /// and a row (`inner`).
    pub fn factor(self, of: Matrix, tile: u32, outer: u32, inner: u32) -> Spot {
        match self {
            Layout::Documented => documented_factor(of, outer, inner),
            Layout::Quads { a_columns, b_rows } => {
                let across = if of.is_b { b_rows } else { a_columns };
                let (quad_lane, part) = if across {
                    (inner + 16 * (outer / 4), outer % 4)
                } else {
                    (outer % 4 + 16 * (outer / 4), inner)
                };
                spot(part / 2, 4 * tile + quad_lane, 16 * (part % 2))
            }
            Layout::Own => of.own(outer, inner),
        }
    }

    /// Where the element of C or D is at a row and a column.
    pub fn sum(self, of: Matrix, tile: u32, row: u32, column: u32) -> Spot {
        match self {
            Layout::Documented => {
                let lane = row % 8 * 4 + column / 2;
                match of.bits {
                    16 => spot(row / 8, lane, 16 * (column % 2)),
                    _ => spot(row / 8 * 2 + column % 2, lane, 0),
                }
            }
            Layout::Quads { .. } if of.bits == 16 => {
                spot(column / 2, 4 * tile + row % 4 + 16 * (row / 4), 16 * (column % 2))
            }
            Layout::Quads { .. } => {
                let lane = 4 * tile + (row & 1) + (column & 2) + 16 * (row / 4);
                spot((row & 2) + (column & 4) + (column & 1), lane, 0)
            }
            Layout::Own => of.own(row, column),
        }
    }
}

fn spot(register: u32, lane: u32, shift: u32) -> Spot {
    Spot { register: register as usize, lane: lane as usize, shift }
}

fn documented_factor(of: Matrix, outer: u32, inner: u32) -> Spot {
    let per = (32 / of.bits).max(1);
    let (step, within) = (inner / (4 * per), inner % (4 * per));
    let lane = outer % 8 * 4 + within / per;
    // Sixteen rows need two registers per step.
    let register = if of.outer == 16 { step * 2 + outer / 8 } else { step };
    spot(register, lane, if of.bits == 64 { 0 } else { of.bits * (within % per) })
}

/// A matrix distributed over a warp. Its elements are numbered along `inner`: the columns of A, C and D, the rows of B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Matrix {
    /// The number of rows of A, C or D, or of columns of B.
    pub outer: u32,
    /// The number of elements in each of these rows or columns.
    pub inner: u32,
    /// Bits of an element in a register.
    pub bits: u32,
    pub is_b: bool,
    pub registers: u32,
}

impl Matrix {
    /// A matrix without copies.
    pub fn new(outer: u32, inner: u32, bits: u32, is_b: bool, tiles: u32) -> Matrix {
        let registers = (outer * inner * tiles * bits / 32).div_ceil(bits.max(32));
        Matrix { outer, inner, bits, is_b, registers }
    }

    pub fn per_lane(self) -> u32 {
        self.registers * self.bits.max(32) / self.bits
    }

    /// The number of lanes that together hold the matrix; the other lanes have copies.
    pub fn owners(self) -> u32 {
        (self.outer * self.inner / self.per_lane()).max(1)
    }

    fn own(self, outer: u32, inner: u32) -> Spot {
        let number = outer * self.inner + inner;
        let (lane, index) = (number / self.per_lane(), number % self.per_lane());
        let bit = index * self.bits;
        let width = self.bits.max(32);
        spot(bit / width, lane, bit % width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Every element has a position of its own, and together they fill the registers.
    fn fills(layout: Layout, of: Matrix, sum: bool) {
        let mut seen = HashSet::new();
        for tile in 0..layout.tiles() {
            for outer in 0..of.outer {
                for inner in 0..of.inner {
                    let at = if sum {
                        layout.sum(of, tile, outer, inner)
                    } else {
                        layout.factor(of, tile, outer, inner)
                    };
                    assert!(at.register < of.registers as usize && at.lane < 32, "{layout:?} {of:?} {at:?}");
                    assert!(seen.insert((at.register, at.lane, at.shift)), "{layout:?} {of:?} {at:?}");
                }
            }
        }
        let lanes = if layout.tiles() == 1 { of.owners() } else { 32 };
        assert_eq!(seen.len() as u32 * of.bits, of.registers * lanes * of.bits.max(32));
    }

    #[test]
    fn documented_fragments_are_whole() {
        for (outer, inner, bits) in
            [(16, 16, 16), (16, 8, 32), (8, 4, 64), (16, 32, 8), (16, 64, 4), (8, 128, 1)]
        {
            fills(Layout::Documented, Matrix::new(outer, inner, bits, false, 1), false);
        }
        for (inner, bits) in [(16, 16), (4, 32), (4, 64), (32, 8), (256, 1)] {
            fills(Layout::Documented, Matrix::new(8, inner, bits, true, 1), false);
        }
        for (outer, bits) in [(8, 32), (16, 16), (16, 32), (16, 64)] {
            fills(Layout::Documented, Matrix::new(outer, 8, bits, false, 1), true);
        }
    }

    #[test]
    fn quads_are_whole() {
        for across in [false, true] {
            let layout = Layout::Quads { a_columns: across, b_rows: across };
            fills(layout, Matrix::new(8, 4, 16, false, 4), false);
            fills(layout, Matrix::new(8, 4, 16, true, 4), false);
            fills(layout, Matrix::new(8, 8, 16, false, 4), true);
            fills(layout, Matrix::new(8, 8, 32, false, 4), true);
        }
    }

    #[test]
    fn own_fragments_are_whole() {
        fills(Layout::Own, Matrix { registers: 8, ..Matrix::new(16, 16, 16, false, 1) }, false);
        fills(Layout::Own, Matrix { registers: 8, ..Matrix::new(8, 16, 16, false, 1) }, false);
        fills(Layout::Own, Matrix::new(32, 16, 8, true, 1), false);
        fills(Layout::Own, Matrix::new(8, 32, 4, false, 1), false);
        fills(Layout::Own, Matrix::new(8, 8, 64, false, 1), true);
    }
}
