//! The options of `cargo xtask measure kernels`.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;

use super::generate::Style;

#[derive(Args)]
pub(crate) struct Options {
    /// The number of kernels.
    #[arg(long, default_value_t = 200)]
    pub(super) count: usize,
    /// The seed of the first module; the others have the seeds after it.
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// The kernels of a module, which are assembled together.
    #[arg(long, default_value_t = 32)]
    pub(super) module: usize,
    /// The modules that are compared at a time.
    #[arg(long, default_value_t = 1)]
    pub(super) jobs: usize,
    /// The targets of the assembler.
    #[arg(long, value_delimiter = ',', default_value = "sm_75,sm_80,sm_90,sm_100,sm_120")]
    pub(super) targets: Vec<String>,
    /// The optimization level of the assembler.
    #[arg(short = 'O', default_value_t = 3)]
    pub(super) level: u8,
    /// Floating-point statements as well, which need targets from sm_80 on.
    #[arg(long)]
    pub(super) floats: bool,
    /// The statements of a kernel without branches and loops (default: 8 to 39, with branches and loops).
    #[arg(long)]
    pub(super) statements: Option<usize>,
    /// A folder for the modules with differences.
    #[arg(long)]
    pub(super) keep: Option<PathBuf>,
    /// Writes the kernels and a `cases.json` for `tests/gpu/record.py` into this folder, and compares nothing.
    #[arg(long)]
    pub(super) export: Option<PathBuf>,
}

impl Options {
    pub(super) fn style(&self) -> Style {
        Style { has_floats: self.floats, statements: self.statements }
    }

    /// Checks that all targets support the statements.
    pub(super) fn check(&self) -> Result<()> {
        let is_old = |target: &&String| matches!(target.as_str(), "sm_70" | "sm_72" | "sm_75");
        match self.targets.iter().find(is_old) {
            Some(target) if self.floats => {
                bail!("{target} does not have all floating-point statements: name others with --targets")
            }
            _ => Ok(()),
        }
    }
}
