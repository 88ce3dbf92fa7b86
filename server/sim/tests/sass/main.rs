//! Listings of machine code, run.

mod common;
#[path = "../support/mod.rs"]
mod support;

mod errors;
mod exec;
mod gpu;
mod machines;
mod undefined;
