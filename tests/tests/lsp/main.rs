//! Tests of the language server with a client that speaks the protocol, in memory and over real standard input and
//! output. They are a single program, so that it is linked once.

#[path = "../support/mod.rs"]
mod support;

mod actions;
mod bad_input;
mod diagnostics;
mod editing;
mod features;
mod findings;
mod foreign;
mod inline;
mod lanes;
mod launch_files;
mod listings;
mod machine_code;
mod models;
mod navigation;
mod order;
mod panel;
mod positions;
mod process;
mod ptxas;
mod results;
mod same_lanes;
mod storm;
mod tensor_memory;
mod values;
