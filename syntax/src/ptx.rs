//! PTX: lexer, grammar, item scanner, and the typed tree.

/// The typed tree: nodes and choices as `ptx.ungram` has them, and what needs more than a child look-up.
pub mod ast {
    pub use crate::generated::ptx::*;
}

mod ast_ext;
pub(crate) mod grammar;
pub(crate) mod lexer;
mod outside;
pub(crate) mod scan;
mod words;

pub use outside::outside;
