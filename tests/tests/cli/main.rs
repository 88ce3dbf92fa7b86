//! The command line, as a user calls it.

#[path = "../support/mod.rs"]
mod support;

mod batch;
mod commands;
mod descriptors;
mod fmt;
mod hostile;
mod injected_failures;
mod lane_pages;
mod mcp;
mod python_scripts;
mod readme;
mod sass;
mod saved_buffers;
mod schedules;
mod schemas;
mod second_opinion;
mod simulated;
mod transcripts;
mod verdicts;
