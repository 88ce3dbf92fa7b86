//! How a client interrupts what the adapter is doing.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;

use crate::progress;
use crate::session::Request;

/// Set by the thread that reads the input.
#[derive(Debug, Default)]
pub(crate) struct Interrupt {
    /// The `pause` and `cancel` requests that wait behind what is being done.
    waiting: AtomicUsize,
    /// What they cancel.
    cancels: Mutex<Vec<Cancel>>,
    /// Whether the input has ended, or the client has ended the session, some time ago.
    is_over: AtomicBool,
}

/// The arguments of a `cancel` request.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Cancel {
    request_id: Option<u64>,
    progress_id: Option<String>,
}

impl Cancel {
    fn of(request: &Request) -> Option<Cancel> {
        (request.command == "cancel").then(|| Cancel::deserialize(request.arguments()).unwrap_or_default())
    }
}

/// Whether a request interrupts a search for the next stop.
fn interrupts(command: &str) -> bool {
    matches!(command, "pause" | "cancel")
}

impl Interrupt {
    fn cancels<T>(&self, act: impl FnOnce(&mut Vec<Cancel>) -> T) -> T {
        act(&mut self.cancels.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A request has been read.
    pub(crate) fn read(&self, request: &Request) {
        if let Some(cancel) = Cancel::of(request) {
            self.cancels(|cancels| cancels.push(cancel));
        }
        self.waiting.fetch_add(usize::from(interrupts(&request.command)), Ordering::Relaxed);
    }

    /// A request that has been read is handled now.
    pub(crate) fn handled(&self, request: &Request) {
        if let Some(cancel) = Cancel::of(request) {
            self.cancels(|cancels| {
                let known = cancels.iter().position(|known| *known == cancel);
                known.map(|known| cancels.remove(known))
            });
        }
        self.waiting.fetch_sub(usize::from(interrupts(&request.command)), Ordering::Relaxed);
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

    /// Whether the client has cancelled a launch request, by its number or that of its progress.
    pub(crate) fn cancels_launch(&self, request: u64) -> bool {
        let is_it = |cancel: &Cancel| {
            cancel.request_id == Some(request)
                || cancel.progress_id.as_ref().is_some_and(|id| *id == progress::id(request))
        };
        self.is_over()
            || self.waiting.load(Ordering::Relaxed) != 0 && self.cancels(|all| all.iter().any(is_it))
    }
}
