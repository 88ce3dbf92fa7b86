//! WAVE: lexer, grammar, item scanner, and the typed tree.

/// The typed tree: nodes and choices as `wave.ungram` has them.
pub mod ast {
    pub use crate::generated::wave::*;
}

pub(crate) mod grammar;
pub(crate) mod lexer;
pub(crate) mod scan;
