//! The interface of the output formats.

use std::io::{self, Write};
use std::path::PathBuf;

use ropey::Rope;
use thiserror::Error;
use warplens_ide::{Cancelled, Diagnostic};

use crate::cli::input::ReadError;
use crate::language::LanguageError;

/// A file cannot be checked.
#[derive(Debug, Error)]
pub(super) enum CheckError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Language(#[from] LanguageError),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    #[error("cannot be written: {0}")]
    Write(io::Error),
    #[error("standard input cannot be fixed; name a file")]
    StandardInput,
}

pub(super) struct Checked {
    pub(super) path: PathBuf,
    pub(super) result: Result<CheckedFile, CheckError>,
}

/// The text of a file and its problems.
pub(super) struct CheckedFile {
    pub(super) text: Rope,
    pub(super) found: Vec<Diagnostic>,
    /// The number of applied fixes.
    pub(super) fixed: usize,
}

/// Writes results in one format.
pub(super) trait Report {
    /// Writes the results of a file. Files are in the order of the arguments.
    fn file(&mut self, out: &mut dyn Write, checked: &Checked) -> io::Result<()>;

    /// Ends the output after the last file.
    fn end(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}
