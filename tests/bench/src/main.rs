//! Measures Warplens as a program and prints the figures of `docs/measurements.md`. Nothing here asserts a
//! time, because the figures depend on the load of the machine.

mod check_wave;
mod client;
mod lanes;
mod latency;
mod long_run;
mod memory;
mod panel;
mod parse;
mod processor;
mod sample;
mod sass;
mod sim;
mod soak;
mod statistics;
mod synthetic;
mod wave;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Parser, Subcommand};

use synthetic::Synthetic;

#[derive(Parser)]
#[command(name = "cargo xtask bench")]
struct Args {
    #[command(subcommand)]
    measurement: Measurement,
}

#[derive(Subcommand)]
enum Measurement {
    /// Text to tree: megabytes a second on one core, in release.
    Parse { file: Option<PathBuf> },
    /// All checks of a WAVE file of 5 MB, and `wave-asm` on it, in release, on one thread.
    CheckWave { file: Option<PathBuf> },
    /// Edits in the middle of a file, over stdio, to the complete diagnostics of that version; and hovers.
    Latency {
        file: Option<PathBuf>,
        /// Use the synthetic WAVE file of 5 MB.
        #[arg(long, conflicts_with = "file")]
        wave: bool,
        /// Use a synthetic PTX file.
        #[arg(long, conflicts_with_all = ["file", "wave"])]
        synthetic: Option<Synthetic>,
        /// Cut the file after this many bytes (at the end of a function).
        #[arg(long)]
        bytes: Option<usize>,
        /// How often each kind of edit is made.
        #[arg(long, default_value_t = 40)]
        rounds: usize,
    },
    /// The server's memory with a file open, after one request for every feature.
    Memory { file: Option<PathBuf> },
    /// Active-lane instructions a second of the simulator, with line statistics, as `warplens sim` runs it.
    Sim,
    /// The same of machine code, compared with the PTX that it was made from.
    Sass,
    /// Active-lane instructions a second of the WAVE machine, compared with the reference emulator.
    Wave {
        /// How often each machine runs the kernel.
        #[arg(long, default_value_t = 9)]
        rounds: usize,
    },
    /// The server's memory over a long time of random, realistic work (`cargo xtask soak`).
    Soak {
        #[arg(long, default_value_t = 120)]
        minutes: u64,
        /// The seed of the work; a new one by default.
        #[arg(long)]
        seed: Option<u64>,
    },
    /// The first lanes after an edit: 1 block of 256 threads, 10^4 instructions a warp.
    Lanes {
        /// How many edits are timed.
        #[arg(long, default_value_t = 40)]
        rounds: usize,
    },
    /// A launch of 10^9 lane instructions with all checks, over stdio: first lanes, progress, cores, stopping.
    LongRun {
        /// How often it is run.
        #[arg(long, default_value_t = 5)]
        rounds: usize,
    },
    /// The requests of the lanes panel for runs of 10^6 and 10^7 steps, over stdio.
    Panel {
        /// How often each request is made.
        #[arg(long, default_value_t = 40)]
        rounds: usize,
    },
}

fn main() -> Result<()> {
    match Args::parse().measurement {
        Measurement::Parse { file } => parse::run(file),
        Measurement::CheckWave { file } => check_wave::run(file),
        Measurement::Latency { wave: true, bytes, rounds, .. } => {
            latency::run(Some(check_wave::text()), bytes, rounds)
        }
        Measurement::Latency { synthetic: Some(synthetic), bytes, rounds, .. } => {
            latency::run(Some(synthetic.text()), bytes, rounds)
        }
        Measurement::Latency { file, bytes, rounds, .. } => latency::run(sample::text(file)?, bytes, rounds),
        Measurement::Memory { file } => memory::run(file),
        Measurement::Sim => sim::run(),
        Measurement::Sass => sass::run(),
        Measurement::Wave { rounds } => wave::run(rounds),
        Measurement::Soak { minutes, seed } => soak::run(minutes, seed),
        Measurement::Lanes { rounds } => lanes::run(rounds),
        Measurement::LongRun { rounds } => long_run::run(rounds),
        Measurement::Panel { rounds } => panel::run(rounds),
    }
}
