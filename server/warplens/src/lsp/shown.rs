//! What each open document shows of results that were computed before: lanes, output of ptxas, semantic tokens.
//!
//! The state thread and the request handlers share it. A handler reads it, and stores the tokens that it sends, without
//! a message to the state thread.

use std::sync::Arc;

use dashmap::DashMap;
use tower_lsp::ls_types::{SemanticToken, Uri};

use super::document::Edit;
use super::lanes::Lanes;
use super::ptxas::findings::PtxasFindings;

/// What one document shows.
#[derive(Clone, Default)]
pub(crate) struct ShownDocument {
    /// The last run.
    pub(crate) lanes: Option<Lanes>,
    /// The last run of ptxas.
    pub(crate) ptxas: PtxasFindings,
    /// The tokens that the client was last sent, and the document version that they are for.
    pub(crate) tokens: Option<(i32, Arc<Vec<SemanticToken>>)>,
}

/// What the open documents show.
#[derive(Default)]
pub(crate) struct ShownDocuments(DashMap<Uri, ShownDocument>);

impl ShownDocuments {
    /// A document was opened.
    pub(crate) fn open(&self, uri: &Uri) {
        self.0.entry(uri.clone()).or_default().tokens = None;
    }

    /// A document was closed.
    pub(crate) fn close(&self, uri: &Uri) {
        self.0.remove(uri);
    }

    /// What a document shows at this moment.
    pub(crate) fn get(&self, uri: &Uri) -> ShownDocument {
        self.0.get(uri).map(|shown| shown.clone()).unwrap_or_default()
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
