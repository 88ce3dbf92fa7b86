//! `textDocument/documentLink`: links to the source files that a file was compiled from.

use std::path::{Component, Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};
use tower_lsp::ls_types::{DocumentLink, Uri};

use crate::lsp::file_access::read_files;
use crate::lsp::snapshot::{Answer, Failure, Snapshot};

/// The links whose files exist.
pub(crate) fn links(snapshot: &Snapshot) -> Answer<Vec<DocumentLink>> {
    let links = snapshot.analysis.links(snapshot.file)?;
    let paths: FxHashSet<String> = links.iter().map(|link| link.path.to_string()).collect();
    let document = snapshot.uri.to_file_path().map(std::borrow::Cow::into_owned);
    let folder = document.as_deref().and_then(Path::parent).map(Path::to_path_buf);
    let folders: Vec<PathBuf> = folder.into_iter().chain(snapshot.folders.iter().cloned()).collect();
    let files = read_files(snapshot, move || {
        let file = |path: String| source(&folders, &path).map(|file| (path, file));
        paths.into_iter().filter_map(file).collect()
    });
    let files: FxHashMap<String, Uri> = match files {
        Err(Failure::Refused(_)) => return Ok(None),
        files => files?,
    };
    let mut found = Vec::new();
    for link in links {
        let Some(file) = files.get(link.path.as_str()) else { continue };
        let target = match link.place {
            None | Some((0, _)) => Some(file.clone()),
            Some((line, 0)) => format!("{}#L{line}", file.as_str()).parse().ok(),
            Some((line, column)) => format!("{}#L{line},{column}", file.as_str()).parse().ok(),
        };
        found.push(DocumentLink {
            range: snapshot.range(link.range),
            target,
            tooltip: link.place.map(|(line, _)| format!("{}:{line}", link.path)),
            data: None,
        });
    }
    Ok(Some(found))
}

/// The existing source file of this path, absolute or relative to the folder of the document, the first of `folders`.
fn source(folders: &[PathBuf], path: &str) -> Option<Uri> {
    let path = below(folders, Path::new(path))?;
    path.is_file().then(|| Uri::from_file_path(&path)).flatten()
}

/// The path if it lies in one of the folders. A file elsewhere is not looked for: a link would reveal that it exists, and
/// a path on another computer would be contacted.
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
