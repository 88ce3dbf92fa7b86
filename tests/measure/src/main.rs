//! Compares the verdicts of Warplens with those of the assemblers: NVIDIA's `ptxas`, on statements generated from the tables and
//! on files, and WAVE's `wave-asm`, on programs and mutations of them. `ptxas` is looked for in `WARPLENS_PTXAS`, in `.oracle/`
//! and on the path; `docs/measurements.md` says how to get it; `wave-asm` is a crate. Nothing here is needed to build or to test.

mod agreement;
mod corpus;
mod filling;
mod judge;
mod known;
mod mutation;
mod oracle;
mod scaffold;
mod statement;
mod wave;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask measure")]
struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Statements generated from the forms of the tables, and mutations of them.
    Ptxas(agreement::Options),
    /// Files with the verdicts of the assembler beside them (see `corpus` in docs/measurements.md).
    Corpus {
        /// The folder that holds `ptx`, `ptx-exec` and `ptx-invalid`.
        #[arg(default_value = "../shared/corpus")]
        folder: PathBuf,
        /// Lists every file that disagrees.
        #[arg(long)]
        list: bool,
    },
    /// WAVE programs and mutations of them, with `wave-asm` 0.1.2 as the judge.
    Wave(wave::Options),
}

fn main() -> Result<()> {
    match Args::parse().what {
        What::Ptxas(options) => agreement::run(&options),
        What::Corpus { folder, list } => corpus::run(&folder, list),
        What::Wave(options) => wave::run(&options),
    }
}
