//! The result of a reduction.

use warplens_tools::comparison::compared::Compared;

/// The result of a reduction.
pub(crate) struct Reduced {
    /// The statements of the first kernel, before and after.
    pub(crate) statements: [usize; 2],
    /// The candidates that were tried.
    pub(crate) candidates: usize,
    /// Whether it ended at the time limit.
    pub(crate) is_cut: bool,
    /// The texts of the two sides; the second one is `None` if both are one kernel.
    pub(crate) texts: [Option<String>; 2],
    /// The two runs of the smallest pair.
    pub(crate) compared: Box<Compared>,
    /// The files that were written.
    pub(crate) files: Vec<String>,
}
