//! A text to analyze and run, and the launches outside of it.

use std::cell::OnceCell;
use std::error::Error;

use thiserror::Error;
use warplens_ide::lanes::{LaunchFiles, LaunchProblem, Prepared, RunRequest};
use warplens_ide::{Analysis, AnalysisHost, FileId, Language, Severity};

use crate::open_text::{LargeItem, open};

#[derive(Debug, Error)]
pub enum RunError {
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
        "nothing was compared: each of the {} drawn launches was discarded, the last one because of: {}. \
         Give a launch that the kernel runs with (--launch, --arg); others are drawn from it",
        discarded + discarded_by_other,
        reason.as_deref().unwrap_or("no launch was requested")
    )]
    NothingDrawn { discarded: usize, discarded_by_other: usize, reason: Option<String> },
}

impl From<warplens_ide::Cancelled> for RunError {
    fn from(_: warplens_ide::Cancelled) -> RunError {
        RunError::Cancelled
    }
}

impl From<warplens_sim_warp::Cancelled> for RunError {
    fn from(_: warplens_sim_warp::Cancelled) -> RunError {
        RunError::Cancelled
    }
}

pub struct Source {
    /// The path as the user gave it.
    pub path: String,
    pub text: String,
    pub language: Language,
    pub analysis: Analysis,
    pub file: FileId,
    /// How many errors it has, counted when somebody first asks.
    errors: OnceCell<usize>,
}

impl Source {
    pub fn of_text(path: String, text: String, language: Language) -> Result<Source, RunError> {
        let mut host = AnalysisHost::new();
        let file = open(&mut host, language, &text)
            .map_err(|error| RunError::Large { path: path.clone(), error })?;
        Ok(Source { text, language, analysis: host.snapshot(), file, path, errors: OnceCell::new() })
    }

    /// The number of errors that `check` shows.
    pub fn errors(&self) -> usize {
        *self.errors.get_or_init(|| {
            let found = self.analysis.diagnostics(self.file).unwrap_or_default();
            found.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count()
        })
    }

    pub fn prepare(&self, request: &RunRequest, launches: &Launches) -> Result<Prepared, RunError> {
        let Launches { files, read } = launches;
        let prepared = self.analysis.prepare_run(self.file, request, Some(files), read)?;
        let mut prepared = prepared.map_err(|problem| RunError::Launch(problem.in_path(&self.path)))?;
        prepared.text_errors = self.errors() > 0;
        Ok(prepared)
    }
}

/// Reads a file that a launch names, such as the contents of a buffer.
type ReadFile = dyn Fn(&str) -> Result<Vec<u8>, Box<dyn Error>>;

pub struct Launches {
    pub files: LaunchFiles,
    pub read: Box<ReadFile>,
}
