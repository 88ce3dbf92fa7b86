//! `textDocument/didChange`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ls_types::{DidChangeTextDocumentParams, Uri};
use serde_json::Value;

use crate::documents::document::{Refusal, out_of_sync};
use crate::from_proto;
use crate::state::State;
use warplens_system::panic::panic_message;

impl State {
    /// Without the edits of a notification that cannot be read, the text is no longer the client's.
    pub(crate) fn did_change(&mut self, params: Value) {
        let uri = from_proto::document_of(&params);
        match serde_json::from_value(params) {
            Ok(params) => self.change(params),
            Err(error) => {
                tracing::error!("textDocument/didChange: {error}");
                if let Some(uri) = uri {
                    self.refuse(&uri, &out_of_sync(&format!("an edit is not valid: {error}")));
                }
            }
        }
    }

    fn refuse(&mut self, uri: &Uri, refusal: &Refusal) {
        let Some(document) = self.documents.get_mut(uri) else { return };
        document.refuse(refusal.clone(), &mut self.host);
        self.client.show_refusal(uri, refusal);
        self.text_changed(uri);
    }

    fn change(&mut self, params: DidChangeTextDocumentParams) {
        let uri = params.text_document.uri;
        if self.documents.launch_files.contains_key(&uri) {
            return self.change_launch_document(&uri, params.text_document.version, params.content_changes);
        }
        let Some(document) = self.documents.get_mut(&uri) else {
            tracing::error!("edit of {}, which is not open", uri.as_str());
            return;
        };
        let was_refused = document.refusal().is_some();
        document.version = params.text_document.version;
        let (host, encoding) = (&mut self.host, self.client.encoding);
        let changed =
            catch_unwind(AssertUnwindSafe(|| document.change(params.content_changes, encoding, host)));
        let edits = changed.unwrap_or_else(|panic| {
            tracing::error!("panic in an edit of {}: {}", uri.as_str(), panic_message(&*panic));
            document.refuse(out_of_sync("internal error"), &mut self.host);
            vec![]
        });
        let refusal = document.refusal().filter(|_| !was_refused).cloned();
        document.delay.start(edits.iter().map(|edit| edit.largest_item).max().unwrap_or(0));
        // Requests about the older version need not wait longer: they are rejected as soon as a worker is free.
        self.scheduler.release(|debounced| *debounced == uri);
        self.shown.edit(&uri, &edits);
        self.simulations.edit(&uri, &edits);
        self.ptxas.edit(&uri, &edits);
        if let Some(refusal) = refusal {
            self.client.show_refusal(&uri, &refusal);
        }
        self.text_changed(&uri);
    }

    /// Updates diagnostics and the simulation after every change of a text.
    pub(crate) fn text_changed(&mut self, uri: &Uri) {
        if !self.client.capabilities.pull_diagnostics
            && let Some(document) = self.documents.get(uri)
        {
            let version = document.version;
            match document.refusal().map(Refusal::diagnostic) {
                Some(diagnostic) => self.client.publish(uri, Some(version), vec![diagnostic]),
                None if document.is_analyzed() => self.queue_publish(uri, version),
                None => {}
            }
        }
        self.prepare_again(uri);
    }
}
