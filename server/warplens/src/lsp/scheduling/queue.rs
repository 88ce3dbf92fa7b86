//! Requests that wait for a worker.
//!
//! A waiting request holds no snapshot of the analysis, because an edit waits until all snapshots are dropped.

use std::collections::VecDeque;

use tower_lsp::ls_types::Uri;

use crate::lsp::documents::request::{Job, Requester, Urgency};

/// The waiting requests of each class, first in, first out.
#[derive(Default)]
pub(crate) struct Queue {
    urgent: VecDeque<Job>,
    background: VecDeque<Job>,
}

impl Queue {
    pub(crate) fn push(&mut self, job: Job) {
        self.class(job.request.urgency).push_back(job);
    }

    /// Puts back a request that was cancelled.
    pub(crate) fn push_front(&mut self, job: Job) {
        self.class(job.request.urgency).push_front(job);
    }

    /// The next request for a reader.
    pub(crate) fn pop_urgent(&mut self) -> Option<Job> {
        self.urgent.pop_front()
    }

    /// The next request for the background worker.
    pub(crate) fn pop_background(&mut self) -> Option<Job> {
        self.background.pop_front()
    }

    /// Drops the waiting requests of a requester about a document.
    pub(crate) fn remove(&mut self, uri: &Uri, requester: &Requester) {
        for jobs in [&mut self.urgent, &mut self.background] {
            jobs.retain(|job| job.requester != *requester || job.request.uri != *uri);
        }
    }

    fn class(&mut self, urgency: Urgency) -> &mut VecDeque<Job> {
        match urgency {
            Urgency::Now => &mut self.urgent,
            Urgency::Soon | Urgency::Debounced => &mut self.background,
        }
    }
}
