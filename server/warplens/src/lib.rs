//! How the world reaches Warplens: the language server ([`lsp`]) and the command line ([`cli`]).
//!
//! Here live the protocol, the runtime, threads and the file system, and nothing that knows a language: what is
//! answered comes from `ide`.

pub mod cli;
mod cores;
mod language;
mod launch_file;
pub mod lsp;
mod markdown;
mod position;
