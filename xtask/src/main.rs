//! The project's chores, run as `cargo xtask NAME`. Product code never lives here.

mod codegen;

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Chores of the Warplens project")]
struct Args {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Writes the generated files (or, with --check, says which are stale).
    Codegen {
        /// Write nothing; fail if a file is not up to date.
        #[arg(long)]
        check: bool,
    },
}

fn main() -> Result<()> {
    match Args::parse().chore {
        Chore::Codegen { check } => {
            codegen::run(if check { codegen::Mode::Check } else { codegen::Mode::Write })
        }
    }
}

/// The folder of the workspace's Cargo.toml.
pub(crate) fn project_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(1)
        .expect("xtask lies in the workspace")
        .to_path_buf()
}
