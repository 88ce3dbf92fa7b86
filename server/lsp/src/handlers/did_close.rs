//! `textDocument/didClose`.

use ls_types::DidCloseTextDocumentParams;

use crate::state::State;

impl State {
    pub(crate) fn did_close(&mut self, params: DidCloseTextDocumentParams) {
        let uri = params.text_document.uri;
        self.close_launch_document(&uri);
        if self.documents.close(&uri, &mut self.host) {
            self.deselect(&uri);
            self.ptxas.close(&uri);
            self.shown.close(&uri);
            self.environment.memory_freed();
            self.client.publish(&uri, None, vec![]);
        }
    }
}
