//! Runs listings of machine code.

mod common;

mod block_waits;
mod clusters;
mod coverage;
mod earlier;
mod errors;
mod exec;
mod gpu;
mod hopper;
mod machines;
mod parallel_blocks;
mod undefined;
