//! Edits that the client applies to a document.

use std::collections::HashMap;

use ls_types::{TextEdit, Uri, WorkspaceEdit};

/// Edits of one document, of any version.
pub(crate) fn workspace_edit(uri: &Uri, edits: Vec<TextEdit>) -> WorkspaceEdit {
    let changes = Some(HashMap::from([(uri.clone(), edits)]));
    WorkspaceEdit { changes, ..WorkspaceEdit::default() }
}
