//! The interfaces of Warplens: the language server ([`lsp`]) and the command line ([`cli`]).
//!
//! Protocol, runtime, threads and file system belong here. Knowledge of languages belongs to `ide`.

mod allocator;
pub mod cli;
mod comparison;
mod cores;
mod language;
mod launch_file;
mod listing;
pub mod lsp;
mod markdown;
mod open_text;
mod panic;
mod process;
mod ptx_target;
mod read_file;
mod replace_file;
mod toolchain;
