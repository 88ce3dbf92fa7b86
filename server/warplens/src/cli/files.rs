//! Finds the files that the paths on a command line select.

use std::path::{Path, PathBuf};

use warplens_ide::languages;

use super::input::{InputText, ReadError, STANDARD_INPUT, host_of, read_found, read_named};
use warplens_lsp::language;
use warplens_system::disk::read_file;

/// How many bytes are read to determine the language.
const SNIFFED: u64 = 1 << 16;

/// A file to read, or a folder that cannot be listed.
pub(super) type Found = Result<Input, (PathBuf, ReadError)>;

/// A file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Input {
    pub(super) path: PathBuf,
    /// The file itself, where the path is or leads through links. What becomes a link later is not followed.
    pub(super) target: PathBuf,
    /// Whether it was named on the command line, and not found in a folder. A named file may be a pipe.
    pub(super) is_named: bool,
}

impl Input {
    pub(super) fn named(path: &Path) -> Input {
        Input { path: path.to_path_buf(), target: target(path), is_named: true }
    }

    /// A file in a folder, or one that a launch names.
    pub(super) fn found(path: PathBuf) -> Input {
        Input { target: target(&path), path, is_named: false }
    }

    pub(super) fn read(&self) -> Result<InputText, ReadError> {
        if self.is_named { read_named(&self.path) } else { read_found(&self.path) }
    }
}

fn target(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// Which files of a folder are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Searched {
    Assembly,
    /// Also files of other languages with inline PTX.
    WithInline,
}

/// The extensions that are searched for in folders: `.ptx or .wave or .sass`.
pub(super) fn assembly_extensions() -> String {
    languages().map(|language| format!(".{}", language.extensions[0])).collect::<Vec<_>>().join(" or ")
}

/// The files in the order of the paths. The files of a folder are ordered by name.
pub(super) fn collect(paths: &[PathBuf], searched: Searched) -> Vec<Found> {
    let mut files = Vec::new();
    for path in paths {
        // Outside of the folders of `--within`, a folder is refused as a file is.
        if path.as_os_str() != STANDARD_INPUT && read_file::is_allowed(path) && path.is_dir() {
            let folder = path.canonicalize().unwrap_or_else(|_| path.clone());
            walk(path, &folder, searched, &mut files);
        } else {
            files.push(Ok(Input::named(path)));
        }
    }
    files
}

/// Adds the files of a folder, except for hidden folders and links to folders. `root` is the folder on the command line.
fn walk(folder: &Path, root: &Path, searched: Searched, files: &mut Vec<Found>) {
    let listed = read_file::check_allowed(folder).and_then(|()| std::fs::read_dir(folder));
    let mut entries: Vec<_> = match listed {
        Ok(entries) => entries.flatten().collect(),
        Err(error) => {
            return files.push(Err((folder.to_path_buf(), ReadError::Folder(error))));
        }
    };
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            if !entry.file_name().to_string_lossy().starts_with('.') {
                walk(&path, root, searched, files);
            }
        } else if is_inside(&path, kind, root)
            && (language::of_found_file(&path, || sniffed(&path)).is_some()
                || searched == Searched::WithInline && has_inline(&path))
        {
            files.push(Ok(Input::found(path)));
        }
    }
}

/// Whether an entry is a regular file, or a link to one in the folder on the command line.
fn is_inside(path: &Path, kind: std::fs::FileType, root: &Path) -> bool {
    let leads_inside =
        || path.canonicalize().is_ok_and(|target| target.starts_with(root) && target.is_file());
    kind.is_file() || kind.is_symlink() && leads_inside()
}

/// Whether a file of another language has inline PTX.
fn has_inline(path: &Path) -> bool {
    let Some(host) = host_of(path) else { return false };
    read_found(path).is_ok_and(|file| !host.statements(&file.text).is_empty())
}

fn sniffed(path: &Path) -> Option<String> {
    let bytes = read_file::beginning(path, SNIFFED).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
