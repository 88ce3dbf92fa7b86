//! Requests on their way to a worker, and the workers.
//!
//! A debounced request about a very large function waits while the function is edited, if the same work took long after the last edit
//! (see [`AnalysisDelay`](crate::documents::analysis_delay::AnalysisDelay)). Otherwise the work would restart at every keystroke
//! and never finish.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use warplens_system::clock::Instant;

use crossbeam_channel::Sender;
use ls_types::Uri;
use rustc_hash::FxHashMap;

use crate::documents::request::{Job, Requester, Urgency, run};
use crate::documents::snapshot::Snapshot;
use crate::environment::{Environment, Pool};
use crate::event::Event;
use crate::scheduling::worker_pool::WorkerPool;

/// The requests that wait or run, and the workers.
///
/// A waiting request holds no snapshot of the analysis, because an edit waits until all snapshots are dropped.
pub(crate) struct Scheduler {
    /// Answers requests about a position, such as a hover.
    readers: Class,
    /// Answers requests about a whole document. It has a single thread, because each thread keeps the memory that a large file took.
    background: Class,
    /// Requests that wait for the end of a delay.
    debounced: Vec<Job>,
    /// Jobs on workers, by number, with their start times.
    in_flight: FxHashMap<u64, (Job, Instant)>,
    last_number: u64,
}

/// Workers, and the requests that wait for them, first in, first out.
struct Class {
    workers: WorkerPool,
    waiting: VecDeque<Job>,
}

impl Class {
    fn new(environment: &Arc<dyn Environment>, pool: Pool) -> Class {
        Class { workers: WorkerPool::new(Arc::clone(environment), pool), waiting: VecDeque::new() }
    }
}

impl Scheduler {
    pub(crate) fn new(environment: &Arc<dyn Environment>) -> Scheduler {
        Scheduler {
            readers: Class::new(environment, Pool::Readers),
            background: Class::new(environment, Pool::Background),
            debounced: vec![],
            in_flight: FxHashMap::default(),
            last_number: 0,
        }
    }

    /// Queues a request.
    pub(crate) fn enqueue(&mut self, job: Job) {
        self.class(job.request.urgency).waiting.push_back(job);
    }

    /// Queues a request again that was cancelled although its document has not changed.
    pub(crate) fn requeue(&mut self, job: Job) {
        self.class(job.request.urgency).waiting.push_front(job);
    }

    /// Holds a request back until [`Scheduler::release`].
    pub(crate) fn debounce(&mut self, job: Job) {
        self.debounced.push(job);
    }

    /// Moves the debounced requests that are due to the queue.
    pub(crate) fn release(&mut self, is_due: impl Fn(&Uri) -> bool) {
        let due: Vec<Job> = self.debounced.extract_if(.., |job| is_due(&job.request.uri)).collect();
        due.into_iter().for_each(|job| self.enqueue(job));
    }

    /// Drops the waiting requests of a requester about a document, because a newer one replaces them.
    pub(crate) fn remove(&mut self, uri: &Uri, requester: &Requester) {
        let is_other = |job: &Job| job.requester != *requester || job.request.uri != *uri;
        self.readers.waiting.retain(is_other);
        self.background.waiting.retain(is_other);
        self.debounced.retain(is_other);
    }

    /// The next request for which a worker is free.
    pub(crate) fn next(&mut self) -> Option<Job> {
        let mut classes = [&mut self.readers, &mut self.background].into_iter();
        classes.find_map(|class| class.waiting.pop_front_if(|_| class.workers.is_free()))
    }

    /// Starts a job on the worker that [`Scheduler::next`] found free. Its end is an event.
    pub(crate) fn start(&mut self, job: Job, snapshot: Snapshot, events: Sender<Event>) {
        self.last_number += 1;
        let (number, handler) = (self.last_number, Arc::clone(&job.request.handler));
        self.class(job.request.urgency).workers.run(move || {
            let _ = events.send(Event::Finished(number, run(&handler, snapshot)));
        });
        self.in_flight.insert(number, (job, Instant::now()));
    }

    /// The job that has finished, and how long it took.
    pub(crate) fn finished(&mut self, number: u64) -> Option<(Job, Duration)> {
        let (job, started) = self.in_flight.remove(&number)?;
        self.class(job.request.urgency).workers.finished();
        Some((job, started.elapsed()))
    }

    /// The background worker, which also runs work on many files, after the requests that wait.
    pub(crate) fn background(&mut self) -> &mut WorkerPool {
        &mut self.background.workers
    }

    fn class(&mut self, urgency: Urgency) -> &mut Class {
        match urgency {
            Urgency::Now => &mut self.readers,
            Urgency::Soon | Urgency::Debounced => &mut self.background,
        }
    }
}
