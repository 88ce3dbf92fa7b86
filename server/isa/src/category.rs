//! Categories of instructions.

/// A group of instructions that belong together.
#[derive(Debug, PartialEq, Eq)]
pub struct Category {
    /// Its short name, also that of its data file.
    pub id: &'static str,
    /// Its title.
    pub title: &'static str,
    /// What its instructions do, in a sentence.
    pub about: &'static str,
    /// Whether a register operand may name a part of the register: `.b0`, `.h1`.
    pub selectors: bool,
}

impl Category {
    /// The category of an entry without one.
    pub(crate) const NONE: Self = Self { id: "", title: "", about: "", selectors: false };
}
