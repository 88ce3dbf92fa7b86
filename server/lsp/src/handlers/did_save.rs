//! `textDocument/didSave`.

use ls_types::DidSaveTextDocumentParams;

use crate::state::State;

impl State {
    pub(crate) fn did_save(&mut self, params: DidSaveTextDocumentParams) {
        self.check_with_ptxas(&params.text_document.uri);
    }
}
