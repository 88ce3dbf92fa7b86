//! The project's tasks, run as `cargo xtask NAME`. Product code does not belong here.

#![allow(clippy::print_stdout)] // tasks print to the terminal

mod bench;
mod codegen;
mod debian;
mod demo;
mod dist;
mod editor_tests;
mod extension;
mod fuzz;
mod notices;
mod project;
mod python_tests;
mod release_profile;
mod shell;
mod skipped;
mod test;
mod tidy;
mod web;
mod web_tests;
mod wheel;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Tasks of the Warplens project")]
struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Builds everything, prints two kernels with their lanes, and installs the extension if VS Code is installed.
    Demo {
        /// Serve VS Code with the extension to a browser instead, without an installed VS Code.
        #[arg(long)]
        web: bool,
    },
    /// Runs every test and check.
    Test {
        /// Only formatting, generated files, tidiness and the tests without editors: some minutes, for the time while you edit.
        #[arg(long)]
        fast: bool,
        /// Only the check of this name.
        #[arg(long, conflicts_with = "fast", value_name = "NAME")]
        only: Option<String>,
    },
    /// Writes the generated files (or, with --check, fails if one is stale).
    Codegen {
        /// Write nothing; fail if a file is not up to date.
        #[arg(long)]
        check: bool,
    },
    /// Checks the invariants of the code base: allowed names, file lengths, links of pages.
    Tidy,
    /// Builds the server in release, and the .vsix and the Python wheel that contain it, for this platform.
    Dist,
    /// Builds the page with the server as a WebAssembly module, in dist/web.
    Web,
    /// Measures: parse, latency, memory, sim, lanes or panel (see docs/measurements.md).
    Bench {
        /// What to measure, and what to measure it on.
        #[arg(required = true, num_args = 1.., trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Runs the corpus of tensor instructions: cases, seeded bugs and their twins, and the time of a tile.
    TensorCorpus {
        /// The folder of the corpus, and options.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Compares verdicts with the assembler's: `ptxas` on generated forms, `corpus` on files (see docs/measurements.md).
    Measure {
        /// What to compare, and how.
        #[arg(required = true, num_args = 1.., trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Runs the tests with random input for a time, with new seeds: edits, files, launch files, messages, programs.
    Fuzz {
        /// The time for all tests together.
        #[arg(long, default_value_t = 10)]
        minutes: u64,
        /// Only the tests whose name contains this.
        #[arg(long)]
        only: Option<String>,
    },
    /// Runs one server for a time with random, realistic work, and prints its memory as a table.
    Soak {
        /// The time.
        #[arg(long, default_value_t = 120)]
        minutes: u64,
    },
}

fn main() -> Result<()> {
    match Args::parse().task {
        Task::Demo { web } => demo::run(web),
        Task::Test { only: Some(name), .. } => test::run_only(&name),
        Task::Test { fast, only: None } => test::run(fast),
        Task::Codegen { check } => {
            codegen::run(if check { codegen::Mode::Check } else { codegen::Mode::Write })
        }
        Task::Tidy => tidy::run(),
        Task::Dist => dist::run(),
        Task::Web => web::run(),
        Task::Bench { args } => bench::run(&args),
        Task::Fuzz { minutes, only } => fuzz::run(minutes, only.as_deref()),
        Task::Soak { minutes } => bench::run(&["soak".into(), "--minutes".into(), minutes.to_string()]),
        Task::TensorCorpus { args } => {
            let all: Vec<String> = std::iter::once("tensor".to_owned()).chain(args).collect();
            bench::measure(&all)
        }
        Task::Measure { args } => bench::measure(&args),
    }
}
