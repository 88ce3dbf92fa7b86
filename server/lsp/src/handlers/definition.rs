//! `textDocument/definition`.

use ls_types::{GotoDefinitionParams, GotoDefinitionResponse};

use crate::documents::snapshot::{NullableAnswer, Snapshot};
use crate::to_proto;

pub(crate) fn definition(
    snapshot: &Snapshot,
    params: &GotoDefinitionParams,
) -> NullableAnswer<GotoDefinitionResponse> {
    let at = snapshot.offset(params.text_document_position_params.position);
    let targets = snapshot.analysis.definition(snapshot.file, at)?;
    Ok((!targets.is_empty()).then(|| to_proto::definition(snapshot, targets)))
}
