//! Finds the source files that a document was compiled from.

use std::collections::VecDeque;
use std::path::{Component, Path, PathBuf};

use crate::disk::read_file;
use crate::lsp::documents::snapshot::Snapshot;

/// The limit of folder entries that a search for a file name looks at.
const MAX_SEARCHED: usize = 20_000;

/// The limit of a source file in bytes.
const MAX_BYTES: u64 = 8 << 20;

/// Finds the files that a document was compiled from.
pub(crate) struct Search {
    document: Option<PathBuf>,
    /// First the folder of the document, then those of the workspace.
    folders: Vec<PathBuf>,
}

impl Search {
    pub(crate) fn of(snapshot: &Snapshot) -> Search {
        let document = snapshot.uri.to_file_path().map(std::borrow::Cow::into_owned);
        let folder = document.as_deref().and_then(Path::parent).map(Path::to_path_buf);
        Search { document, folders: folder.into_iter().chain(snapshot.folders.iter().cloned()).collect() }
    }

    /// The file that a path in debug information names. If `origin` is an extension, it is the file of that extension beside the document.
    pub(crate) fn find(&self, path: &str, origin: Option<&str>) -> Option<PathBuf> {
        match origin {
            Some(extension) => self.origin(extension),
            None => self.named(path),
        }
    }

    /// The file that a path in debug information means: at that path, or of that name beside the document or in the workspace.
    pub(crate) fn named(&self, path: &str) -> Option<PathBuf> {
        if let Some(found) = below(&self.folders, Path::new(path)).filter(|found| found.is_file()) {
            return Some(found);
        }
        let name = path.rsplit(['/', '\\']).next().filter(|name| !name.is_empty())?;
        let beside = self.folders.first()?.join(name);
        if beside.is_file() {
            return Some(beside);
        }
        search(self.folders.get(1..)?, name)
    }

    /// The file beside the document that it was assembled from: `k.ptx` for `k.sass`, `k.ptx.sass` or `k.ptx.sm_90.sass`.
    pub(crate) fn origin(&self, extension: &str) -> Option<PathBuf> {
        let mut stem = self.document.clone()?;
        while stem.extension().is_some() {
            stem.set_extension("");
            let is_named = stem.extension().is_some_and(|found| found == extension);
            let candidates = [is_named.then(|| stem.clone()), Some(stem.with_added_extension(extension))];
            let found = candidates.into_iter().flatten().find(|path| path.is_file());
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

pub(crate) fn text(path: &Path) -> Option<String> {
    let bytes = read_file::read(path, MAX_BYTES).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A line of a file, counted from 1.
pub(crate) fn line(path: &Path, line: u32) -> Option<String> {
    text(path)?.lines().nth(line.checked_sub(1)? as usize).map(str::to_owned)
}

/// The least deeply nested file of this name. Hidden folders are not searched.
fn search(folders: &[PathBuf], name: &str) -> Option<PathBuf> {
    let mut waiting: VecDeque<PathBuf> = folders.iter().cloned().collect();
    let mut left = MAX_SEARCHED;
    while let Some(folder) = waiting.pop_front() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            left = left.checked_sub(1)?;
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_file() && entry.file_name() == name {
                return Some(entry.path());
            }
            if kind.is_dir() && !entry.file_name().to_string_lossy().starts_with('.') {
                waiting.push_back(entry.path());
            }
        }
    }
    None
}

/// The path, if it lies in one of the folders. Files elsewhere are not looked up: a link would reveal that the file exists, and a path on
/// another computer would cause network access.
fn below(folders: &[PathBuf], path: &Path) -> Option<PathBuf> {
    let path = folders.first()?.join(path);
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            component => normal.push(component),
        }
    }
    folders.iter().any(|folder| normal.starts_with(folder)).then_some(normal)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_origin_is_beside_the_document_under_its_name() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("k.ptx"), "").unwrap();
        std::fs::write(folder.path().join("k"), "").unwrap();
        let origin = |name: &str| {
            let search = Search { document: Some(folder.path().join(name)), folders: Vec::new() };
            let found = search.origin("ptx")?;
            Some(found.file_name()?.to_str()?.to_owned())
        };
        for name in ["k.sass", "k.ptx.sass", "k.ptx.sm_90a.sass"] {
            assert_eq!(origin(name).as_deref(), Some("k.ptx"), "{name}");
        }
        assert_eq!(origin("other.sass"), None);
        assert_eq!(origin("k"), None);
    }

    #[test]
    fn only_paths_in_the_workspace_or_beside_the_document() {
        let folders = ["/home/ada/build", "/home/ada/src"].map(PathBuf::from);
        let below = |path: &str| below(&folders, Path::new(path)).map(|path| path.display().to_string());
        assert_eq!(below("k.cu").as_deref(), Some("/home/ada/build/k.cu"));
        assert_eq!(below("../src/./k.cu").as_deref(), Some("/home/ada/src/k.cu"));
        assert_eq!(below("/home/ada/src/a/k.cu").as_deref(), Some("/home/ada/src/a/k.cu"));
        for path in [
            "/etc/passwd",
            "../k.cu",
            "/home/ada/src/../k.cu",
            "/home/ada/source/k.cu",
            "//server/share/k.cu",
        ] {
            assert_eq!(below(path), None, "{path}");
        }
    }
}
