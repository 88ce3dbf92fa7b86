//! What Warplens uses of the system: files, clock, threads, memory.
//!
//! The crate also builds for `wasm32-unknown-unknown`, where the standard library has none of them. There the page provides the clock and
//! the files (`page`), and everything runs on one thread.

pub mod allocator;
pub mod clock;
pub mod cores;
pub mod disk;
#[cfg(target_family = "wasm")]
pub mod page;
pub mod panic;
