//! Undeclared names of a function, grouped by what would declare them.

use smol_str::SmolStr;
use text_size::TextRange;

/// Uses of names that one declaration would fix.
pub(super) struct Missing {
    /// `%r` of `%r1` and `%r2`; a name by itself otherwise.
    pub(super) stem: SmolStr,
    pub(super) names: Vec<SmolStr>,
    /// In the order of the text, relative to the item.
    pub(super) places: Vec<TextRange>,
}
