//! The arguments of `warplens sim`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use thiserror::Error;
use warplens_ide::Language;
use warplens_ide::lanes::{Choice, RunRequest, RunSettings, UnknownModel};
use warplens_sim::WarpId;
use warplens_sim::launch::{Launch, arguments, extent};

use crate::cli::input::{STANDARD_INPUT, language_parser};
use crate::launch_file;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The file, or `-` for standard input
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,

    /// The language, instead of that of the file extension
    #[arg(long, value_parser = language_parser())]
    pub(super) language: Option<Language>,

    /// The launch with this name (default: the first one in the launch file or a comment, otherwise an inferred launch)
    #[arg(long, value_name = "NAME", conflicts_with_all = ["grid", "block", "cluster", "args"])]
    launch: Option<String>,

    /// The kernel
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,

    /// Blocks (workgroups) in x, y, z
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = extent)]
    grid: Option<[u32; 3]>,

    /// Threads in a block (workgroup) in x, y, z
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = extent)]
    block: Option<[u32; 3]>,

    /// PTX: blocks in a cluster in x, y, z
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = extent)]
    cluster: Option<[u32; 3]>,

    /// An argument, in parameter order: `n=u32:100`, `x=f32[100]:iota`, `y=f32:[1,2,3]`, `z=@x`; the name is optional.
    /// `p.0=…`, `p.8=…` are fields of the structure `p` at these byte offsets
    #[arg(long = "arg", value_name = "NAME=VALUE", allow_hyphen_values = true)]
    args: Vec<String>,

    /// The launch file (default: the nearest warplens.toml or warplens.json in the folder of the file or above it), or `-`
    /// for launches, or the keys of one, on standard input
    #[arg(long, value_name = "PATH")]
    pub(super) launches: Option<PathBuf>,

    /// WAVE: lanes in a wave
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    wave_width: Option<u32>,

    /// The divergence model: `stack`, `ipdom`, `frontier` or `its` for PTX, `structured` or `wave-emu` for WAVE
    #[arg(long, value_name = "NAME")]
    model: Option<String>,

    /// The limit of warp instructions of the whole launch
    #[arg(long, value_name = "N", default_value_t = RunSettings::default().max_steps)]
    max_steps: u64,

    /// The limit in megabytes of the trace and of shadow memory together
    #[arg(long, value_name = "MB", default_value_t = RunSettings::default().memory)]
    memory: u64,

    /// Also print the final contents of this buffer (repeatable; `all` for all buffers)
    #[arg(long, value_name = "NAME")]
    pub(super) dump: Vec<String>,

    /// Only this warp
    #[arg(long, value_name = "X,Y,Z:W", value_parser = warp)]
    pub(super) warp: Option<WarpId>,

    /// Also print the final values of registers
    #[arg(long)]
    registers: bool,

    /// Also count, for each line, sectors of global memory, wavefronts of shared memory, and lane utilization
    #[arg(long)]
    counters: bool,

    /// Do not check for data races, uninitialized reads and divisions by zero, which is faster
    #[arg(long)]
    no_checks: bool,

    /// Run again when the file or its launch file changes
    #[arg(long)]
    pub(super) watch: bool,

    /// The output format
    #[arg(long, value_enum, default_value = "human")]
    pub(super) format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// The source with the lanes of each line
    Human,
    /// One JSON document
    Json,
    /// The listing as a page
    Html,
    /// The listing as a picture
    Svg,
}

/// An argument does not apply to the file.
#[derive(Debug, Error)]
pub(super) enum ArgumentError {
    #[error("--model: {0}")]
    Model(#[from] UnknownModel),
    #[error("{0}")]
    Launch(String),
}

impl Arguments {
    /// The run of a file in `language`.
    pub(super) fn request(&self, language: Language) -> Result<RunRequest, ArgumentError> {
        let model = self.model.as_deref().map(|name| warplens_ide::model(language, name)).transpose()?;
        Ok(RunRequest {
            entry: self.entry.clone(),
            launch: self.choice()?,
            wave_width: self.wave_width,
            model,
            usual_model: None,
            options: RunSettings {
                max_steps: self.max_steps,
                memory: self.memory,
                counters: self.counters,
                checks: !self.no_checks,
                registers: self.registers,
                warp: self.warp,
            }
            .options(),
        })
    }

    /// The launch file, or the nearest one.
    pub(super) fn launch_path(&self) -> Option<PathBuf> {
        let is_file = self.file.as_os_str() != STANDARD_INPUT;
        self.launches.clone().or_else(|| is_file.then(|| launch_file::nearest(&self.file)).flatten())
    }

    fn choice(&self) -> Result<Choice, ArgumentError> {
        if let Some(name) = &self.launch {
            return Ok(Choice::of_name(name));
        }
        let sizes = [self.grid, self.block, self.cluster];
        if sizes.iter().all(Option::is_none) && self.args.is_empty() {
            return Ok(Choice::First);
        }
        Ok(Choice::Given(Box::new(Launch {
            name: "command line".to_owned(),
            entry: self.entry.clone(),
            grid: self.grid,
            block: self.block,
            cluster: self.cluster,
            args: arguments(&self.args).map_err(|problem| ArgumentError::Launch(problem.message))?,
            ..Launch::default()
        })))
    }
}

/// A value is not a warp.
#[derive(Debug, PartialEq, Error)]
#[error("`{0}` is not a warp: use X,Y,Z:W, such as 1,0,0:3 for warp 3 of block 1,0,0")]
struct InvalidWarp(String);

/// Parses `X,Y,Z:W`.
fn warp(flag: &str) -> Result<WarpId, InvalidWarp> {
    let invalid = || InvalidWarp(flag.to_owned());
    let (block, warp) = flag.split_once(':').ok_or_else(invalid)?;
    let numbers: Vec<u32> =
        block.split(',').map(|part| part.trim().parse().map_err(|_| invalid())).collect::<Result<_, _>>()?;
    let cta = <[u32; 3]>::try_from(numbers).map_err(|_| invalid())?;
    Ok(WarpId { cta, warp: warp.trim().parse().map_err(|_| invalid())? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warps() {
        assert_eq!(warp("1,0,2:3"), Ok(WarpId { cta: [1, 0, 2], warp: 3 }));
        for invalid in ["", "1", "1,0:2", "1,0,0", "1,0,0:x", "1,0,0,0:1", "-1,0,0:1"] {
            assert!(warp(invalid).is_err(), "{invalid}");
        }
    }
}
