//! Random input for everything that reads a text: edits, files, launch files, messages, programs.
//!
//! In the suite each test runs a fixed number of cases with fixed seeds. `cargo xtask fuzz --minutes N` runs them for a time with
//! new seeds. A failure prints the seed of its case: `WARPLENS_FUZZ_SEED=N` runs that case again.

#[path = "../support/mod.rs"]
mod support;

mod budget;
mod edits;
mod files;
mod frames;
mod launches;
mod mutation;
mod programs;
mod runs;
mod texts;
