//! The arguments of `warplens sim`.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use warplens_ide::Language;
use warplens_ide::lanes::{RunRequest, RunSettings};
use warplens_sim_warp::WarpId;

use super::warp_choice::WarpChoice;

use crate::cli::input::language_parser;
use crate::cli::launch::LaunchArguments;
use crate::cli::schedules::ScheduleArguments;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The file, or `-` for standard input
    #[arg(value_name = "FILE", required_unless_present = "batch")]
    pub(super) file: Option<PathBuf>,

    /// The language (default: according to the file extension)
    #[arg(long, value_parser = language_parser())]
    pub(super) language: Option<Language>,

    #[command(flatten)]
    pub(super) launch: LaunchArguments,

    /// The divergence model: `stack`, `ipdom`, `frontier` or `its` for PTX, `structured` or `wave-emu` for WAVE
    #[arg(long, value_name = "NAME")]
    model: Option<String>,

    /// Also print the final contents of this buffer (repeatable; `all` for all buffers)
    #[arg(long, value_name = "NAME")]
    pub(super) dump: Vec<String>,

    /// Write the final contents of each buffer to a file of this folder, NAME.bin
    #[arg(long, value_name = "DIR")]
    pub(super) save_buffers: Option<PathBuf>,

    /// Show only this warp; without a block, of block 0,0,0. `divergent` is the one with the fewest active lanes, `worst` the one that runs longest
    #[arg(long, value_name = "[X,Y,Z:]W|divergent|worst", value_parser = WarpChoice::parse)]
    pub(super) warp: Option<WarpChoice>,

    /// Also print the final values of registers
    #[arg(long)]
    registers: bool,

    /// Also count, for each line, sectors of global memory, wavefronts of shared memory, and lane utilization
    #[arg(long)]
    counters: bool,

    /// Do not check for data races, uninitialized reads and divisions by zero, which is faster
    #[arg(long)]
    no_checks: bool,

    #[command(flatten)]
    pub(super) schedules: ScheduleArguments,

    /// When asynchronous copies and products complete: as late as the waits of the program allow, or at issue
    #[arg(long = "async", value_name = "WHEN", default_value = "late", value_parser = ["late", "eager"])]
    asynchronous: String,

    /// Print each step of the shown warp instead of the source: its line, its lanes, and the values that it wrote
    #[arg(long, conflicts_with = "counters")]
    pub(super) trace: bool,

    /// Run again when the file or its launch file changes
    #[arg(long)]
    pub(super) watch: bool,

    /// The output format
    #[arg(long, value_enum, default_value = "human")]
    pub(super) format: Format,

    /// Print the launches of the file instead of running one: those that are configured, those of host code, and the inferred ones
    #[arg(long, conflicts_with_all = ["batch", "trace", "counters", "watch", "launch", "dump", "save_buffers", "registers", "link"])]
    pub(super) list_launches: bool,

    /// Print the link of the page that shows the run, instead of running it
    #[arg(long, conflicts_with_all = ["batch", "trace", "watch", "format", "dump", "save_buffers", "registers"])]
    pub(super) link: bool,

    /// With --link: the address of the page. Without it the link is only its fragment
    #[arg(long, value_name = "URL", requires = "link", default_value = "", hide_default_value = true)]
    pub(super) link_base: String,

    /// Run many launches. Each line of this file (`-` for standard input) is a launch as JSON, with the keys of a launch file and an
    /// optional `id`. Each line of the output is a result. FILE is the source of launches without `file`
    #[arg(
        long,
        value_name = "LAUNCHES",
        conflicts_with_all = [
            "launch", "entry", "grid", "block", "cluster", "args", "launches", "trace", "watch", "format", "save_buffers",
        ]
    )]
    pub(super) batch: Option<PathBuf>,

    /// With --batch: add everything to the results that `--format json` prints
    #[arg(long, requires = "batch")]
    pub(super) full: bool,

    /// With --batch: skip the launches that have a result in this file
    #[arg(long, value_name = "RESULTS", requires = "batch")]
    pub(super) resume: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// The source with the lanes of each line
    Human,
    /// A JSON document, on one line, for each kernel
    Json,
    /// One SARIF 2.1.0 document, with a run for each kernel
    Sarif,
    /// A page with the lanes panel and the listing. It needs no server
    Html,
    /// The listing as a picture
    Svg,
}

impl Arguments {
    /// The run of a file in `language`.
    pub(super) fn request(&self, language: Language) -> Result<RunRequest> {
        let settings = RunSettings {
            counters: self.counters,
            checks: !self.no_checks,
            eager: self.asynchronous == "eager",
            registers: self.registers,
            warp: self.known_warp(),
            one_warp: self.known_warp().is_some(),
            ..RunSettings::default()
        };
        self.launch.request(language, self.model.as_deref(), settings)
    }

    /// The warp to show, if it does not depend on the run.
    pub(super) fn known_warp(&self) -> Option<WarpId> {
        self.warp.and_then(WarpChoice::known)
    }

    /// An option that only affects the lanes, registers and buffers of a result, if one is set.
    pub(super) fn option_of_lanes(&self) -> Option<&'static str> {
        let options = [
            ("--dump", !self.dump.is_empty()),
            ("--warp", self.warp.is_some()),
            ("--registers", self.registers),
            ("--counters", self.counters),
        ];
        options.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name)
    }
}
