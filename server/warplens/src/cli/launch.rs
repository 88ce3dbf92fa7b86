//! The launch that a command runs: arguments, source and launch file.

mod arguments;

use std::path::Path;

use thiserror::Error;
use warplens_ide::lanes::{Choice, RunRequest};
use warplens_ide::{Language, Severity};
use warplens_sim_launch::{Format, launch_text};
use warplens_tools::source::{Launches, RunError, Source};

pub(crate) use arguments::{ArgumentError, LaunchArguments};

use super::input::{ReadError, STANDARD_INPUT, read_named};
use super::outcome::print_message;
use crate::language::{self, LanguageError};
use crate::launch_file;

/// A launch cannot be run.
#[derive(Debug, Error)]
pub(crate) enum LaunchError {
    #[error("{path}: {error}")]
    Read { path: String, error: ReadError },
    #[error("{path}: {error}")]
    Language { path: String, error: LanguageError },
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    #[error(transparent)]
    LaunchFile(#[from] launch_file::Unreadable),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("standard input can be the file or the launches, not both")]
    TwoInputs,
}

impl From<warplens_ide::Cancelled> for LaunchError {
    fn from(_: warplens_ide::Cancelled) -> LaunchError {
        RunError::Cancelled.into()
    }
}

impl From<warplens_sim_warp::Cancelled> for LaunchError {
    fn from(_: warplens_sim_warp::Cancelled) -> LaunchError {
        RunError::Cancelled.into()
    }
}

/// Reads and analyses a source. Its language is that of the file extension unless one is given.
pub(crate) fn read_source(file: &Path, language: Option<Language>) -> Result<Source, LaunchError> {
    let path = file.display().to_string();
    let read = |error| LaunchError::Read { path: path.clone(), error };
    let text = read_named(file).map_err(read)?;
    let language = language.map_or_else(|| language::of_file(file, &text), Ok);
    let language = language.map_err(|error| LaunchError::Language { path: path.clone(), error })?;
    Ok(Source::of_text(path, text, language)?)
}

/// Prints a note about the errors of a source: it runs only up to the first error on its path.
pub(crate) fn note_errors(source: &Source) {
    let found = source.analysis.diagnostics(source.file).unwrap_or_default();
    let errors = found.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count();
    let path = &source.path;
    match errors {
        0 => {}
        1 => print_message(format!("note: {path} has an error; run `warplens check` to show it")),
        _ => print_message(format!("note: {path} has {errors} errors; run `warplens check` to show them")),
    }
}

/// Reads the launch file of the arguments, or the nearest one to `file`. A single launch on standard input becomes the launch of the
/// request.
pub(crate) fn read_launches(
    file: &Path,
    arguments: &LaunchArguments,
    request: &mut RunRequest,
) -> Result<Launches, LaunchError> {
    let Some(path) = arguments.path(file) else { return Ok(launch_file::launches(None, file)) };
    if path.as_os_str() != STANDARD_INPUT {
        return Ok(launch_file::launches(Some(launch_file::read(&path, file)?), &path));
    }
    if file.as_os_str() == STANDARD_INPUT {
        return Err(LaunchError::TwoInputs);
    }
    let error = |error| LaunchError::Read { path: STANDARD_INPUT.to_owned(), error };
    let text = read_named(&path).map_err(error)?;
    let format = if text.trim_start().starts_with('{') { Format::Json } else { Format::Toml };
    let name = STANDARD_INPUT.to_owned();
    let found = launch_file::of_text(text, format, name, Path::new("."), file);
    // Files are relative to the current folder.
    let base = Path::new("launches");
    if warplens_sim_launch::launches(&found.text, format).is_ok() {
        return Ok(launch_file::launches(Some(found), base));
    }
    let launch = launch_text(&found.text, format);
    let launch = launch.map_err(|problem| found.problem(&problem));
    request.launch = Choice::Given(Box::new(launch.map_err(RunError::Launch)?));
    Ok(launch_file::launches(None, base))
}
