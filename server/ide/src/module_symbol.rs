//! The names that a file declares for all of it, as data.

use warplens_ide_db::{SymbolKind, Target};

/// A name that is declared for the whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleSymbol {
    /// The name.
    pub name: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// Where.
    pub target: Target,
    /// Whether this is the definition, rather than a declaration.
    pub is_definition: bool,
}
