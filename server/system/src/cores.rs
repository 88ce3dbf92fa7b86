//! Threads for simulations, and for the first check of a large document.

use std::panic::resume_unwind;
use std::sync::OnceLock;
use std::thread;

use warplens_sim_warp::Workers;

/// The stack of each thread: enough for the deepest nesting that the parsers accept, even in a debug build.
pub const STACK: usize = 16 << 20;

/// A number of threads, which are started for each use.
pub struct Cores(usize);

impl Cores {
    /// One thread for each core, for a process that does nothing else.
    pub fn all() -> Cores {
        Cores(available())
    }

    /// The share of the cores for each of `parts` concurrent uses.
    pub fn part(parts: usize) -> Cores {
        Cores(available() / parts.max(1))
    }

    /// A thread for every second core, for a process that must stay responsive.
    pub fn half() -> Cores {
        Cores(available().div_ceil(2))
    }
}

/// Cached, because each query reads system files, and diagnostics need the number at every keystroke.
fn available() -> usize {
    static AVAILABLE: OnceLock<usize> = OnceLock::new();
    *AVAILABLE.get_or_init(|| thread::available_parallelism().map_or(1, usize::from))
}

/// The results of two functions, which run in parallel where there are threads.
pub fn both<A: Send, B>(one: impl FnOnce() -> A + Send, other: impl FnOnce() -> B) -> (A, B) {
    if cfg!(target_family = "wasm") {
        return (one(), other());
    }
    thread::scope(|scope| {
        let one = scope.spawn(one);
        let other = other();
        (one.join().unwrap_or_else(|panic| resume_unwind(panic)), other)
    })
}

impl Workers for Cores {
    fn count(&self) -> usize {
        self.0
    }

    fn together(&self, work: &(dyn Fn() + Sync)) {
        thread::scope(|scope| {
            for _ in 1..self.0 {
                // If a thread cannot be started, the others do its share.
                let thread = thread::Builder::new().name("worker".to_owned()).stack_size(STACK);
                let _ = thread.spawn_scoped(scope, work);
            }
            work();
        });
    }
}
