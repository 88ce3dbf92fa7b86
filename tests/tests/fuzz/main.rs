//! Random input for everything that reads text: edits, files, launch files, messages, programs, texts that
//! repeat something as often as fits, and folders and files that change or lead elsewhere.
//!
//! In the suite, each test runs a fixed number of cases with fixed seeds. `cargo xtask fuzz --minutes N` runs them with new seeds
//! for some time. A failure prints the seed of its case, and `WARPLENS_FUZZ_SEED=N` repeats the case.

#[path = "../support/mod.rs"]
mod support;

mod budget;
mod edits;
mod files;
mod folders;
mod frames;
mod growth;
mod launches;
mod mutation;
mod programs;
mod runs;
mod saves;
mod texts;
