//! `textDocument/documentHighlight`.

use ls_types::{DocumentHighlight, DocumentHighlightParams};

use crate::documents::snapshot::{NullableAnswer, Snapshot};
use crate::to_proto;

pub(crate) fn highlights(
    snapshot: &Snapshot,
    params: &DocumentHighlightParams,
) -> NullableAnswer<Vec<DocumentHighlight>> {
    let at = snapshot.offset(params.text_document_position_params.position);
    let occurrences = snapshot.analysis.occurrences(snapshot.file, at)?;
    Ok(Some(occurrences.into_iter().map(|found| to_proto::highlight(snapshot, found)).collect()))
}
