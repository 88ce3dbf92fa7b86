//! The results that each open document shows: lanes, output of ptxas, semantic tokens.
//!
//! The state thread and the request handlers share them, so a handler can read them, and store the tokens that it sends, without a
//! message to the state thread.

use std::sync::Arc;

use dashmap::DashMap;
use dashmap::mapref::multiple::RefMulti;
use ls_types::{SemanticToken, Uri};
use warplens_sim_launch::Launch;

use crate::documents::document::Edit;
use crate::documents::lanes::Lanes;
use crate::documents::ptxas_findings::PtxasFindings;

/// Runs that take no more than this together are all kept.
const SMALL: usize = 16 << 20;

/// How many of the oldest runs to drop, so that the rest take at most 1.5 times the largest, or [`SMALL`]. The newest always stays.
fn surplus(bytes: &[usize]) -> usize {
    let largest = bytes.iter().copied().max().unwrap_or_default();
    let limit = SMALL.max(largest.saturating_add(largest / 2));
    let mut all = bytes.iter().fold(0, |all: usize, bytes| all.saturating_add(*bytes));
    let is_dropped = |bytes: &&usize| {
        let is_too_much = all > limit;
        all = all.saturating_sub(**bytes);
        is_too_much
    };
    let older = bytes.len().saturating_sub(1);
    bytes[..older].iter().take_while(is_dropped).count()
}

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
        Some(self.get(uri).lanes?.shown.launch().clone())
    }

    /// Changes what an open document shows.
    pub(crate) fn update<R>(&self, uri: &Uri, change: impl FnOnce(&mut ShownDocument) -> R) -> Option<R> {
        self.0.get_mut(uri).map(|mut shown| change(&mut shown))
    }

    /// Drops the oldest runs while all of them together take too much memory.
    pub(crate) fn limit_runs(&self) {
        let run = |shown: RefMulti<'_, Uri, ShownDocument>| {
            let lanes = shown.lanes.as_ref().filter(|lanes| lanes.ran().is_some())?;
            Some((lanes.shown_at, lanes.held_bytes(), shown.key().clone()))
        };
        let mut runs: Vec<_> = self.0.iter().filter_map(run).collect();
        runs.sort_by_key(|(shown_at, ..)| *shown_at);
        let bytes: Vec<usize> = runs.iter().map(|(_, bytes, _)| *bytes).collect();
        for (_, _, uri) in &runs[..surplus(&bytes)] {
            self.update(uri, |shown| shown.lanes.as_mut().map(Lanes::drop_run));
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_runs_are_dropped() {
        const GB: usize = 1 << 30;
        assert_eq!(surplus(&[]), 0);
        assert_eq!(surplus(&[3 * GB]), 0);
        assert_eq!(surplus(&[GB, GB]), 1);
        assert_eq!(surplus(&[GB, GB, GB]), 2);
        assert_eq!(surplus(&[GB, GB / 4, GB / 4]), 0);
        assert_eq!(surplus(&[GB / 4, GB / 4, GB, GB / 8]), 1);
        assert_eq!(surplus(&[SMALL / 4; 4]), 0);
    }
}
