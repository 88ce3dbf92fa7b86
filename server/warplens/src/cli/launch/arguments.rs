//! The arguments that select a launch and its limits.

use std::path::{Path, PathBuf};

use anyhow::{Error, Result, anyhow};
use clap::Args;
use warplens_ide::Language;
use warplens_ide::lanes::{Choice, RunRequest, RunSettings};
use warplens_sim_launch::{Launch, arguments, extent};

use crate::cli::input::STANDARD_INPUT;
use warplens_lsp::launch_file;

#[derive(Args)]
pub(crate) struct LaunchArguments {
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

    /// PTX, SASS: blocks in a cluster in x, y, z
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = extent)]
    cluster: Option<[u32; 3]>,

    /// An argument, in parameter order: `n=u32:100`, `x=f32[100]:iota`, `y=f32:[1,2,3]`, `z=@x`; the name is optional.
    /// `p.0=…`, `p.8=…` are fields of the structure `p` at these byte offsets
    #[arg(long = "arg", value_name = "NAME=VALUE", allow_hyphen_values = true)]
    args: Vec<String>,

    /// The launch file (default: the nearest warplens.toml or warplens.json in the folder of the file or above it), or `-`
    /// for launches, or the keys of one, on standard input
    #[arg(long, value_name = "PATH")]
    pub(crate) launches: Option<PathBuf>,

    /// WAVE: lanes in a wave
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    wave_width: Option<u32>,

    /// The limit of warp instructions of the whole launch
    #[arg(long, value_name = "N", default_value_t = RunSettings::default().max_steps)]
    max_steps: u64,

    /// The limit in megabytes of the trace and of shadow memory together; blocks that have not ended may use half as much, and the
    /// records of their warps as much again
    #[arg(long, value_name = "MB", default_value_t = RunSettings::default().memory)]
    memory: u64,
}

impl LaunchArguments {
    /// The arguments that name a launch, with the usual limits unless others are given.
    pub(crate) fn named(
        entry: Option<String>,
        launch: Option<String>,
        launches: Option<PathBuf>,
        max_steps: Option<u64>,
    ) -> LaunchArguments {
        let usual = RunSettings::default();
        LaunchArguments {
            launch,
            entry,
            grid: None,
            block: None,
            cluster: None,
            args: Vec::new(),
            launches,
            wave_width: None,
            max_steps: max_steps.unwrap_or(usual.max_steps),
            memory: usual.memory,
        }
    }

    /// The run of a file under a model. `settings` select the recorded data; the limits are those of the arguments.
    pub(crate) fn request(
        &self,
        language: Language,
        model: Option<&str>,
        settings: RunSettings,
    ) -> Result<RunRequest> {
        let model = model.map(|name| warplens_ide::model(language, name)).transpose();
        let model = model.map_err(|unknown| anyhow!("{unknown}"))?;
        Ok(RunRequest {
            entry: self.entry.clone(),
            launch: self.choice()?,
            wave_width: self.wave_width,
            model,
            usual_model: None,
            options: RunSettings { max_steps: self.max_steps, memory: self.memory, ..settings }.options(),
        })
    }

    /// The launch file of the arguments, or the nearest one to `file`.
    pub(crate) fn path(&self, file: &Path) -> Option<PathBuf> {
        let is_file = file.as_os_str() != STANDARD_INPUT;
        self.launches.clone().or_else(|| is_file.then(|| launch_file::nearest(file)).flatten())
    }

    /// The limit of a trace in bytes.
    pub(crate) fn trace_bytes(&self) -> usize {
        // The other quarter is for the run's own trace.
        usize::try_from(self.memory.saturating_mul(3 << 18)).unwrap_or(usize::MAX)
    }

    fn choice(&self) -> Result<Choice> {
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
            args: arguments(&self.args).map_err(|problem| Error::msg(problem.message))?,
            ..Launch::default()
        })))
    }
}
