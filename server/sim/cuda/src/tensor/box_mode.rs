//! Which elements of a tensor a copy transfers.

/// How a tensor copy selects elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoxMode {
    /// A box of the tensor.
    Tile,
    /// Four rows: `tile::gather4`, `tile::scatter4`
    Rows,
    /// Pixels within a bounding box.
    Im2col,
}
