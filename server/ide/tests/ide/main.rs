//! The editor features, tested through `Analysis`: corpora, pages and lints have a file each.

#![allow(clippy::print_stdout, reason = "figures of the corpora are printed")]

mod operands;
mod page;

mod corpus;
mod dialects;
mod facts;
mod findings;
mod formatting;
mod inline;
mod launch_schema;
mod models;
mod pages;
mod ptx_lints;
mod sass;
mod sass_corpus;
mod wave_dialects;
mod wave_guide;
mod wave_kernels;
mod wave_lints;
