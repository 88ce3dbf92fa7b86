//! The interfaces of Warplens: the language server ([`lsp`]) and the command line ([`cli`]).
//!
//! Transport, async runtime and threads belong here. The requests of the protocol belong to `lsp`, knowledge of languages to `ide`, external
//! tools to `tools`.

pub mod cli;
pub mod lsp;
