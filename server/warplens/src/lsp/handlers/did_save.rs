//! `textDocument/didSave`.

use tower_lsp::ls_types::DidSaveTextDocumentParams;

use crate::lsp::state::State;

impl State {
    pub(crate) fn did_save(&mut self, params: DidSaveTextDocumentParams) {
        self.check_with_ptxas(&params.text_document.uri);
    }
}
