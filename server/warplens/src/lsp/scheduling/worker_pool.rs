//! Thread pools of a fixed size.

use crossbeam_channel::{Sender, unbounded};

use crate::cores::STACK;

type Job = Box<dyn FnOnce() + Send>;

/// Threads that take jobs from a queue. They end when the pool is dropped and its jobs are done.
pub(crate) struct ThreadPool {
    jobs: Sender<Job>,
}

impl ThreadPool {
    /// Starts `size` threads called `name`.
    pub(crate) fn new(name: &str, size: usize) -> std::io::Result<ThreadPool> {
        let (jobs, queue) = unbounded::<Job>();
        for _ in 0..size {
            let queue = queue.clone();
            let work = move || queue.iter().for_each(|job| job());
            std::thread::Builder::new().name(name.to_owned()).stack_size(STACK).spawn(work)?;
        }
        Ok(ThreadPool { jobs })
    }

    /// Runs a job when a thread is free. A job must not panic: its thread would end.
    pub(crate) fn run(&self, job: impl FnOnce() + Send + 'static) {
        // This cannot fail, because the threads end only after the sender is dropped.
        let _ = self.jobs.send(Box::new(job));
    }
}

/// A pool that is given a job only when a thread is free, so that waiting requests can still be dropped.
pub(crate) struct WorkerPool {
    pool: ThreadPool,
    size: usize,
    busy: usize,
}

impl WorkerPool {
    /// Starts `size` threads called `name`.
    pub(crate) fn new(name: &str, size: usize) -> std::io::Result<WorkerPool> {
        Ok(WorkerPool { pool: ThreadPool::new(name, size)?, size, busy: 0 })
    }

    /// Whether a job would start at once.
    pub(crate) fn is_free(&self) -> bool {
        self.busy < self.size
    }

    /// Starts a job. [`WorkerPool::finished`] must follow its end.
    pub(crate) fn run(&mut self, job: impl FnOnce() + Send + 'static) {
        self.busy += 1;
        self.pool.run(job);
    }

    /// Frees the thread of a job that has finished.
    pub(crate) fn finished(&mut self) {
        self.busy -= 1;
    }
}
