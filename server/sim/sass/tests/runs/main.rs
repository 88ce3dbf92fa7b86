//! Runs listings of machine code.

mod common;

mod clusters;
mod errors;
mod exec;
mod gpu;
mod machines;
mod parallel_blocks;
mod undefined;
