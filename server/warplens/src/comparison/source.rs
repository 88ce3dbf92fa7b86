//! A text that is analyzed and run, and the launches of it.

use std::path::{Path, PathBuf};

use thiserror::Error;
use warplens_ide::lanes::{LaunchFile, LaunchProblem, Prepared, RunRequest};
use warplens_ide::{Analysis, AnalysisHost, FileId, Language};

use crate::launch_file;
use crate::open_text::{LargeItem, open};

/// A launch cannot be run.
#[derive(Debug, Error)]
pub(crate) enum RunError {
    #[error("{path}: {error}")]
    Large { path: String, error: LargeItem },
    #[error("{0}")]
    Launch(LaunchProblem),
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

impl From<warplens_ide::Cancelled> for RunError {
    fn from(_: warplens_ide::Cancelled) -> RunError {
        RunError::Cancelled
    }
}

impl From<warplens_sim::Cancelled> for RunError {
    fn from(_: warplens_sim::Cancelled) -> RunError {
        RunError::Cancelled
    }
}

/// A source that is analyzed.
pub(crate) struct Source {
    /// Its path as given.
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) language: Language,
    pub(crate) analysis: Analysis,
    pub(crate) file: FileId,
}

impl Source {
    /// A source with this text.
    pub(crate) fn of_text(path: String, text: String, language: Language) -> Result<Source, RunError> {
        let mut host = AnalysisHost::new();
        let file = open(&mut host, language, &text)
            .map_err(|error| RunError::Large { path: path.clone(), error })?;
        Ok(Source { text, language, analysis: host.snapshot(), file, path })
    }

    /// Prepares the run of a launch.
    pub(crate) fn prepare(&self, request: &RunRequest, launches: &Launches) -> Result<Prepared, RunError> {
        let read = launch_file::contents(&launches.base);
        let prepared = self.analysis.prepare_run(self.file, request, launches.file.as_ref(), &read)?;
        prepared.map_err(|problem| RunError::Launch(problem.in_path(&self.path)))
    }

    /// Prepares the run of the launch of the request. Files are relative to the folder of `base`.
    pub(crate) fn prepare_launch(&self, request: &RunRequest, base: &Path) -> Result<Prepared, RunError> {
        self.prepare(request, &Launches { file: None, base: base.to_path_buf() })
    }
}

/// The launches of a source outside of it.
pub(crate) struct Launches {
    /// The launch file.
    pub(crate) file: Option<LaunchFile>,
    /// The path that the files in it are relative to.
    pub(crate) base: PathBuf,
}

impl Launches {
    /// Without a launch file.
    #[cfg(test)]
    pub(crate) fn none() -> Launches {
        Launches { file: None, base: PathBuf::new() }
    }
}
