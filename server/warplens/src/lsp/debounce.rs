//! Diagnostics and simulations of very large functions are debounced where they take long.
//!
//! After most edits little of a function is analysed again. After others, such as that of a brace, all of it is; for a function above a
//! megabyte, such an analysis would restart with every keystroke and never finish, so it waits until no edit has arrived for a while:
//! see [`AnalysisDelay`](super::analysis_delay::AnalysisDelay).

use std::time::Duration;

use tower_lsp::ls_types::Uri;

use super::analysis_delay::Analysis;
use super::event::Event;
use super::request::{Job, Requester, Urgency};
use super::snapshot::Failure;
use super::state::State;

/// The analysis that a requester waits for.
fn analysis(requester: &Requester) -> Analysis {
    match requester {
        Requester::Client(_) | Requester::Publish => Analysis::Diagnostics,
        Requester::Prepare(_) => Analysis::Preparation,
    }
}

impl State {
    /// Queues a request, or debounces it.
    pub(crate) fn enqueue(&mut self, job: Job) {
        let document = self.documents.get_mut(&job.request.uri);
        let is_debounced = job.request.urgency == Urgency::Debounced;
        let delay = document
            .filter(|_| is_debounced)
            .map_or(Duration::ZERO, |document| document.delay.remaining(analysis(&job.requester)));
        if delay.is_zero() {
            self.queue.push(job);
        } else {
            self.debounced.push(job);
            self.client.send_later(delay, Event::DebounceElapsed);
        }
    }

    /// Drops the waiting requests of a requester about a document: a newer one replaces them.
    pub(crate) fn remove_queued(&mut self, uri: &Uri, requester: &Requester) {
        self.queue.remove(uri, requester);
        self.debounced.retain(|job| job.requester != *requester || job.request.uri != *uri);
    }

    /// Starts the delay after an edit that changed an item of this size. Debounced requests about the older version
    /// move to the queue, which rejects them.
    pub(crate) fn debounce_after_edit(&mut self, uri: &Uri, largest_item: usize) {
        if let Some(document) = self.documents.get_mut(uri) {
            document.delay.start(largest_item);
        }
        self.debounced.extract_if(.., |job| job.request.uri == *uri).for_each(|job| self.queue.push(job));
    }

    /// A delay has elapsed: queues the requests that need not wait longer.
    pub(crate) fn debounce_elapsed(&mut self) {
        let documents = &self.documents;
        let is_due =
            |job: &mut Job| documents.get(&job.request.uri).is_none_or(|document| document.delay.is_over());
        self.debounced.extract_if(.., is_due).for_each(|job| self.queue.push(job));
    }

    /// Notes how long the work on a debounced request took.
    pub(crate) fn note_analysis(&mut self, job: &Job, took: Duration, failure: Option<&Failure>) {
        if job.request.urgency == Urgency::Debounced
            && let Some(document) = self.documents.get_mut(&job.request.uri)
        {
            let is_cancelled = matches!(failure, Some(Failure::Cancelled)) && document.version != job.version;
            document.delay.note(analysis(&job.requester), took, is_cancelled);
        }
    }
}
