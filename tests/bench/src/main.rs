//! Measures Warplens from outside and prints what a table of `docs/measurements.md` holds. Nothing here asserts a
//! time: figures are for people, who know what else the machine was doing.

mod check_wave;
mod client;
mod lanes;
mod latency;
mod memory;
mod parse;
mod processor;
mod sample;
mod sim;
mod statistics;
mod wave;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask bench")]
struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Text to tree: megabytes a second on one core, in release.
    Parse { file: Option<PathBuf> },
    /// All checks of a WAVE file of 5 MB, and `wave-asm` on it, in release, on one thread.
    CheckWave { file: Option<PathBuf> },
    /// Edits in the middle of a file, over stdio, to the complete diagnostics of that version; and hovers.
    Latency {
        file: Option<PathBuf>,
        /// Take the made-up WAVE file of 5 MB.
        #[arg(long, conflicts_with = "file")]
        wave: bool,
        /// Cut the file after this many bytes (at the end of a function).
        #[arg(long)]
        bytes: Option<usize>,
        /// How often each kind of edit is made.
        #[arg(long, default_value_t = 40)]
        rounds: usize,
    },
    /// The server's memory with a file open and every feature asked once.
    Memory { file: Option<PathBuf> },
    /// Active-lane instructions a second of the simulator, with line statistics, as `warplens sim` runs it.
    Sim,
    /// Active-lane instructions a second of the WAVE machine, and how many times those of the reference emulator that is.
    Wave {
        /// How often each machine runs the kernel.
        #[arg(long, default_value_t = 9)]
        rounds: usize,
    },
    /// The first lanes after an edit: 1 block of 256 threads, 10^4 instructions a warp.
    Lanes {
        /// How many edits are timed.
        #[arg(long, default_value_t = 40)]
        rounds: usize,
    },
}

fn main() -> Result<()> {
    match Args::parse().what {
        What::Parse { file } => parse::run(file),
        What::CheckWave { file } => check_wave::run(file),
        What::Latency { wave: true, bytes, rounds, .. } => {
            latency::run(Some(check_wave::text()), bytes, rounds)
        }
        What::Latency { file, bytes, rounds, .. } => latency::run(sample::text(file)?, bytes, rounds),
        What::Memory { file } => memory::run(file),
        What::Sim => sim::run(),
        What::Wave { rounds } => wave::run(rounds),
        What::Lanes { rounds } => lanes::run(rounds),
    }
}
