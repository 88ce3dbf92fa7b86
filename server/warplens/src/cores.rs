//! Threads for simulations.

use std::thread;

use warplens_sim::Workers;

/// A number of threads, started for each run.
pub(crate) struct Cores(usize);

impl Cores {
    /// One thread for each core, for a process without other work.
    pub(crate) fn all() -> Cores {
        Cores(available())
    }

    /// A thread for every second core, for a process that must stay responsive.
    pub(crate) fn half() -> Cores {
        Cores(available().div_ceil(2))
    }
}

fn available() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

impl Workers for Cores {
    fn count(&self) -> usize {
        self.0
    }

    fn together(&self, work: &(dyn Fn() + Sync)) {
        thread::scope(|scope| {
            for _ in 1..self.0 {
                // When a thread cannot be started, the others do its share.
                let _ = thread::Builder::new().name("blocks".to_owned()).spawn_scoped(scope, work);
            }
            work();
        });
    }
}
