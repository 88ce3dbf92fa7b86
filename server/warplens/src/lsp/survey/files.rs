//! The files of workspace folders: which there are, within bounds, and when one has changed.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ropey::Rope;
use warplens_ide::Language;

use crate::language::{self, Kind};

/// At most so many files of ours are looked at.
const MAX_FILES: usize = 2_000;

/// At most so many entries of folders are looked at.
const MAX_ENTRIES: usize = 50_000;

/// Larger files are passed over.
const MAX_BYTES: u64 = 16 << 20;

/// Nor are more than so many bytes in all.
const MAX_TOTAL: u64 = 128 << 20;

/// What tells that a file is still the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stamp {
    /// An open document at a version.
    Version(i32),
    /// A file as it was last written, and its size.
    Written(Option<SystemTime>, u64),
}

/// A file of a folder.
pub(super) struct Listed {
    pub(super) path: PathBuf,
    pub(super) stamp: Stamp,
}

/// The files of ours in these folders, in the order of their names; hidden folders and links are passed over.
pub(super) fn listed(folders: &[PathBuf]) -> Vec<Listed> {
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
            } else if kind.is_file() && matches!(language::by_extension(&entry.path()), Kind::Read(_)) {
                let Ok(metadata) = entry.metadata() else { continue };
                let is_within = metadata.len() <= MAX_BYTES && total + metadata.len() <= MAX_TOTAL;
                if is_within && found.len() < MAX_FILES {
                    total += metadata.len();
                    let stamp = Stamp::Written(metadata.modified().ok(), metadata.len());
                    found.push(Listed { path: entry.path(), stamp });
                }
            }
        }
        folders.extend(inner.into_iter().rev());
    }
    found
}

/// The text of a file, if it is one of ours: `.wave` is also the extension of sounds.
pub(super) fn read(path: &Path) -> Option<(Language, Rope)> {
    let Kind::Read(language) = language::by_extension(path) else { return None };
    let text = std::fs::read_to_string(path).ok()?;
    let is_ours = !language.shares_extensions() || language::by_text(&text) == Kind::Read(language);
    is_ours.then(|| (language, Rope::from_str(&text)))
}
