//! The options of `cargo xtask measure kernels`.

use std::path::PathBuf;

use clap::Args;

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
    /// A folder for the modules with differences.
    #[arg(long)]
    pub(super) keep: Option<PathBuf>,
    /// Writes the kernels and a `cases.json` for `tests/gpu/record.py` into this folder, and compares nothing.
    #[arg(long)]
    pub(super) export: Option<PathBuf>,
}
