//! `warplens sim`: runs a launch and prints the lanes that executed each line.

mod arguments;
mod listing;
mod picture;
mod progress;
mod registers;
mod simulated;
mod watch;

use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ropey::Rope;
use thiserror::Error;
use warplens_ide::lanes::report::{Options, Report};
use warplens_ide::lanes::{Choice, LaunchFile, LaunchProblem, Prepared, RunRequest};
use warplens_ide::{AnalysisHost, Cancelled, FileId, Severity, Symbol, SymbolKind, TextRange, TextSize};
use warplens_sim::launch::{Format, PlacedBuffer, launch_text};
use warplens_sim::{Control, RunResult, Status, WarpId};

pub(super) use arguments::Arguments;
use arguments::{ArgumentError, Format as OutputFormat};
use listing::Listing;
use progress::ProgressLine;
use simulated::Simulated;

use super::input::{ReadError, STANDARD_INPUT, open, read_named};
use super::outcome::{Outcome, print_message};
use super::terminal;
use crate::cores::Cores;
use crate::language::{self, LanguageError};
use crate::launch_file;

/// A launch cannot be run.
#[derive(Debug, Error)]
enum SimError {
    #[error("{path}: {error}")]
    Read { path: String, error: ReadError },
    #[error("{path}: {error}")]
    Language { path: String, error: LanguageError },
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    #[error(transparent)]
    LaunchFile(#[from] launch_file::Unreadable),
    #[error("{0}")]
    Launch(LaunchProblem),
    #[error("--dump: unknown buffer `{name}`: the launch has {}", known(.buffers))]
    Buffer { name: String, buffers: Vec<String> },
    #[error(
        "--warp: unknown warp: the launch has blocks 0,0,0 to {},{},{} and warps 0 to {warp} in each",
        block[0], block[1], block[2]
    )]
    Warp { block: [u32; 3], warp: u64 },
    #[error("standard input can be the file or the launches, not both")]
    TwoInputs,
    #[error("the run was stopped")]
    Cancelled,
}

impl From<Cancelled> for SimError {
    fn from(_: Cancelled) -> SimError {
        SimError::Cancelled
    }
}

fn known(buffers: &[String]) -> String {
    match buffers {
        [] => "no buffers".to_owned(),
        _ => format!("{}; `all` selects all", buffers.join(", ")),
    }
}

pub(super) fn run(arguments: &Arguments) -> io::Result<Outcome> {
    if arguments.watch {
        return watch::run(arguments, || run_once(arguments));
    }
    run_once(arguments)
}

fn run_once(arguments: &Arguments) -> io::Result<Outcome> {
    match simulate(arguments) {
        Ok(simulated) => {
            let mut out = anstream::stdout().lock();
            write(&simulated, arguments, &mut out)?;
            out.flush()?;
            Ok(simulated.outcome())
        }
        Err(error) => {
            print_message(error);
            Ok(Outcome::Unusable)
        }
    }
}

/// Reads, prepares and runs a launch.
fn simulate(arguments: &Arguments) -> Result<Simulated, SimError> {
    let path = arguments.file.display().to_string();
    let text = read_named(&arguments.file).map_err(|error| SimError::Read { path: path.clone(), error })?;
    let language = arguments.language.map_or_else(|| language::of_file(&arguments.file, &text), Ok);
    let language = language.map_err(|error| SimError::Language { path: path.clone(), error })?;
    let mut request = arguments.request(language)?;
    let (launches, base) = launches(arguments, &mut request)?;
    let mut host = AnalysisHost::new();
    let file =
        open(&mut host, language, &text).map_err(|error| SimError::Read { path: path.clone(), error })?;
    let analysis = host.snapshot();
    let prepared = analysis.prepare_run(file, &request, launches.as_ref(), &launch_file::contents(&base))?;
    let prepared = prepared.map_err(|problem| SimError::Launch(problem.in_path(&path)))?;
    let dump = buffers_to_dump(arguments, &prepared)?;
    check_warp(arguments.warp, &prepared)?;
    note_errors(&analysis, file, &path);
    let cores = Cores::all();
    let line = ProgressLine::new();
    let control =
        Control { workers: Some(&cores), progress: &|progress| line.show(progress), ..Control::none() };
    let result = prepared.run(control).map_err(|_| SimError::Cancelled)?;
    line.end();
    let text = Rope::from_str(&text);
    let hidden = hidden(&analysis.symbols(file)?, &prepared, &text);
    let failures = failures(&prepared, &result);
    Ok(Simulated { path, text, prepared, result: Arc::new(result), dump, failures, hidden })
}

/// The checks of the launch that failed. They are about the memory at the end, so they need a run that reached it.
fn failures(prepared: &Prepared, result: &RunResult) -> Vec<String> {
    match result.status {
        Status::Finished => {
            prepared.resolved.failures(result).into_iter().map(|failure| failure.message).collect()
        }
        _ if prepared.resolved.launch.expect.is_empty() => Vec::new(),
        Status::StepLimit => vec!["not checked: the run stopped at the step limit (--max-steps)".to_owned()],
        _ => vec!["not checked: the run did not finish".to_owned()],
    }
}

/// The lines of the kernels and functions that the run does not contain.
fn hidden(symbols: &[Symbol], prepared: &Prepared, text: &Rope) -> Vec<Range<usize>> {
    let mut starts: Vec<TextSize> = prepared.statements.iter().map(|at| at.range.start()).collect();
    starts.sort_unstable();
    let is_run = |range: TextRange| {
        let next = starts.partition_point(|start| *start < range.start());
        starts.get(next).is_some_and(|start| range.contains(*start))
    };
    let line = |offset: TextSize| text.byte_to_line(usize::from(offset).min(text.len_bytes()));
    let is_code = |symbol: &&Symbol| matches!(symbol.kind, SymbolKind::Kernel | SymbolKind::Function);
    let others = symbols.iter().filter(is_code).filter(|symbol| !is_run(symbol.range));
    others
        .map(|symbol| line(symbol.range.start())..line(symbol.range.end()) + 1)
        // A declaration is one line.
        .filter(|lines| lines.len() > 1)
        .collect()
}

/// The launch file, and the path that the files in it are relative to. A single launch on standard input becomes that of
/// the request.
fn launches(
    arguments: &Arguments,
    request: &mut RunRequest,
) -> Result<(Option<LaunchFile>, PathBuf), SimError> {
    let Some(path) = arguments.launch_path() else { return Ok((None, arguments.file.clone())) };
    if path.as_os_str() != STANDARD_INPUT {
        return Ok((Some(launch_file::read(&path, &arguments.file)?), path));
    }
    if arguments.file.as_os_str() == STANDARD_INPUT {
        return Err(SimError::TwoInputs);
    }
    let error = |error| SimError::Read { path: STANDARD_INPUT.to_owned(), error };
    let text = read_named(&path).map_err(error)?;
    let format = if text.trim_start().starts_with('{') { Format::Json } else { Format::Toml };
    let file = launch_file::of_text(text, format, STANDARD_INPUT.to_owned(), Path::new("."), &arguments.file);
    if warplens_sim::launch::launches(&file.text, format).is_ok() {
        return Ok((Some(file), PathBuf::from("launches")));
    }
    let launch = launch_text(&file.text, format).map_err(|problem| LaunchProblem::in_file(&problem, &file));
    request.launch = Choice::Given(Box::new(launch.map_err(SimError::Launch)?));
    Ok((None, PathBuf::from("launches")))
}

fn buffers_to_dump(arguments: &Arguments, prepared: &Prepared) -> Result<Vec<PlacedBuffer>, SimError> {
    let resolved = &prepared.resolved;
    if arguments.dump.iter().any(|name| name == "all") {
        return Ok(resolved.buffers.clone());
    }
    let buffer = |name: &String| {
        let buffers = || resolved.buffers.iter().map(|buffer| format!("`{}`", buffer.name)).collect();
        let found = resolved.buffer(name).cloned();
        found.ok_or_else(|| SimError::Buffer { name: name.clone(), buffers: buffers() })
    };
    arguments.dump.iter().map(buffer).collect()
}

/// The output of a warp that the launch does not have would be empty.
fn check_warp(warp: Option<WarpId>, prepared: &Prepared) -> Result<(), SimError> {
    let Some(warp) = warp else { return Ok(()) };
    match prepared.has_warp(warp) {
        true => Ok(()),
        false => {
            Err(SimError::Warp { block: prepared.grid().map(|size| size - 1), warp: prepared.warps() - 1 })
        }
    }
}

/// A file with errors runs up to the first error on its path. Prints a note about the errors.
fn note_errors(analysis: &warplens_ide::Analysis, file: FileId, path: &str) {
    let found = analysis.diagnostics(file).unwrap_or_default();
    let errors = found.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count();
    match errors {
        0 => {}
        1 => print_message(format!("note: {path} has an error; run `warplens check` to show it")),
        _ => print_message(format!("note: {path} has {errors} errors; run `warplens check` to show them")),
    }
}

/// Writes the result in the format of the arguments.
fn write(simulated: &Simulated, arguments: &Arguments, out: &mut dyn Write) -> io::Result<()> {
    match arguments.format {
        OutputFormat::Human => {
            Listing { run: simulated, warp: arguments.warp, width: terminal::width() }.write(out)
        }
        OutputFormat::Html | OutputFormat::Svg => {
            let mut listing = Vec::new();
            Listing { run: simulated, warp: arguments.warp, width: None }.write(&mut listing)?;
            out.write_all(picture::render(&String::from_utf8_lossy(&listing), arguments.format).as_bytes())
        }
        OutputFormat::Json => {
            let options = Options {
                model: simulated.prepared.model.name(),
                dump: &simulated.dump,
                warp: arguments.warp,
                statements: &simulated.prepared.statements,
                failures: &simulated.failures,
            };
            let at = |statement| simulated.position(statement);
            let report = Report::new(&simulated.prepared.resolved, &simulated.result, &options, &at);
            serde_json::to_writer(&mut *out, &report)?;
            out.write_all(b"\n")
        }
    }
}

#[cfg(test)]
mod tests;
