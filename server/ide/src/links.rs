//! Links to the source that a file was compiled from.

use text_size::TextRange;
use warplens_ide_db::{Database, DocumentLink, File, items};

use crate::language::LanguageSupport;

/// The links that start in a range, in text order. Items outside the range are not computed.
pub(crate) fn links_in(
    db: &Database,
    file: File,
    support: &LanguageSupport,
    range: TextRange,
) -> Vec<DocumentLink> {
    let list = file.document(db).items();
    let items = items(db, file);
    let mut links = Vec::new();
    for (index, wanted) in list.parts_of(range) {
        let start = list.start_of(index);
        let found = (support.links)(db, file, items[index], wanted - start);
        links.extend(found.into_iter().map(|link| DocumentLink { range: link.range + start, ..link }));
    }
    links
}
