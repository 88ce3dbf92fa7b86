//! `warplens compare`: runs a launch on two kernels, or on one kernel under two models, and prints the first difference.

mod assembled;
mod human;
pub(super) mod json;
mod reduce;
#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use warplens_ide::Language;
use warplens_ide::lanes::compare::Equality;
use warplens_ide::lanes::{RunRequest, RunSettings};
use warplens_sim_warp::Control;
use warplens_tools::comparison::compared::Compared;
use warplens_tools::comparison::contraction;
use warplens_tools::comparison::random::{self, Random};
use warplens_tools::comparison::sides::Sides;
use warplens_tools::source::{Launches, Source};

use assembled::Assembler;
use reduce::{Other, Pair, Reduced};

use super::files::Input;
use super::input::language_parser;
use super::launch::{LaunchArguments, note_errors, read_launches, read_source};
use super::outcome::{Outcome, unusable};
use warplens_lsp::language;
use warplens_system::cores::Cores;

#[derive(Args)]
pub(super) struct Arguments {
    /// The file
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The file to compare with. It runs with the same launch
    #[arg(value_name = "OTHER")]
    other: Option<PathBuf>,

    /// The kernel to compare with, in OTHER if there is one, else in FILE (default: the kernel of the same name, or the only one)
    #[arg(long, value_name = "NAME")]
    other_entry: Option<String>,

    /// The divergence models of the two runs, such as `stack,its`, or one model for both
    #[arg(long, value_name = "A[,B]", value_delimiter = ',')]
    models: Vec<String>,

    /// Treat floats as equal if they differ by at most X
    #[arg(long, value_name = "X", default_value_t = 0.0, value_parser = tolerance)]
    tolerance: f64,

    /// Treat floats as equal if they are at most N steps between neighboring floats apart
    #[arg(long, value_name = "N", default_value_t = 0)]
    ulp: u64,

    /// Draw K launches from the launch, with other sizes and with edge values as arguments
    #[arg(long, value_name = "K")]
    random: Option<usize>,

    /// The seed of the drawn launches (default: a new one each time; it is printed)
    #[arg(long, value_name = "N", requires = "random")]
    seed: Option<u64>,

    /// Assemble FILE with this ptxas, and compare it with the listing of the machine code (default: WARPLENS_PTXAS, or ptxas in PATH;
    /// nvdisasm is taken from the same folder)
    #[arg(long, value_name = "PATH", num_args = 0..=1, conflicts_with_all = ["other", "other_entry"])]
    ptxas: Option<Option<PathBuf>>,

    /// The optimization levels of ptxas, such as `-O0,-O1,-O3`
    #[arg(short = 'O', value_name = "LEVEL", value_delimiter = ',', value_parser = level, requires = "ptxas", default_value = "3")]
    levels: Vec<u8>,

    /// The targets to assemble for, such as `sm_80,sm_90` (default: the target of the file)
    #[arg(long, value_name = "TARGET", value_delimiter = ',', requires = "ptxas")]
    target: Vec<String>,

    /// The time limit of each run of ptxas and nvdisasm in seconds
    #[arg(long, value_name = "SECONDS", requires = "ptxas", default_value_t = 60)]
    ptxas_limit: u64,

    /// Remove statements of FILE while the results differ, and write the smallest kernels with their launch
    #[arg(long)]
    reduce: bool,

    /// The folder of the smallest kernels (default: `NAME.reduced` for NAME.ptx)
    #[arg(short, long, value_name = "DIR", requires = "reduce")]
    output: Option<PathBuf>,

    /// The time limit of the reduction in seconds; the smallest kernels so far are written
    #[arg(long, value_name = "SECONDS", requires = "reduce", default_value_t = 600)]
    reduce_limit: u64,

    /// The language (default: according to the file extension)
    #[arg(long, value_parser = language_parser())]
    language: Option<Language>,

    #[command(flatten)]
    launch: LaunchArguments,

    /// The output format
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The results, and the first difference
    Human,
    /// One JSON document
    Json,
}

pub(super) fn run(arguments: &Arguments) -> io::Result<Outcome> {
    let mut out = anstream::stdout().lock();
    let mut outcome = Outcome::Success;
    let mut written = Ok(());
    let ended = compare(arguments, &mut |compared, reduced| {
        outcome = outcome.max(outcome_of(&compared));
        if written.is_ok() {
            written =
                write(&compared, reduced.as_ref(), arguments.format, &mut out).and_then(|()| out.flush());
        }
    });
    written?;
    if let Err(error) = ended {
        return Ok(unusable(error));
    }
    Ok(outcome)
}

fn outcome_of(compared: &Compared) -> Outcome {
    if compared.comparison.is_equal() { Outcome::Success } else { Outcome::Errors }
}

/// Parses an optimization level: `0`, `-O0`.
fn level(text: &str) -> Result<u8, String> {
    let digit = text.trim_start_matches('-').trim_start_matches('O');
    let level = digit.parse().ok().filter(|level| *level <= 3);
    level.ok_or_else(|| format!("`{text}` is not a level: ptxas has -O0 to -O3"))
}

fn write(
    compared: &Compared,
    reduced: Option<&Reduced>,
    format: Format,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Human => human::write(compared, reduced, out),
        Format::Json => json::write(compared, reduced, out),
    }
}

/// Calls `found` with each comparison: with `--ptxas`, there is one for each target and level.
fn compare(arguments: &Arguments, found: &mut dyn FnMut(Compared, Option<Reduced>)) -> Result<()> {
    let models = arguments.both_models()?;
    let is_one_kernel =
        arguments.other.is_none() && arguments.other_entry.is_none() && arguments.ptxas.is_none();
    if is_one_kernel && models[0] == models[1] {
        bail!("nothing to compare: name another file, `--other-entry`, or two models with `--models`");
    }
    let source = read_source(&Input::named(&arguments.file), arguments.language)?;
    let mut request = request(arguments, &source, models[0])?;
    let launches = read_launches(&source, &arguments.file, &arguments.launch, &mut request)?;
    note_errors(&source);
    let mut folder = arguments.reduction_folder()?;
    let first = First { arguments, source: &source, request, launches, is_one_kernel, cores: Cores::all() };
    let mut with = |other: &Source, made: Other<'_>| -> Result<()> {
        let (compared, reduced) = first.compare(other, models[1], made, &mut folder)?;
        found(compared, reduced);
        Ok(())
    };
    if let Some(path) = &arguments.ptxas {
        let limit = Duration::from_secs(arguments.ptxas_limit);
        let assembler =
            Assembler::find(path.as_deref(), limit, &source, &arguments.target, &arguments.levels)?;
        return assembler.each(&source.text, &mut |listing, target, level| {
            with(&listing, Other::Assembled { assembler: &assembler, target, level })
        });
    }
    match &arguments.other {
        Some(other) => {
            let other = read_source(&Input::named(other), arguments.other_language(other))?;
            note_errors(&other);
            with(&other, Other::Kernel(&other))
        }
        None if is_one_kernel => with(&source, Other::Same),
        None => with(&source, Other::Kernel(&source)),
    }
}

/// The first side of each comparison.
struct First<'a> {
    arguments: &'a Arguments,
    source: &'a Source,
    request: RunRequest,
    launches: Launches,
    /// Whether the other side is the same kernel, under another model.
    is_one_kernel: bool,
    cores: Cores,
}

impl First<'_> {
    /// Compares with another side. If the results differ and there is a folder for the reduction, the pair is reduced, and the folder is
    /// taken, so that only the first difference is reduced.
    fn compare(
        &self,
        other: &Source,
        model: Option<&str>,
        made: Other<'_>,
        folder: &mut Option<PathBuf>,
    ) -> Result<(Compared, Option<Reduced>)> {
        let First { arguments, source, launches, .. } = self;
        if arguments.reduce {
            reduce::check(source, &made)?;
        }
        let requests = [self.request.clone(), request(arguments, other, model)?];
        let sides = Sides {
            requests: requests.clone(),
            sources: [source, other],
            launches,
            is_one_kernel: self.is_one_kernel,
            other_entry: arguments.other_entry.as_deref(),
            control: Control { workers: Some(&self.cores), ..Control::none() },
        };
        let compared = compare_sides(&sides, arguments)?;
        let Some(folder) = folder.take_if(|_| !compared.comparison.is_equal()) else {
            return Ok((compared, None));
        };
        let (other_entry, equality) = (sides.other_entry, arguments.equality());
        let pair = Pair { source, other: made, requests, launches, other_entry, equality };
        let limit = Duration::from_secs(arguments.reduce_limit);
        let reduced = reduce::reduce(pair, &compared, limit, &folder)?;
        Ok((compared, Some(reduced)))
    }
}

/// Runs the two kernels with the requested launch, or with launches that are drawn from it.
fn compare_sides(sides: &Sides<'_>, arguments: &Arguments) -> Result<Compared> {
    let first = sides.first()?;
    let equality = arguments.equality();
    if let Some(launches) = arguments.random {
        let random = Random { launches, seed: arguments.seed.unwrap_or_else(random::seed) };
        // On a terminal only.
        let style = ProgressStyle::with_template("{bar:20} launch {pos} of {len}, {msg}");
        let line = ProgressBar::new(launches as u64).with_style(style.expect("valid template"));
        let compared = random::compare(sides, &first, random, equality, &mut |compared, drawn| {
            line.set_position(compared as u64);
            line.set_message(format!("{} discarded", drawn.discarded + drawn.discarded_by_other));
        });
        line.finish_and_clear();
        return Ok(compared?);
    }
    let other = sides.other(&first)?;
    let lane_bytes = sides.is_one_kernel.then(|| arguments.launch.trace_bytes());
    Ok(contraction::compare(sides, [first, other], equality, lane_bytes)?)
}

fn tolerance(text: &str) -> Result<f64, String> {
    let tolerance = text.parse().map_err(|_| "not a number")?;
    if tolerance >= 0.0 { Ok(tolerance) } else { Err("a tolerance is 0 or more".to_owned()) }
}

impl Arguments {
    /// The models of the two runs.
    fn both_models(&self) -> Result<[Option<&str>; 2]> {
        match &self.models[..] {
            [] => Ok([None; 2]),
            [both] => Ok([Some(both.as_str()); 2]),
            [one, other] => Ok([Some(one.as_str()), Some(other.as_str())]),
            many => bail!("--models: {} models are named; two runs have at most two", many.len()),
        }
    }

    fn equality(&self) -> Equality {
        Equality { tolerance: self.tolerance, ulp: self.ulp }
    }

    /// The folder of the reduction, after a check that its files can be written there; `None` if no reduction is requested.
    fn reduction_folder(&self) -> Result<Option<PathBuf>> {
        let folder = || self.output.clone().unwrap_or_else(|| reduce::files::folder(&self.file));
        let folder = self.reduce.then(folder);
        folder.as_deref().map_or(Ok(()), reduce::files::check)?;
        Ok(folder)
    }

    /// The language of the other file: `--language`, unless the extension determines it.
    fn other_language(&self, other: &Path) -> Option<Language> {
        self.language.filter(|_| language::of_file(other, "").is_err())
    }
}

fn request(arguments: &Arguments, source: &Source, model: Option<&str>) -> Result<RunRequest> {
    arguments.launch.request(source.language, model, RunSettings::default())
}
