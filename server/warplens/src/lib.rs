//! The interfaces of Warplens: the language server ([`lsp`]) and the command line ([`cli`]).
//!
//! Protocol, async runtime, threads and file system belong here. Knowledge of languages belongs to `ide`, external tools to `tools`.

mod allocator;
pub mod cli;
mod cores;
mod disk;
mod language;
mod launch_file;
pub mod lsp;
mod markdown;
mod panic;
