//! `textDocument/didOpen`.

use tower_lsp::ls_types::{DidOpenTextDocumentParams, MessageType, Uri};
use warplens_ide::FileId;

use crate::lsp::document::{Document, Refusal};
use crate::lsp::launch_documents::LaunchDocument;
use crate::lsp::state::State;

impl State {
    pub(crate) fn did_open(&mut self, params: DidOpenTextDocumentParams) {
        let item = params.text_document;
        let uri = item.uri.clone();
        if let Some(document) = LaunchDocument::open(&item) {
            return self.open_launch_document(&uri, document);
        }
        if let Some(open) = self.documents.remove(&uri) {
            tracing::warn!("{} was opened twice", uri.as_str());
            self.host.close(open.file);
        }
        self.files_opened += 1;
        let file = FileId(self.files_opened);
        let document = Document::open(item, file, &mut self.host);
        let refusal = document.refusal().cloned();
        self.documents.insert(uri.clone(), document);
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
