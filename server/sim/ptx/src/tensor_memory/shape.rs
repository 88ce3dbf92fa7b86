//! Which cell each register of a warp corresponds to in `tcgen05.ld` and `tcgen05.st`.

use crate::program::CellShape;

impl CellShape {
    /// Number of lanes of tensor memory that the shape covers.
    pub fn lanes(self) -> u32 {
        if self == CellShape::Lanes32Bits32 { 32 } else { 16 }
    }

    /// Number of registers of `.x1`.
    pub fn registers(self) -> u32 {
        match self {
            CellShape::Lanes16Bits128 => 2,
            CellShape::Lanes16Bits256 => 4,
            _ => 1,
        }
    }

    /// The lane and the first column, relative to the address, of register `r` of thread `t`. `columns` is the number of columns of a
    /// register: 2 with `.pack::16b` and `.unpack::16b`. `half` is the column offset of the warp's second half, which does not depend on it.
    pub fn cell(self, t: u32, r: u32, half: i32, columns: u32) -> (u32, u32) {
        let (lane, column) = self.unpacked(t, r);
        let column = column.wrapping_mul(columns);
        match self {
            CellShape::Lanes16Bits32Twice if t >= 16 => (lane, column.wrapping_add_signed(half)),
            _ => (lane, column),
        }
    }

    /// The lane and column if each register has a column, before the offset of the second half.
    fn unpacked(self, t: u32, r: u32) -> (u32, u32) {
        match self {
            CellShape::Lanes32Bits32 => (t, r),
            CellShape::Lanes16Bits64 => (t / 4 + 8 * (t % 2), t / 2 % 2 + 2 * r),
            CellShape::Lanes16Bits128 => (t / 4 + 8 * (r % 2), t % 4 + 4 * (r / 2)),
            CellShape::Lanes16Bits256 => (t / 4 + 8 * (r / 2 % 2), 2 * (t % 4) + r % 2 + 8 * (r / 4)),
            CellShape::Lanes16Bits32Twice => (t % 16, r),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_of_the_guide() {
        assert_eq!(CellShape::Lanes16Bits64.cell(2, 0, 0, 1), (0, 1));
        assert_eq!(CellShape::Lanes16Bits64.cell(31, 1, 0, 1), (15, 3));
        assert_eq!(CellShape::Lanes16Bits128.cell(29, 1, 0, 1), (15, 1));
        assert_eq!(CellShape::Lanes16Bits128.cell(0, 2, 0, 1), (0, 4));
        assert_eq!(CellShape::Lanes16Bits256.cell(3, 3, 0, 1), (8, 7));
        assert_eq!(CellShape::Lanes16Bits32Twice.cell(17, 2, 16, 1), (1, 18));
        assert_eq!(CellShape::Lanes16Bits32Twice.cell(1, 2, 16, 2), (1, 4));
        assert_eq!(CellShape::Lanes16Bits32Twice.cell(17, 2, 16, 2), (1, 20));
        assert_eq!(CellShape::Lanes16Bits64.cell(2, 1, 0, 2), (0, 6));
    }

    #[test]
    fn every_cell_is_in_one_register() {
        let shapes = [
            (CellShape::Lanes32Bits32, 4),
            (CellShape::Lanes16Bits64, 4),
            (CellShape::Lanes16Bits128, 4),
            (CellShape::Lanes16Bits256, 8),
            (CellShape::Lanes16Bits32Twice, 4),
        ];
        for (shape, registers) in shapes {
            let mut cells: Vec<_> =
                (0..32).flat_map(|t| (0..registers).map(move |r| shape.cell(t, r, 4, 1))).collect();
            cells.sort_unstable();
            let count = cells.len();
            cells.dedup();
            assert_eq!(cells.len(), count, "{shape:?}");
            assert!(cells.iter().all(|(lane, _)| *lane < shape.lanes()), "{shape:?}");
        }
    }
}
