//! Which files the arguments of `check` mean.

use std::path::{Path, PathBuf};

use crate::language::{self, Kind};

/// The path that stands for standard input.
pub(in crate::cli) const STANDARD_INPUT: &str = "-";

/// How much of a `.wave` file is looked at to tell assembly from sound.
const LOOK: u64 = 1 << 16;

/// The files to check in the order of the arguments, those of a folder in the order of their names; an error where a
/// folder cannot be listed.
pub(super) fn collect(paths: &[PathBuf]) -> Vec<Result<PathBuf, (PathBuf, String)>> {
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

/// Hidden folders and links to folders are passed over.
fn walk(folder: &Path, files: &mut Vec<Result<PathBuf, (PathBuf, String)>>) {
    let mut entries: Vec<_> = match std::fs::read_dir(folder) {
        Ok(entries) => entries.flatten().collect(),
        Err(error) => {
            return files.push(Err((folder.to_path_buf(), format!("cannot be listed: {error}"))));
        }
    };
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && !entry.file_name().to_string_lossy().starts_with('.') {
            walk(&path, files);
        } else if !is_folder && is_ours(&path) {
            files.push(Ok(path));
        }
    }
}

fn is_ours(path: &Path) -> bool {
    match language::by_extension(path) {
        Kind::Read(language) => {
            let has_text =
                || beginning(path).is_some_and(|text| language::by_text(&text) == Kind::Read(language));
            !language.shares_extensions() || has_text()
        }
        Kind::Listing | Kind::Shared(_) | Kind::Unknown => false,
    }
}

fn beginning(path: &Path) -> Option<String> {
    use std::io::Read;
    let mut bytes = Vec::new();
    std::fs::File::open(path).ok()?.take(LOOK).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
