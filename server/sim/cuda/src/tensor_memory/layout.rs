//! Where the elements of D, the scale factors and the metadata of a product are in tensor memory.

/// The layouts of D, with their names in the PTX ISA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DLayout {
    A,
    B,
    C,
    D,
    E,
    F,
    G,
}

impl DLayout {
    /// The layout of a product with `m` rows; `None` if there is none.
    pub fn of(m: u32, pair: bool, ws: bool, sparse: bool) -> Option<DLayout> {
        Some(match (m, pair, ws) {
            (256, true, false) => DLayout::A,
            (128, true, false) if sparse => DLayout::C,
            (128, true, false) => DLayout::B,
            (128, false, _) => DLayout::D,
            (64, false, false) => DLayout::F,
            (64, false, true) => DLayout::E,
            (32, false, true) => DLayout::G,
            _ => return None,
        })
    }

    /// The lane and column, relative to the address, of row `m` of a block and column `n` of `columns`.
    pub fn cell(self, m: u32, n: u32, columns: u32) -> (u32, u32) {
        match self {
            DLayout::A | DLayout::D => (m, n),
            DLayout::C | DLayout::F => (m % 16 + 32 * (m / 16), n),
            DLayout::B | DLayout::E => (m + 64 * (n / (columns / 2)), n % (columns / 2)),
            DLayout::G => (m + 32 * (n / (columns / 4)), n % (columns / 4)),
        }
    }

    /// The lanes that a block's rows occupy, and the number of columns that `columns` of them occupy.
    pub fn extent(self, columns: u32) -> (u128, u32) {
        let quarter = |lanes: u128| lanes | lanes << 32 | lanes << 64 | lanes << 96;
        match self {
            DLayout::A | DLayout::D => (u128::MAX, columns),
            DLayout::C | DLayout::F => (quarter(0xffff), columns),
            DLayout::B | DLayout::E => (u128::MAX, columns / 2),
            DLayout::G => (u128::MAX, columns / 4),
        }
    }

    /// The lane of row `m` of A in tensor memory.
    pub fn lane_of_a(self, m: u32) -> u32 {
        self.cell(m, 0, 4).0
    }
}

/// The lane, column and first bit of nibble `chunk` in row `row` of the metadata, for elements of `bits` bits. `selector`
/// comes from the instruction descriptor.
#[inline]
pub fn metadata(layout: DLayout, bits: u32, row: u32, chunk: u32, selector: u32) -> (u32, u32, u32) {
    // Layouts with 16 rows in 32 lanes arrange the rows as in D.
    let block = if matches!(layout, DLayout::C | DLayout::F) { 32 } else { 16 };
    match bits {
        16 | 32 => {
            (row % 8 + block * (row / 16) + 8 * (chunk / 4), selector, 16 * (row / 8 % 2) + 4 * (chunk % 4))
        }
        _ => (layout.lane_of_a(row), chunk / 8, 4 * (chunk % 8)),
    }
}

/// The lane (in each group of 32) and the column of the scale factors of row or column `index`. The cell's bytes are the
/// factors.
#[inline]
pub fn scale(index: u32) -> (u32, u32) {
    (index % 32, index / 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_d() {
        assert_eq!(DLayout::F.cell(17, 5, 64), (33, 5));
        assert_eq!(DLayout::B.cell(3, 40, 64), (67, 8));
        assert_eq!(DLayout::G.cell(3, 40, 64), (67, 8));
        assert_eq!(DLayout::A.cell(127, 40, 64), (127, 40));
    }

    #[test]
    fn cells_of_metadata() {
        assert_eq!(metadata(DLayout::D, 16, 9, 5, 1), (9, 1, 20));
        assert_eq!(metadata(DLayout::D, 8, 9, 13, 0), (9, 1, 20));
        assert_eq!(metadata(DLayout::F, 16, 16, 0, 0), (32, 0, 0));
    }
}
