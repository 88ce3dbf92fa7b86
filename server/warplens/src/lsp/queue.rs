//! Questions that wait for a worker.
//!
//! They wait as data, without a snapshot: a queue of snapshots would hold up every edit.

use std::collections::VecDeque;

use tower_lsp::ls_types::Uri;

use super::job::{Asker, Job, Urgency};

/// The waiting questions: first the urgent ones, then the others, each in the order in which they came.
#[derive(Default)]
pub(super) struct Queue {
    now: VecDeque<Job>,
    soon: VecDeque<Job>,
}

impl Queue {
    pub(super) fn push(&mut self, job: Job) {
        self.line(job.urgency).push_back(job);
    }

    /// Puts back a question that was interrupted.
    pub(super) fn push_front(&mut self, job: Job) {
        self.line(job.urgency).push_front(job);
    }

    /// The next question that somebody is looking at.
    pub(super) fn pop_urgent(&mut self) -> Option<Job> {
        self.now.pop_front()
    }

    /// The next question that can wait a little.
    pub(super) fn pop_patient(&mut self) -> Option<Job> {
        self.soon.pop_front()
    }

    /// Drops what waits for this asker about this document: a newer question takes its place.
    pub(super) fn forget(&mut self, uri: &Uri, asker: &Asker) {
        for line in [&mut self.now, &mut self.soon] {
            line.retain(|job| job.asker != *asker || job.uri != *uri);
        }
    }

    fn line(&mut self, urgency: Urgency) -> &mut VecDeque<Job> {
        match urgency {
            Urgency::Now => &mut self.now,
            Urgency::Soon | Urgency::AtRest => &mut self.soon,
        }
    }
}
