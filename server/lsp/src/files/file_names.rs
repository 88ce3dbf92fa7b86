//! The names of the files in the workspace, for paths in debug information whose folder is elsewhere.
//!
//! A document may have hundreds of such paths, and each hover asks for one, so the folders are listed once for all of them.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use warplens_system::clock::Instant;

use rustc_hash::FxHashMap;

/// The limit of folder entries that are listed.
const MAX_LISTED: usize = 20_000;

/// The time after which the rest of a slow file system is not listed. It is less than a request waits.
const MAX_TIME: Duration = Duration::from_secs(1);

/// For how long a list is used. A file that was created since is found a little later.
const MAX_AGE: Duration = Duration::from_secs(10);

/// The list of the last workspace.
static LISTED: Mutex<Option<Names>> = Mutex::new(None);

struct Names {
    folders: Vec<PathBuf>,
    listed: Instant,
    files: FxHashMap<OsString, PathBuf>,
}

/// The least deeply nested file of this name. Hidden folders are not listed, and links are not followed.
pub(super) fn find(folders: &[PathBuf], name: &str) -> Option<PathBuf> {
    let mut listed = LISTED.lock().unwrap_or_else(PoisonError::into_inner);
    if listed.as_ref().is_none_or(|names| names.folders != folders || names.listed.elapsed() > MAX_AGE) {
        *listed = Some(Names { folders: folders.to_vec(), files: list(folders), listed: Instant::now() });
    }
    listed.as_ref()?.files.get(OsStr::new(name)).cloned()
}

fn list(folders: &[PathBuf]) -> FxHashMap<OsString, PathBuf> {
    let started = Instant::now();
    let mut files = FxHashMap::default();
    let mut waiting: VecDeque<PathBuf> = folders.iter().cloned().collect();
    let mut left = MAX_LISTED;
    while let Some(folder) = waiting.pop_front() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            if left == 0 || started.elapsed() > MAX_TIME {
                return files;
            }
            left -= 1;
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_file() {
                files.entry(entry.file_name()).or_insert_with(|| entry.path());
            } else if kind.is_dir() && !entry.file_name().to_string_lossy().starts_with('.') {
                waiting.push_back(entry.path());
            }
        }
    }
    files
}
