//! The interface of the output formats.

use std::io::{self, Write};
use std::path::PathBuf;

use ropey::Rope;
use warplens_ide::Diagnostic;

use crate::cli::outcome::Outcome;

pub(super) struct Checked {
    pub(super) path: PathBuf,
    /// An error if the file cannot be checked.
    pub(super) result: anyhow::Result<CheckedFile>,
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
    fn end(&mut self, _: Outcome, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}
