//! Listings of machine code, run.

mod common;
#[path = "../support/mod.rs"]
mod support;

mod exec;
mod machines;
