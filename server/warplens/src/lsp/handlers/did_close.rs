//! `textDocument/didClose`.

use tower_lsp::ls_types::{DidCloseTextDocumentParams, PublishDiagnosticsParams};

use crate::lsp::state::State;

impl State {
    pub(crate) fn did_close(&mut self, params: DidCloseTextDocumentParams) {
        let uri = params.text_document.uri;
        self.close_launch_document(&uri);
        if let Some(document) = self.documents.remove(&uri) {
            self.host.close(document.file);
            self.deselect(&uri);
            self.ptxas.close(&uri);
            self.shown.close(&uri);
            self.memory.freed();
            if !self.capabilities.pull_diagnostics {
                self.client.publish(&PublishDiagnosticsParams { uri, diagnostics: vec![], version: None });
            }
        }
    }
}
