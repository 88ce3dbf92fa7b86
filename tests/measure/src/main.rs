//! Compares the verdicts of Warplens with those of assemblers: NVIDIA's `ptxas`, on generated statements and on files, and WAVE's
//! `wave-asm`, on programs and mutations of them. `ptxas` is searched in `WARPLENS_PTXAS`, in `.oracle/` and on the path
//! (`docs/measurements.md` names its package); `wave-asm` is a crate. Building and testing do not require `ptxas`.

mod agreement;
mod corpus;
mod filling;
mod folder;
mod inferred;
mod inline;
mod judge;
mod kernels;
mod known;
mod mutation;
mod oracle;
mod scaffold;
mod statement;
mod tensor;
mod wave;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask measure")]
struct Args {
    #[command(subcommand)]
    comparison: Comparison,
}

#[derive(Subcommand)]
enum Comparison {
    /// Statements generated from the forms of the tables, and mutations of them.
    Ptxas(agreement::Options),
    /// Files with known verdicts of the assembler (see `corpus` in docs/measurements.md). A folder without verdicts is judged by
    /// the assembler.
    Corpus {
        /// The folder with `ptx`, `ptx-exec` and `ptx-invalid`, or any folder of PTX files.
        #[arg(default_value = "../shared/corpus")]
        folder: PathBuf,
        /// Lists every file that disagrees. Without known verdicts, they are always listed.
        #[arg(long)]
        list: bool,
        /// Judges the files with this assembler (default: WARPLENS_PTXAS), even if verdicts are known.
        #[arg(long, value_name = "PATH")]
        ptxas: Option<PathBuf>,
    },
    /// Inferred launches over the kernels of the corpora: how they end, and warnings and errors about right kernels.
    Inferred(inferred::Options),
    /// Statements of inline PTX in folders of host code, and mutations of them.
    Inline(inline::Options),
    /// The cases and bugs of the corpus of tensor instructions.
    Tensor(tensor::Options),
    /// Random kernels, PTX with the machine code that ptxas makes of it.
    Kernels(kernels::Options),
    /// WAVE programs and mutations of them, with `wave-asm` 0.1.2 as the judge.
    Wave(wave::Options),
}

fn main() -> Result<()> {
    match Args::parse().comparison {
        Comparison::Ptxas(options) => agreement::run(&options),
        Comparison::Corpus { folder, list, ptxas: None } if folder.join(corpus::VERDICTS).exists() => {
            corpus::run(&folder, list)
        }
        Comparison::Corpus { folder, ptxas, .. } => folder::run(&folder, ptxas),
        Comparison::Inferred(options) => inferred::run(&options),
        Comparison::Inline(options) => inline::run(&options),
        Comparison::Tensor(options) => tensor::run(&options),
        Comparison::Kernels(options) => kernels::run(&options),
        Comparison::Wave(options) => wave::run(&options),
    }
}
