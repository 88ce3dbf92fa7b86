//! `textDocument/didOpen`.

use tower_lsp::ls_types::{DidOpenTextDocumentParams, MessageType, Uri};

use crate::lsp::documents::document::Refusal;
use crate::lsp::documents::launch_document::LaunchDocument;
use crate::lsp::state::State;

impl State {
    pub(crate) fn did_open(&mut self, params: DidOpenTextDocumentParams) {
        let item = params.text_document;
        let uri = item.uri.clone();
        if let Some(document) = LaunchDocument::open(&item) {
            return self.open_launch_document(&uri, document);
        }
        self.documents.open(item, &mut self.host);
        let refusal = self.documents.get(&uri).and_then(|document| document.refusal()).cloned();
        self.shown.open(&uri);
        self.show_refusal(&uri, refusal);
        self.text_changed(&uri);
        self.memory.freed();
    }

    /// Shows the user why a document is not analysed.
    pub(crate) fn show_refusal(&self, uri: &Uri, refusal: Option<Refusal>) {
        if let Some(refusal) = refusal {
            let name = uri.path().as_str().rsplit('/').next().unwrap_or_default();
            self.client.show(MessageType::WARNING, format!("{name}: {}", refusal.message));
        }
    }
}
