//! Links, as data.

use smol_str::SmolStr;
use text_size::TextRange;

/// A link to a position in another file, which may not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentLink {
    /// The range of the link.
    pub range: TextRange,
    /// The path as written.
    pub path: SmolStr,
    /// Line and column, from 1 as in debug information; 0 if unknown.
    pub place: Option<(u32, u32)>,
}
