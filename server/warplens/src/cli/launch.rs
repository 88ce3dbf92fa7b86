//! The launch that a command runs: its arguments, the source, and the launch file.

mod arguments;

use std::path::{Path, PathBuf};

use thiserror::Error;
use warplens_ide::lanes::{Choice, LaunchFile, LaunchProblem, Prepared, RunRequest};
use warplens_ide::{Analysis, AnalysisHost, Cancelled, FileId, Language, Severity};
use warplens_sim::launch::{Format, launch_text};

pub(crate) use arguments::{ArgumentError, LaunchArguments};

use super::input::{ReadError, STANDARD_INPUT, open, read_named};
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
    #[error("{0}")]
    Launch(LaunchProblem),
    #[error("standard input can be the file or the launches, not both")]
    TwoInputs,
    #[error("the run was stopped")]
    Cancelled,
    #[error(
        "{path}: has no kernel `{entry}`: it has {}; name the kernel to compare with `--other-entry`",
        found.join(", ")
    )]
    OtherKernel { path: String, entry: String, found: Vec<String> },
    #[error(
        "nothing was compared: each of the {drawn} drawn launches was discarded, the last one because of: {reason}. \
         Give a launch that the kernel runs with (--launch, --arg); others are drawn from it"
    )]
    NothingDrawn { drawn: usize, reason: String },
}

impl From<Cancelled> for LaunchError {
    fn from(_: Cancelled) -> LaunchError {
        LaunchError::Cancelled
    }
}

/// A source that is read and analyzed.
pub(crate) struct Source {
    /// Its path as given.
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) language: Language,
    pub(crate) analysis: Analysis,
    pub(crate) file: FileId,
}

impl Source {
    /// Reads a source. Its language is that of the file extension unless one is given.
    pub(crate) fn read(file: &Path, language: Option<Language>) -> Result<Source, LaunchError> {
        let path = file.display().to_string();
        let read = |error| LaunchError::Read { path: path.clone(), error };
        let text = read_named(file).map_err(read)?;
        let language = language.map_or_else(|| language::of_file(file, &text), Ok);
        let language = language.map_err(|error| LaunchError::Language { path: path.clone(), error })?;
        Source::of_text(path, text, language)
    }

    /// A source with this text.
    pub(crate) fn of_text(path: String, text: String, language: Language) -> Result<Source, LaunchError> {
        let mut host = AnalysisHost::new();
        let file = open(&mut host, language, &text)
            .map_err(|error| LaunchError::Read { path: path.clone(), error })?;
        Ok(Source { text, language, analysis: host.snapshot(), file, path })
    }

    /// Prepares the run of a launch.
    pub(crate) fn prepare(&self, request: &RunRequest, launches: &Launches) -> Result<Prepared, LaunchError> {
        let read = launch_file::contents(&launches.base);
        let prepared = self.analysis.prepare_run(self.file, request, launches.file.as_ref(), &read)?;
        prepared.map_err(|problem| LaunchError::Launch(problem.in_path(&self.path)))
    }

    /// Prepares the run of the launch of the request. Files are relative to the folder of `base`.
    pub(crate) fn prepare_launch(&self, request: &RunRequest, base: &Path) -> Result<Prepared, LaunchError> {
        self.prepare(request, &Launches { file: None, base: base.to_path_buf() })
    }

    /// A source with errors runs up to the first error on its path. Prints a note about the errors.
    pub(crate) fn note_errors(&self) {
        let found = self.analysis.diagnostics(self.file).unwrap_or_default();
        let errors = found.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count();
        let path = &self.path;
        match errors {
            0 => {}
            1 => print_message(format!("note: {path} has an error; run `warplens check` to show it")),
            _ => {
                print_message(format!("note: {path} has {errors} errors; run `warplens check` to show them"))
            }
        }
    }
}

/// The launches of a source outside of it.
pub(crate) struct Launches {
    /// The launch file.
    pub(crate) file: Option<LaunchFile>,
    /// The path that the files in it are relative to.
    base: PathBuf,
}

impl Launches {
    /// Without a launch file.
    #[cfg(test)]
    pub(crate) fn none() -> Launches {
        Launches { file: None, base: PathBuf::new() }
    }

    /// Reads the launch file of the arguments, or the nearest one to `file`. A single launch on standard input becomes that of
    /// the request.
    pub(crate) fn read(
        file: &Path,
        arguments: &LaunchArguments,
        request: &mut RunRequest,
    ) -> Result<Launches, LaunchError> {
        let Some(path) = arguments.path(file) else {
            return Ok(Launches { file: None, base: file.to_path_buf() });
        };
        if path.as_os_str() != STANDARD_INPUT {
            return Ok(Launches { file: Some(launch_file::read(&path, file)?), base: path });
        }
        if file.as_os_str() == STANDARD_INPUT {
            return Err(LaunchError::TwoInputs);
        }
        let error = |error| LaunchError::Read { path: STANDARD_INPUT.to_owned(), error };
        let text = read_named(&path).map_err(error)?;
        let base = PathBuf::from("launches");
        let format = if text.trim_start().starts_with('{') { Format::Json } else { Format::Toml };
        let name = STANDARD_INPUT.to_owned();
        let found = launch_file::of_text(text, format, name, Path::new("."), file);
        if warplens_sim::launch::launches(&found.text, format).is_ok() {
            return Ok(Launches { file: Some(found), base });
        }
        let launch = launch_text(&found.text, format);
        let launch = launch.map_err(|problem| LaunchProblem::in_file(&problem, &found));
        request.launch = Choice::Given(Box::new(launch.map_err(LaunchError::Launch)?));
        Ok(Launches { file: None, base })
    }
}
