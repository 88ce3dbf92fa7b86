//! Thread pools of a fixed size.

use crossbeam_channel::{Sender, unbounded};
use warplens_lsp::Job;
use warplens_system::cores::STACK;

/// Threads that take jobs from a queue. They end when the pool is dropped and its jobs are done.
pub(crate) struct ThreadPool {
    jobs: Sender<Job>,
    pub(crate) size: usize,
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
        Ok(ThreadPool { jobs, size })
    }

    /// Runs a job when a thread is free. A job must not panic: its thread would end.
    pub(crate) fn run(&self, job: Job) {
        // This cannot fail, because the threads end only after the sender is dropped.
        let _ = self.jobs.send(job);
    }
}
