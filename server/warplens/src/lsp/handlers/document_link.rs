//! `textDocument/documentLink`: links to the source files that a file was compiled from.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use tower_lsp::ls_types::{DocumentLink, Uri};

use crate::lsp::snapshot::{Answer, Snapshot};

/// The links whose files exist.
pub(crate) fn links(snapshot: &Snapshot) -> Answer<Vec<DocumentLink>> {
    let links = snapshot.analysis.links(snapshot.file)?;
    let folder = snapshot.uri.to_file_path().and_then(|path| path.parent().map(Path::to_path_buf));
    let mut files: FxHashMap<String, Option<Uri>> = FxHashMap::default();
    let mut found = Vec::new();
    for link in links {
        let file =
            files.entry(link.path.to_string()).or_insert_with_key(|path| source(folder.as_ref(), path));
        let Some(file) = file else { continue };
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

/// The existing source file of this path, absolute or relative to the folder of the document.
fn source(folder: Option<&PathBuf>, path: &str) -> Option<Uri> {
    let path = Path::new(path);
    let path = if path.is_absolute() { path.to_path_buf() } else { folder?.join(path) };
    path.is_file().then(|| Uri::from_file_path(&path)).flatten()
}
