//! `textDocument/prepareRename` and `textDocument/rename`.

use ls_types::{PrepareRenameResponse, RenameParams, TextDocumentPositionParams, WorkspaceEdit};

use crate::documents::snapshot::{Failure, NullableAnswer, Snapshot};
use crate::to_proto;
use crate::workspace_edit::workspace_edit;

/// `textDocument/prepareRename`.
pub(crate) fn prepare(
    snapshot: &Snapshot,
    params: &TextDocumentPositionParams,
) -> NullableAnswer<PrepareRenameResponse> {
    let at = snapshot.offset(params.position);
    let target = snapshot.analysis.prepare_rename(snapshot.file, at)?.map_err(Failure::refused)?;
    Ok(Some(PrepareRenameResponse::RangeWithPlaceholder {
        range: snapshot.range(target.range),
        placeholder: target.placeholder,
    }))
}

/// `textDocument/rename`.
pub(crate) fn rename(snapshot: &Snapshot, params: &RenameParams) -> NullableAnswer<WorkspaceEdit> {
    let at = snapshot.offset(params.text_document_position.position);
    let edits = snapshot.analysis.rename(snapshot.file, at, &params.new_name)?;
    let edits = to_proto::edits(snapshot, edits.map_err(Failure::refused)?);
    Ok(Some(workspace_edit(&snapshot.uri, edits)))
}
