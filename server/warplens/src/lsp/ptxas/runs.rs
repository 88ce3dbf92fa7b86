//! The runs of ptxas in progress.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use tower_lsp::jsonrpc::Id;
use tower_lsp::ls_types::Uri;

use crate::lsp::document::Edit;

/// The runs in progress, by document.
#[derive(Default)]
pub(crate) struct PtxasRuns {
    pub(crate) documents: HashMap<Uri, DocumentRuns>,
    /// The number of the last run; the end of an older run is ignored.
    pub(crate) last_number: u64,
    /// The threads of the runs; each ends when its run is stopped.
    threads: Vec<JoinHandle<()>>,
}

/// Stops all runs and waits for them, so that no process and no temporary folder of them is left.
impl Drop for PtxasRuns {
    fn drop(&mut self) {
        self.documents.clear();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// The runs of one document.
#[derive(Default)]
pub(crate) struct DocumentRuns {
    /// After a save.
    pub(crate) check: Option<PtxasRun>,
    /// For the resources of the kernels.
    pub(crate) resources: Option<PtxasRun>,
}

/// A run in progress. Dropping it stops it.
pub(crate) struct PtxasRun {
    pub(crate) number: u64,
    pub(crate) stop: Arc<AtomicBool>,
    /// Edits of the text since the start.
    pub(crate) edits: Vec<Edit>,
    pub(crate) text: ropey::Rope,
    /// The request that waits for it.
    pub(crate) request: Option<Id>,
}

impl Drop for PtxasRun {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl PtxasRuns {
    /// Keeps the thread of a run.
    pub(crate) fn add(&mut self, thread: JoinHandle<()>) {
        self.threads.retain(|thread| !thread.is_finished());
        self.threads.push(thread);
    }

    /// Records edits for the check in progress.
    pub(crate) fn edit(&mut self, uri: &Uri, edits: &[Edit]) {
        let check = self.documents.get_mut(uri).and_then(|runs| runs.check.as_mut());
        if let Some(check) = check {
            check.edits.extend_from_slice(edits);
        }
    }

    /// Stops the runs of a closed document.
    pub(crate) fn close(&mut self, uri: &Uri) {
        self.documents.remove(uri);
    }
}
