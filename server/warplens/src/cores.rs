//! Threads for simulations, and for the first check of a large document.

use std::sync::OnceLock;
use std::thread;

use warplens_sim::Workers;

/// Enough for the deepest nesting that the parsers accept, also in a debug build.
pub(crate) const STACK: usize = 16 << 20;

/// A number of threads, started for each use.
pub(crate) struct Cores(usize);

impl Cores {
    /// One thread for each core, for a process without other work.
    pub(crate) fn all() -> Cores {
        Cores(available())
    }

    /// The threads of each of `parts` uses at the same time.
    pub(crate) fn part(parts: usize) -> Cores {
        Cores(available() / parts.max(1))
    }

    /// A thread for every second core, for a process that must stay responsive.
    pub(crate) fn half() -> Cores {
        Cores(available().div_ceil(2))
    }
}

/// Asked once: each answer reads files of the system, and diagnostics ask at every keystroke.
fn available() -> usize {
    static AVAILABLE: OnceLock<usize> = OnceLock::new();
    *AVAILABLE.get_or_init(|| thread::available_parallelism().map_or(1, usize::from))
}

impl Workers for Cores {
    fn count(&self) -> usize {
        self.0
    }

    fn together(&self, work: &(dyn Fn() + Sync)) {
        thread::scope(|scope| {
            for _ in 1..self.0 {
                // When a thread cannot be started, the others do its share.
                let thread = thread::Builder::new().name("worker".to_owned()).stack_size(STACK);
                let _ = thread.spawn_scoped(scope, work);
            }
            work();
        });
    }
}
