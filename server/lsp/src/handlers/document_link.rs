//! `textDocument/documentLink`: links to the source files that a file was compiled from.

use ls_types::{DocumentLink, Uri};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::documents::snapshot::{NullableAnswer, Snapshot, unless_refused};
use crate::files::file_access::read_files;
use crate::files::source_files::Search;
use crate::launch_file;

/// The links to files that exist.
pub(crate) fn links(snapshot: &Snapshot) -> NullableAnswer<Vec<DocumentLink>> {
    let links = snapshot.analysis.links(snapshot.file)?;
    let paths: FxHashSet<(String, Option<&str>)> =
        links.iter().map(|link| (link.path.to_string(), link.origin)).collect();
    let search = Search::of(snapshot);
    let files = read_files(snapshot, move || {
        let file = |(path, origin): (String, Option<&str>)| {
            let uri = launch_file::uri(&search.find(&path, origin)?)?;
            Some((path, uri))
        };
        paths.into_iter().filter_map(file).collect()
    });
    let Some(files) = unless_refused::<FxHashMap<String, Uri>>(files)? else { return Ok(None) };
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
