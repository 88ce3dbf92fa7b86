//! Checks of very large functions wait for a pause in typing.
//!
//! What a keystroke costs follows the function edited. Over a megabyte its diagnostics and its simulation would be
//! begun anew with every letter and never be done, so they rest until no letter has come for a while.

use std::time::{Duration, Instant};

use tower_lsp::ls_types::Uri;

use super::event::Event;
use super::job::{Asker, Job, Urgency};
use super::state::State;

/// Functions of more bytes are checked after a pause.
const LARGE: usize = 1 << 20;

/// The pause.
const PAUSE: Duration = Duration::from_millis(300);

impl State {
    /// Puts a question into the queue, or lets it rest.
    pub(super) fn enqueue(&mut self, job: Job) {
        let rests_until = self.documents.get(&job.uri).and_then(|document| document.rests_until);
        let pause =
            rests_until.map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()));
        if job.urgency == Urgency::AtRest && !pause.is_zero() {
            self.resting.push(job);
            self.outbox.later(pause, Event::Rested);
        } else {
            self.queue.push(job);
        }
    }

    /// Drops what waits for this asker about this document: a newer question takes its place.
    pub(super) fn forget(&mut self, uri: &Uri, asker: &Asker) {
        self.queue.forget(uri, asker);
        self.resting.retain(|job| job.asker != *asker || job.uri != *uri);
    }

    /// An edit made an item of so many bytes new. What rests about an older version is not asked any more.
    pub(super) fn rest_after_edit(&mut self, uri: &Uri, largest_item: usize) {
        if let Some(document) = self.documents.get_mut(uri) {
            document.rests_until = (largest_item > LARGE).then(|| Instant::now() + PAUSE);
        }
        self.resting.extract_if(.., |job| job.uri == *uri).for_each(|job| self.queue.push(job));
    }

    /// A pause may be over.
    pub(super) fn rested(&mut self) {
        let (now, documents) = (Instant::now(), &self.documents);
        let is_awake = |job: &mut Job| {
            let document = documents.get(&job.uri);
            document.and_then(|document| document.rests_until).is_none_or(|until| until <= now)
        };
        self.resting.extract_if(.., is_awake).for_each(|job| self.queue.push(job));
    }
}
