//! Listings of machine code, run.

mod common;

mod errors;
mod exec;
mod gpu;
mod machines;
mod undefined;
