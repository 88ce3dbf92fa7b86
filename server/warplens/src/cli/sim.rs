//! `warplens sim`: runs a launch and prints the lanes that executed each line.

mod arguments;
mod listing;
mod simulated;

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use ropey::Rope;
use thiserror::Error;
use warplens_ide::lanes::report::{Options, Report};
use warplens_ide::lanes::{LaunchProblem, Prepared};
use warplens_ide::{AnalysisHost, Cancelled, FileId, Severity};
use warplens_sim::launch::PlacedBuffer;
use warplens_sim::{Control, WarpId};

pub(super) use arguments::Arguments;
use arguments::{ArgumentError, Format};
use listing::Listing;
use simulated::Simulated;

use super::input::{ReadError, STANDARD_INPUT, read};
use super::outcome::{Outcome, print_message};
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
    let text = read(&arguments.file).map_err(|error| SimError::Read { path: path.clone(), error })?;
    let language = arguments.language.map_or_else(|| language::of_file(&arguments.file, &text), Ok);
    let language = language.map_err(|error| SimError::Language { path: path.clone(), error })?;
    let request = arguments.request(language)?;
    let launch_path = launch_path(arguments);
    let launches = launch_path.as_deref().map(|path| launch_file::read(path, &arguments.file)).transpose()?;
    let base = launch_path.as_deref().unwrap_or(&arguments.file);
    let mut host = AnalysisHost::new();
    let file = FileId(0);
    host.open(file, language, &text);
    let analysis = host.snapshot();
    let prepared = analysis.prepare_run(file, &request, launches.as_ref(), &launch_file::contents(base))?;
    let prepared = prepared.map_err(|problem| SimError::Launch(problem.in_path(&path)))?;
    let dump = buffers_to_dump(arguments, &prepared)?;
    check_warp(arguments.warp, &prepared)?;
    note_errors(&analysis, file, &path);
    let cores = Cores::all();
    let control = Control { workers: Some(&cores), ..Control::none() };
    let result = prepared.run(control).map_err(|_| SimError::Cancelled)?;
    let failures = prepared.resolved.failures(&result).into_iter().map(|failure| failure.message).collect();
    Ok(Simulated { path, text: Rope::from_str(&text), prepared, result: Arc::new(result), dump, failures })
}

/// The launch file of the arguments, or the nearest one.
fn launch_path(arguments: &Arguments) -> Option<PathBuf> {
    let is_file = arguments.file.as_os_str() != STANDARD_INPUT;
    arguments.launches.clone().or_else(|| is_file.then(|| launch_file::nearest(&arguments.file)).flatten())
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
        Format::Human => Listing { run: simulated, warp: arguments.warp }.write(out),
        Format::Json => {
            let options = Options {
                model: simulated.prepared.model.name(),
                dump: &simulated.dump,
                warp: arguments.warp,
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
