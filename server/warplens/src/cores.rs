//! The cores of the machine, lent to a simulation.

use std::thread;

use warplens_sim::Workers;

/// So many threads, started when they are needed and gone when their work is done.
pub(crate) struct Cores(usize);

impl Cores {
    /// All of them, for a process that does nothing else.
    pub(crate) fn all() -> Cores {
        Cores(available())
    }

    /// Half of them, for a process that has to answer meanwhile.
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
                // Where the system has no thread to give, the others do its share.
                let _ = thread::Builder::new().name("blocks".to_owned()).spawn_scoped(scope, work);
            }
            work();
        });
    }
}
