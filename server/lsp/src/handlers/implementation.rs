//! `textDocument/implementation`: the definitions of a name in the files of the workspace.

use ls_types::request::GotoImplementationParams;

use crate::documents::request::Response;
use crate::documents::snapshot::{Failure, Snapshot};

/// The name at a position. The state thread looks it up in the workspace index.
pub(crate) fn linked_name(
    snapshot: &Snapshot,
    params: &GotoImplementationParams,
) -> Result<Response, Failure> {
    let at = snapshot.offset(params.text_document_position_params.position);
    Ok(Response::LinkedName(snapshot.analysis.linked_name(snapshot.file, at)?))
}
