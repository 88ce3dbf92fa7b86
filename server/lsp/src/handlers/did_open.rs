//! `textDocument/didOpen`.

use ls_types::DidOpenTextDocumentParams;

use crate::documents::launch_document::LaunchDocument;
use crate::state::State;

impl State {
    pub(crate) fn did_open(&mut self, params: DidOpenTextDocumentParams) {
        let item = params.text_document;
        let uri = item.uri.clone();
        if let Some(document) = LaunchDocument::open(&item) {
            return self.open_launch_document(&uri, document);
        }
        self.documents.open(item, &mut self.host);
        self.shown.open(&uri);
        if let Some(refusal) = self.documents.get(&uri).and_then(|document| document.refusal()) {
            self.client.show_refusal(&uri, refusal);
        }
        self.text_changed(&uri);
        self.environment.memory_freed();
    }
}
