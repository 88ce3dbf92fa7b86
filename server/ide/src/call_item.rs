//! Calls, as data.

use text_size::TextRange;
use warplens_ide_db::answer::{SymbolKind, Target};

/// A function that calls or is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallItem {
    /// The range of its name.
    pub name: String,
    /// A kernel or a function.
    pub kind: SymbolKind,
    /// A short detail.
    pub detail: String,
    /// Its definition, or else its declaration.
    pub target: Target,
}

/// Calls between two functions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calls {
    /// The other function.
    pub item: CallItem,
    /// The ranges of the callee's name in the body of the caller.
    pub places: Vec<TextRange>,
}
