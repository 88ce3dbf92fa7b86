//! What `warplens sim` is asked for.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use warplens_ide::Language;
use warplens_ide::lanes::{Choice, RunRequest};
use warplens_sim::launch::{Launch, arguments, extent};
use warplens_sim::{Checks, Limits, RunOptions, WarpId};

use crate::cli::LanguageName;

#[derive(Args)]
pub(in crate::cli) struct Arguments {
    /// The file, or `-` for standard input
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,

    /// The language, whatever the file is called
    #[arg(long, value_enum)]
    pub(super) language: Option<LanguageName>,

    /// The launch of this name; without it the first that the launch file or a comment has for the file, else an inferred one
    #[arg(long, value_name = "NAME", conflicts_with_all = ["grid", "block", "cluster", "args"])]
    launch: Option<String>,

    /// The kernel
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,

    /// Blocks (workgroups) in x, y, z
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = extent)]
    grid: Option<[u32; 3]>,

    /// Threads of a block (workgroup) in x, y, z
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = extent)]
    block: Option<[u32; 3]>,

    /// PTX: blocks of a cluster in x, y, z
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = extent)]
    cluster: Option<[u32; 3]>,

    /// An argument, in parameter order: `n=u32:100`, `x=f32[100]:iota`, `y=f32:[1,2,3]`, `z=@x`; the name may be left out.
    /// `p.0=…`, `p.8=…` are fields of the structure `p`, by their first byte
    #[arg(long = "arg", value_name = "NAME=VALUE", allow_hyphen_values = true)]
    args: Vec<String>,

    /// The launch file, instead of the nearest warplens.toml (or warplens.json) upward
    #[arg(long, value_name = "PATH")]
    pub(super) launches: Option<PathBuf>,

    /// WAVE: lanes of a wave
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    wave_width: Option<u32>,

    /// How lanes part and meet: `stack`, `ipdom`, `frontier` or `its` for PTX, `structured` or `wave-emu` for WAVE
    #[arg(long, value_name = "NAME")]
    model: Option<String>,

    /// Warp instructions of the whole launch after which the run stops
    #[arg(long, value_name = "N", default_value_t = Limits::default().max_steps)]
    max_steps: u64,

    /// Megabytes for the trace and for what checks keep of memory, together
    #[arg(long, value_name = "MB", default_value_t = Limits::RECORDS >> 20)]
    memory: u64,

    /// Also give this buffer as the run left it (repeatable; `all` for all)
    #[arg(long, value_name = "NAME")]
    pub(super) dump: Vec<String>,

    /// Only this warp
    #[arg(long, value_name = "X,Y,Z:W", value_parser = warp)]
    pub(super) warp: Option<WarpId>,

    /// Also give the final values of registers
    #[arg(long)]
    registers: bool,

    /// Also count, line by line, sectors of global memory, wavefronts of shared memory, and the use of lanes
    #[arg(long)]
    counters: bool,

    /// Look for no data races, uninitialized reads and divisions by zero, which takes time
    #[arg(long)]
    no_checks: bool,

    /// How the run is written
    #[arg(long, value_enum, default_value = "human")]
    pub(super) format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// The source with the lanes of each line, for people
    Human,
    /// One JSON document
    Json,
}

impl Arguments {
    /// What is to be run of a file in `language`.
    pub(super) fn request(&self, language: Language) -> Result<RunRequest, String> {
        let model = self
            .model
            .as_deref()
            .map(|name| warplens_ide::model(language, name).map_err(|unknown| unknown.to_string()))
            .transpose();
        let limits = Limits { max_steps: self.max_steps, ..Limits::default() };
        let limits = limits.with_records(self.memory.saturating_mul(1 << 20));
        Ok(RunRequest {
            entry: self.entry.clone(),
            launch: self.choice()?,
            wave_width: self.wave_width,
            model: model.map_err(|message| format!("--model: {message}"))?,
            usual_model: None,
            options: RunOptions {
                limits,
                registers: self.registers,
                warp: self.warp,
                checks: if self.no_checks { Checks::default() } else { Checks::ALL },
                counters: self.counters,
                trace: None,
            },
        })
    }

    fn choice(&self) -> Result<Choice, String> {
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
            args: arguments(&self.args).map_err(|problem| problem.message)?,
            ..Launch::default()
        })))
    }
}

/// Reads `X,Y,Z:W`.
fn warp(flag: &str) -> Result<WarpId, String> {
    let wrong =
        || format!("`{flag}` names no warp: write X,Y,Z:W, such as 1,0,0:3 for warp 3 of block 1,0,0");
    let (block, warp) = flag.split_once(':').ok_or_else(wrong)?;
    let numbers: Vec<u32> =
        block.split(',').map(|part| part.trim().parse().map_err(|_| wrong())).collect::<Result<_, _>>()?;
    let cta = <[u32; 3]>::try_from(numbers).map_err(|_| wrong())?;
    Ok(WarpId { cta, warp: warp.trim().parse().map_err(|_| wrong())? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warps() {
        assert_eq!(warp("1,0,2:3"), Ok(WarpId { cta: [1, 0, 2], warp: 3 }));
        for wrong in ["", "1", "1,0:2", "1,0,0", "1,0,0:x", "1,0,0,0:1", "-1,0,0:1"] {
            assert!(warp(wrong).is_err(), "{wrong}");
        }
    }
}
