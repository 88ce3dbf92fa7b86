//! Runs listings of machine code.

mod common;

mod errors;
mod exec;
mod gpu;
mod machines;
mod parallel_blocks;
mod undefined;
