//! Categories of instructions.

/// A group of instructions that belong together.
#[derive(Debug, PartialEq, Eq)]
pub struct Category {
    /// Short name; the data file of the category has the same name.
    pub id: &'static str,
    pub title: &'static str,
    /// One sentence: what the instructions of the category do.
    pub about: &'static str,
    /// Whether a register operand may select a part of the register: `.b0`, `.h1`.
    pub selectors: bool,
}

impl Category {
    /// Default for an entry without a category.
    pub(crate) const NONE: Self = Self { id: "", title: "", about: "", selectors: false };
}
