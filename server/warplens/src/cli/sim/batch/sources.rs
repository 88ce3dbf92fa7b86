//! The sources of the launches that a thread has run most recently.

use std::path::{Path, PathBuf};

use ropey::Rope;
use rustc_hash::FxHashMap;
use warplens_ide::Language;
use warplens_tools::source::Source;

use crate::cli::files::Input;
use crate::cli::launch::read_source;

/// The limit of sources in memory.
const MAX_SOURCES: usize = 8;

/// Sources by their paths. A source that cannot be read is not read again.
#[derive(Default)]
pub(super) struct Sources(FxHashMap<PathBuf, Result<(Source, Rope), String>>);

impl Sources {
    /// A source and its text.
    pub(super) fn source(
        &mut self,
        path: &Path,
        language: Option<Language>,
    ) -> Result<(&Source, &Rope), String> {
        if !self.0.contains_key(path) {
            if self.0.len() >= MAX_SOURCES {
                self.0.clear();
            }
            let source =
                read_source(&Input::found(path.to_path_buf()), language).map_err(|error| error.to_string());
            let source = source.map(|source| {
                let text = Rope::from_str(&source.text);
                (source, text)
            });
            self.0.insert(path.to_path_buf(), source);
        }
        match &self.0[path] {
            Ok((source, text)) => Ok((source, text)),
            Err(error) => Err(error.clone()),
        }
    }
}
