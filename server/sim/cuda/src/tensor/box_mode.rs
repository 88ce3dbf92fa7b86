//! Which elements of a tensor a copy transfers.

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoxMode {
    Tile,
    /// Four rows: `tile::gather4`, `tile::scatter4`
    Rows,
    /// Pixels within a bounding box.
    Im2col,
}
