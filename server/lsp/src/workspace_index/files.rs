//! Lists the files of the workspace folders, within limits, and recognizes changed files.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ropey::Rope;
use warplens_ide::Language;

use crate::language::{self, Kind};
use warplens_system::disk::read_file;

const MAX_FILES: usize = 2_000;

/// The limit of folder entries that are read.
const MAX_ENTRIES: usize = 50_000;

/// The limit of the size of a file.
const MAX_BYTES: u64 = 16 << 20;

/// The limit of the size of all files.
const MAX_TOTAL: u64 = 128 << 20;

/// Changes when the contents of a file change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stamp {
    /// An open document at a version.
    Version(i32),
    /// The modification time and size of a file.
    Written(Option<SystemTime>, u64),
}

pub(crate) struct ListedFile {
    pub(crate) path: PathBuf,
    pub(crate) stamp: Stamp,
}

/// The files of supported languages in these folders, ordered by name, without hidden folders and symbolic links.
pub(crate) fn list(folders: &[PathBuf]) -> Vec<ListedFile> {
    let mut found = Vec::new();
    let (mut entries, mut total) = (0, 0);
    let mut folders: Vec<PathBuf> = folders.iter().rev().cloned().collect();
    while let Some(folder) = folders.pop() {
        let Ok(list) = std::fs::read_dir(&folder) else { continue };
        let mut list: Vec<_> = list.flatten().take(MAX_ENTRIES - entries).collect();
        entries += list.len();
        list.sort_by_key(std::fs::DirEntry::file_name);
        let mut inner = Vec::new();
        for entry in list {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && !entry.file_name().to_string_lossy().starts_with('.') {
                inner.push(entry.path());
            } else if kind.is_file() && matches!(language::by_extension(&entry.path()), Kind::Supported(_)) {
                let Ok(metadata) = entry.metadata() else { continue };
                let is_within = metadata.len() <= MAX_BYTES && total + metadata.len() <= MAX_TOTAL;
                if is_within && found.len() < MAX_FILES {
                    total += metadata.len();
                    let stamp = Stamp::Written(metadata.modified().ok(), metadata.len());
                    found.push(ListedFile { path: entry.path(), stamp });
                }
            }
        }
        folders.extend(inner.into_iter().rev());
    }
    found
}

/// Reads a file, unless it has another format with the same extension, such as a sound in `.wave`.
pub(crate) fn read(path: &Path) -> Option<(Language, Rope)> {
    let text = String::from_utf8(read_file::read(path, MAX_BYTES).ok()?).ok()?;
    let language = language::of_found_file(path, || Some(&text))?;
    Some((language, Rope::from_str(&text)))
}
