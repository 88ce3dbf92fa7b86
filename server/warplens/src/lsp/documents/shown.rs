//! The results that each open document shows: lanes, output of ptxas, semantic tokens.
//!
//! The state thread and the request handlers share them, so a handler can read them, and store the tokens that it sends, without a
//! message to the state thread.

use std::sync::Arc;

use dashmap::DashMap;
use tower_lsp::ls_types::{SemanticToken, Uri};
use warplens_sim_launch::Launch;

use crate::lsp::documents::document::Edit;
use crate::lsp::documents::lanes::Lanes;
use crate::lsp::documents::ptxas_findings::PtxasFindings;

#[derive(Clone, Default)]
pub(crate) struct ShownDocument {
    /// The result of the last run.
    pub(crate) lanes: Option<Lanes>,
    /// The result of the last run of ptxas.
    pub(crate) ptxas: PtxasFindings,
    /// The tokens that the client has, and the version of the document that they are for.
    pub(crate) tokens: Option<(i32, Arc<Vec<SemanticToken>>)>,
}

/// What the open documents show.
#[derive(Default)]
pub(crate) struct ShownDocuments(DashMap<Uri, ShownDocument>);

impl ShownDocuments {
    /// Adds a document. The client has no tokens of it.
    pub(crate) fn open(&self, uri: &Uri) {
        self.0.entry(uri.clone()).or_default().tokens = None;
    }

    pub(crate) fn close(&self, uri: &Uri) {
        self.0.remove(uri);
    }

    /// What a document shows now.
    pub(crate) fn get(&self, uri: &Uri) -> ShownDocument {
        self.0.get(uri).map(|shown| shown.clone()).unwrap_or_default()
    }

    /// The launch whose lanes a document shows.
    pub(crate) fn launch(&self, uri: &Uri) -> Option<Launch> {
        Some(self.get(uri).lanes?.outcome.launch().clone())
    }

    /// Changes what an open document shows.
    pub(crate) fn update<R>(&self, uri: &Uri, change: impl FnOnce(&mut ShownDocument) -> R) -> Option<R> {
        self.0.get_mut(uri).map(|mut shown| change(&mut shown))
    }

    /// Moves positions with an edit of the text.
    pub(crate) fn edit(&self, uri: &Uri, edits: &[Edit]) {
        self.update(uri, |shown| {
            if let Some(lanes) = &mut shown.lanes {
                lanes.edit(edits);
            }
            shown.ptxas.edit(edits);
        });
    }

    /// Removes the findings of ptxas from all documents.
    pub(crate) fn clear_ptxas(&self) {
        self.0.iter_mut().for_each(|mut shown| shown.ptxas = PtxasFindings::default());
    }
}
