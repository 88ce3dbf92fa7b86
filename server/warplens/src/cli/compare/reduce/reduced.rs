//! The result of a reduction.

use warplens_tools::comparison::compared::Compared;

pub(crate) struct Reduced {
    /// The numbers of statements of the first kernel, before and after.
    pub(crate) statements: [usize; 2],
    pub(crate) candidates: usize,
    /// Whether the reduction was stopped at the time limit.
    pub(crate) is_cut: bool,
    /// The texts of the two sides. The second one is `None` if both sides are the same kernel.
    pub(crate) texts: [Option<String>; 2],
    /// The comparison of the smallest pair.
    pub(crate) compared: Box<Compared>,
    pub(crate) files: Vec<String>,
}
