//! Diagnostics and simulations of very large functions are debounced.
//!
//! The cost of an edit follows the size of the edited function. Above a megabyte, analysis would restart with every
//! keystroke and never finish, so it waits until no edit has arrived for a while.

use std::time::{Duration, Instant};

use tower_lsp::ls_types::Uri;

use super::event::Event;
use super::request::{Job, Requester, Urgency};
use super::state::State;

/// Functions of more bytes are debounced.
const LARGE: usize = 1 << 20;

/// The time without an edit.
const DELAY: Duration = Duration::from_millis(300);

impl State {
    /// Queues a request, or debounces it.
    pub(crate) fn enqueue(&mut self, job: Job) {
        let until = self.documents.get(&job.request.uri).and_then(|document| document.debounced_until);
        let delay = until.map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()));
        if job.request.urgency == Urgency::Debounced && !delay.is_zero() {
            self.debounced.push(job);
            self.client.send_later(delay, Event::DebounceElapsed);
        } else {
            self.queue.push(job);
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
            document.debounced_until = (largest_item > LARGE).then(|| Instant::now() + DELAY);
        }
        self.debounced.extract_if(.., |job| job.request.uri == *uri).for_each(|job| self.queue.push(job));
    }

    /// A delay has elapsed: queues the requests that need not wait longer.
    pub(crate) fn debounce_elapsed(&mut self) {
        let (now, documents) = (Instant::now(), &self.documents);
        let is_due = |job: &mut Job| {
            let document = documents.get(&job.request.uri);
            document.and_then(|document| document.debounced_until).is_none_or(|until| until <= now)
        };
        self.debounced.extract_if(.., is_due).for_each(|job| self.queue.push(job));
    }
}
