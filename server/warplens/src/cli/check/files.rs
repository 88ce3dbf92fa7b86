//! The files that the arguments of `check` select.

use std::path::{Path, PathBuf};

use crate::cli::input::{ReadError, STANDARD_INPUT};
use crate::language;

/// The limit of the text that is read to determine the language, in bytes.
const SNIFFED: u64 = 1 << 16;

/// A file, or a folder that cannot be listed.
pub(super) type Found = Result<PathBuf, (PathBuf, ReadError)>;

/// The files to check in the order of the arguments, those of a folder ordered by name.
pub(super) fn collect(paths: &[PathBuf]) -> Vec<Found> {
    let mut files = Vec::new();
    for path in paths {
        if path.as_os_str() != STANDARD_INPUT && path.is_dir() {
            walk(path, &mut files);
        } else {
            files.push(Ok(path.clone()));
        }
    }
    files
}

/// Adds the files of a folder, without hidden folders and links to folders.
fn walk(folder: &Path, files: &mut Vec<Found>) {
    let mut entries: Vec<_> = match std::fs::read_dir(folder) {
        Ok(entries) => entries.flatten().collect(),
        Err(error) => {
            return files.push(Err((folder.to_path_buf(), ReadError::Folder(error))));
        }
    };
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && !entry.file_name().to_string_lossy().starts_with('.') {
            walk(&path, files);
        } else if !is_folder && language::of_found_file(&path, || beginning(&path)).is_some() {
            files.push(Ok(path));
        }
    }
}

fn beginning(path: &Path) -> Option<String> {
    use std::io::Read;
    let mut bytes = Vec::new();
    std::fs::File::open(path).ok()?.take(SNIFFED).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
