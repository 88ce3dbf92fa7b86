//! Threads that take jobs from a queue, a fixed number of them.

use crossbeam_channel::{Sender, unbounded};

type Job = Box<dyn FnOnce() + Send>;

/// Enough for the deepest nesting that the parsers accept, also in a debug build.
pub(super) const STACK: usize = 16 << 20;

/// A fixed number of threads. They end when the pool is dropped and its jobs are done.
pub(super) struct Pool {
    jobs: Sender<Job>,
}

impl Pool {
    /// Starts `size` threads called `name`.
    pub(super) fn new(name: &str, size: usize) -> std::io::Result<Pool> {
        let (jobs, queue) = unbounded::<Job>();
        for _ in 0..size {
            let queue = queue.clone();
            let work = move || queue.iter().for_each(|job| job());
            std::thread::Builder::new().name(name.to_owned()).stack_size(STACK).spawn(work)?;
        }
        Ok(Pool { jobs })
    }

    /// Runs a job as soon as a thread is free. A job must not panic: it would take its thread with it.
    pub(super) fn run(&self, job: impl FnOnce() + Send + 'static) {
        // The receivers live as long as the threads, and these as long as the sender.
        let _ = self.jobs.send(Box::new(job));
    }
}

/// A pool that is given a job only when a thread is free, so that the others can still be withdrawn.
pub(super) struct Crew {
    pool: Pool,
    size: usize,
    busy: usize,
}

impl Crew {
    /// Starts `size` threads called `name`.
    pub(super) fn new(name: &str, size: usize) -> std::io::Result<Crew> {
        Ok(Crew { pool: Pool::new(name, size)?, size, busy: 0 })
    }

    /// Whether a job would start at once.
    pub(super) fn is_free(&self) -> bool {
        self.busy < self.size
    }

    /// Starts a job; whoever hears of its end says so with [`Crew::ended`].
    pub(super) fn run(&mut self, job: impl FnOnce() + Send + 'static) {
        self.busy += 1;
        self.pool.run(job);
    }

    /// A job has ended.
    pub(super) fn ended(&mut self) {
        self.busy -= 1;
    }
}
