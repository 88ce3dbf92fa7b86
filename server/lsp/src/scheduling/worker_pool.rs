//! Workers that are given a job only when one is free.

use std::sync::Arc;

use crate::environment::{Environment, Pool};

/// A pool that is given a job only when a worker is free, so that waiting requests can still be dropped.
pub(crate) struct WorkerPool {
    environment: Arc<dyn Environment>,
    pool: Pool,
    busy: usize,
}

impl WorkerPool {
    pub(crate) fn new(environment: Arc<dyn Environment>, pool: Pool) -> WorkerPool {
        WorkerPool { environment, pool, busy: 0 }
    }

    /// Whether a job would start at once.
    pub(crate) fn is_free(&self) -> bool {
        self.busy < self.environment.size(self.pool)
    }

    /// Starts a job. [`WorkerPool::finished`] must follow its end.
    pub(crate) fn run(&mut self, job: impl FnOnce() + Send + 'static) {
        self.busy += 1;
        self.environment.run(self.pool, Box::new(job));
    }

    /// Frees the worker of a job that has finished.
    pub(crate) fn finished(&mut self) {
        self.busy -= 1;
    }
}
