//! A kernel of a document.

use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_sim_launch::Kernel;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentKernel {
    /// The properties that a launch must match.
    pub kernel: Kernel,
    pub name: TextRange,
    /// The start of its item.
    pub start: TextSize,
    /// The index of its item.
    pub item: usize,
    /// A note for a lens above it.
    pub note: Option<String>,
    /// `NAME@TARGET`, which also selects it, in a language whose files may have several targets.
    pub qualified: Option<SmolStr>,
}
