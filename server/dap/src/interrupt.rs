//! How a client interrupts what the adapter is doing.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Set by the thread that reads the input.
#[derive(Debug, Default)]
pub(crate) struct Interrupt {
    /// The `pause` and `cancel` requests that wait behind what is being done.
    waiting: AtomicUsize,
    /// Whether the input has ended, or the client has ended the session, some time ago.
    is_over: AtomicBool,
}

/// Whether a request interrupts a search for the next stop.
fn interrupts(command: &str) -> bool {
    matches!(command, "pause" | "cancel")
}

impl Interrupt {
    /// A request has been read.
    pub(crate) fn read(&self, command: &str) {
        self.waiting.fetch_add(usize::from(interrupts(command)), Ordering::Relaxed);
    }

    /// A request that has been read is handled now.
    pub(crate) fn handled(&self, command: &str) {
        self.waiting.fetch_sub(usize::from(interrupts(command)), Ordering::Relaxed);
    }

    pub(crate) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Whether a search for the next stop ends where it is.
    pub(crate) fn is_paused(&self) -> bool {
        self.is_over() || self.waiting.load(Ordering::Relaxed) != 0
    }
}
