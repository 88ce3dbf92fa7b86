//! `warplens compare`: runs a launch on two kernels, or on one kernel under two models, and prints the first difference.

mod compared;
mod human;
mod json;
#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use thiserror::Error;
use warplens_ide::lanes::{Choice, RunRequest, RunSettings};
use warplens_ide::{Language, SymbolKind};
use warplens_sim::Cancelled;
use warplens_sim::launch::Launch;

use compared::{Compared, Run};

use super::input::language_parser;
use super::launch::{LaunchArguments, LaunchError, Launches, Source};
use super::outcome::{Outcome, print_message};

#[derive(Args)]
pub(super) struct Arguments {
    /// The file
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The file that it is compared with, which runs with the same launch
    #[arg(value_name = "OTHER")]
    other: Option<PathBuf>,

    /// The kernel that it is compared with, in OTHER or else in FILE (default: the kernel of the same name, or the only one)
    #[arg(long, value_name = "NAME")]
    other_entry: Option<String>,

    /// The two divergence models that are compared, or the one of both runs, such as `stack,its`
    #[arg(long, value_name = "A[,B]", value_delimiter = ',')]
    models: Vec<String>,

    /// The largest difference of floats that counts as equal
    #[arg(long, value_name = "X", default_value_t = 0.0)]
    tolerance: f64,

    /// The language, instead of that of the file extension
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

/// The arguments do not name two runs.
#[derive(Debug, Error)]
enum CompareError {
    #[error(transparent)]
    Launch(#[from] LaunchError),
    #[error("nothing to compare: name another file, `--other-entry`, or two models with `--models`")]
    OneRun,
    #[error("--models: {0} models are named; two runs have at most two")]
    ManyModels(usize),
}

pub(super) fn run(arguments: &Arguments) -> io::Result<Outcome> {
    let compared = match compare(arguments) {
        Ok(compared) => compared,
        Err(error) => {
            print_message(error);
            return Ok(Outcome::Unusable);
        }
    };
    let mut out = anstream::stdout().lock();
    write(&compared, arguments.format, &mut out)?;
    out.flush()?;
    Ok(compared.outcome())
}

fn write(compared: &Compared, format: Format, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Human => human::write(compared, out),
        Format::Json => json::write(compared, out),
    }
}

fn compare(arguments: &Arguments) -> Result<Compared, CompareError> {
    let models = match &arguments.models[..] {
        [] => [None; 2],
        [both] => [Some(both.as_str()); 2],
        [one, other] => [Some(one.as_str()), Some(other.as_str())],
        many => return Err(CompareError::ManyModels(many.len())),
    };
    let is_one_kernel = arguments.other.is_none() && arguments.other_entry.is_none();
    if is_one_kernel && models[0] == models[1] {
        return Err(CompareError::OneRun);
    }
    let source = Source::read(&arguments.file, arguments.language)?;
    let mut request = request(arguments, &source, models[0])?;
    let launches = Launches::read(&arguments.file, &arguments.launch, &mut request)?;
    let prepared = source.prepare(&request, &launches)?;
    source.note_errors();
    let first = Run::new(&source, prepared)?;
    let other = match &arguments.other {
        Some(other) => &Source::read(other, arguments.language)?,
        None => &source,
    };
    let launch = other_launch(arguments, other, &first.prepared.resolved.launch, is_one_kernel)?;
    let request = RunRequest {
        entry: None,
        launch: Choice::Given(Box::new(launch)),
        ..self::request(arguments, other, models[1])?
    };
    let prepared = other.prepare(&request, &launches)?;
    if arguments.other.is_some() {
        other.note_errors();
    }
    let runs = labelled([first, Run::new(other, prepared)?]);
    let lane_bytes = is_one_kernel.then(|| arguments.launch.trace_bytes());
    let compared = Compared::new(runs, arguments.tolerance, lane_bytes);
    Ok(compared.map_err(|Cancelled| LaunchError::Cancelled)?)
}

fn request(arguments: &Arguments, source: &Source, model: Option<&str>) -> Result<RunRequest, LaunchError> {
    Ok(arguments.launch.request(source.language, model, RunSettings::default())?)
}

/// The launch of the first run for the other kernel, which is called the same unless it is named, or is the only one of its
/// file.
fn other_launch(
    arguments: &Arguments,
    other: &Source,
    launch: &Launch,
    is_one_kernel: bool,
) -> Result<Launch, LaunchError> {
    let entry = match &arguments.other_entry {
        Some(entry) => Some(entry.clone()),
        None => {
            let symbols = other.analysis.symbols(other.file)?;
            let mut kernels = symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Kernel);
            kernels
                .any(|kernel| Some(&*kernel.name) == launch.entry.as_deref())
                .then(|| launch.entry.clone())
                .flatten()
        }
    };
    // Its expectations are about the first run, and its model is that of the first kernel's language.
    let model = launch.model.clone().filter(|_| is_one_kernel);
    Ok(Launch { entry, model, expect: Vec::new(), ..launch.clone() })
}

/// Labels the runs with what distinguishes them.
fn labelled(runs: [Run; 2]) -> [Run; 2] {
    let [one, other] = &runs;
    let labels = match () {
        () if one.path != other.path => [one.path.clone(), other.path.clone()],
        () if one.entry() != other.entry() => [one.entry().to_owned(), other.entry().to_owned()],
        () => [one, other].map(|run| run.prepared.model.name().to_owned()),
    };
    let [one, other] = runs;
    let [first, second] = labels;
    [Run { label: first, ..one }, Run { label: second, ..other }]
}
