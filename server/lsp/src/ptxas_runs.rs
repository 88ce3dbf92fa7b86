//! The runs of ptxas in progress. A run works on a copy of the text, on its own thread, and its end is an event.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::Sender;
use ls_types::Uri;
use ropey::Rope;
use warplens_protocol::jsonrpc::Id;
use warplens_tools::ptxas::Invocation;

use crate::documents::document::Edit;
use crate::environment::{Environment, Task};
use crate::event::{Event, PtxasFinished};

/// The runs in progress, by document.
pub(crate) struct PtxasRuns {
    documents: HashMap<Uri, DocumentRuns>,
    last_number: u64,
    /// A task ends soon after its run is stopped.
    tasks: Vec<Task>,
    events: Sender<Event>,
    environment: Arc<dyn Environment>,
}

#[derive(Default)]
struct DocumentRuns {
    /// The run after a save.
    check: Option<PtxasRun>,
    /// The run that a request for the resources of the kernels waits for.
    resources: Option<PtxasRun>,
}

/// A run in progress. Dropping it stops it.
pub(crate) struct PtxasRun {
    number: u64,
    stop: Arc<AtomicBool>,
    /// Edits of the text since the start.
    pub(crate) edits: Vec<Edit>,
    pub(crate) text: Rope,
    /// The request that waits for the resources of the kernels.
    pub(crate) request: Option<Id>,
}

impl Drop for PtxasRun {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Stops all runs and waits for them, so that no process and no temporary folder is left behind.
impl Drop for PtxasRuns {
    fn drop(&mut self) {
        self.documents.clear();
        self.tasks.clear();
    }
}

impl PtxasRuns {
    pub(crate) fn new(events: Sender<Event>, environment: Arc<dyn Environment>) -> PtxasRuns {
        PtxasRuns { documents: HashMap::new(), last_number: 0, tasks: vec![], events, environment }
    }

    /// Starts a run: with a request for the resources of the kernels, which need a complete run, or else a check. It replaces the
    /// previous run of the same kind; the result is the request that waited for that one.
    pub(crate) fn start(
        &mut self,
        uri: &Uri,
        program: PathBuf,
        text: Rope,
        request: Option<Id>,
    ) -> io::Result<Option<Id>> {
        self.last_number += 1;
        let (number, stop) = (self.last_number, Arc::new(AtomicBool::new(false)));
        let is_complete = request.is_some();
        let invocation = Invocation { program, text: text.clone(), is_complete, stop: Arc::clone(&stop) };
        let (events, uri_of_run) = (self.events.clone(), uri.clone());
        let run = move || {
            let finished = PtxasFinished { uri: uri_of_run, number, result: invocation.run() };
            let _ = events.send(Event::PtxasFinished(finished));
        };
        let task = self.environment.start_task("ptxas", Box::new(run))?;
        self.tasks.retain(|task| !task.has_ended());
        self.tasks.push(task);
        let run = PtxasRun { number, stop, edits: vec![], text, request };
        let runs = self.documents.entry(uri.clone()).or_default();
        let previous = if is_complete { runs.resources.replace(run) } else { runs.check.replace(run) };
        Ok(previous.and_then(|mut run| run.request.take()))
    }

    /// The run that has ended; `None` if it was replaced, or its document closed.
    pub(crate) fn finished(&mut self, uri: &Uri, number: u64) -> Option<PtxasRun> {
        let runs = self.documents.get_mut(uri)?;
        let has_ended = |run: &mut PtxasRun| run.number == number;
        runs.check.take_if(has_ended).or_else(|| runs.resources.take_if(has_ended))
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
