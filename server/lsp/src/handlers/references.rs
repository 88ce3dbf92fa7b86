//! `textDocument/references`.

use ls_types::{Location, ReferenceParams};
use warplens_ide::Access;

use crate::documents::snapshot::{NullableAnswer, Snapshot};
use crate::to_proto;

pub(crate) fn references(snapshot: &Snapshot, params: &ReferenceParams) -> NullableAnswer<Vec<Location>> {
    let at = snapshot.offset(params.text_document_position.position);
    let occurrences = snapshot.analysis.occurrences(snapshot.file, at)?;
    let declarations = params.context.include_declaration;
    let references = occurrences.iter().filter(|found| declarations || found.access != Access::Declaration);
    Ok(Some(references.map(|found| to_proto::location(snapshot, found.range)).collect()))
}
