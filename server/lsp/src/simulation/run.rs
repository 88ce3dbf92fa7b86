//! A run: first the trace, then the values of the warp that is shown.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use warplens_system::clock::Instant;

use ls_types::{NumberOrString, Uri};
use warplens_ide::lanes::{Cancelled, Outcome, Prepared, WarpRequest};

use crate::client::{Client, RunningParams};
use crate::documents::document::Edit;
use crate::event::{Event, SimulationState, SimulationUpdate};
use warplens_system::cores::Cores;
use warplens_system::panic::panic_message;

/// The interval of progress reports.
const REPORT_INTERVAL: Duration = Duration::from_millis(200);

/// The time after which the beginning of a run is shown.
const LONG: Duration = Duration::from_millis(100);

/// The beginning has this fraction of the warp instructions executed in [`LONG`], so that showing it takes about the same time on every
/// machine.
const SHARE: u64 = 4;

/// The prefix of progress tokens.
pub(crate) const TOKEN: &str = "warplens/simulation/";

pub(crate) fn token(number: u64) -> NumberOrString {
    NumberOrString::String(format!("{TOKEN}{number}"))
}

pub(crate) struct Run {
    pub(crate) number: u64,
    pub(crate) uri: Uri,
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) warp_request: WarpRequest,
    pub(crate) stop: Arc<AtomicBool>,
    /// Edits of the text since the run was prepared.
    pub(crate) edits: Vec<Edit>,
    /// Whether the client has created a progress token for it.
    pub(crate) has_progress: bool,
    /// Whether the client was sent `warplens/runProgress`.
    pub(crate) is_announced: bool,
}

impl Run {
    /// Whether its result would be that of `prepared`.
    pub(crate) fn is_same(&self, prepared: &Prepared, warp_request: WarpRequest) -> bool {
        self.warp_request == warp_request && self.prepared.same_run(prepared)
    }

    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Stops the run, and ends its progress in the client.
    pub(crate) fn end(&self, client: &Client) {
        self.stop();
        if self.is_announced {
            client.run_progress(&self.uri, None);
        }
        if self.has_progress {
            client.end_progress(token(self.number));
        }
    }

    /// Shows a run that is still in progress after a while.
    pub(crate) fn show_progress(&mut self, client: &Client, max_steps: u64) {
        self.is_announced = client.capabilities.run_progress;
        self.announce(client, 0, max_steps);
        if client.capabilities.progress {
            let (uri, number, state) = (self.uri.clone(), self.number, SimulationState::ProgressCreated);
            let created = Event::Simulation(SimulationUpdate { uri, number, state });
            client.create_progress(token(number), created);
        }
    }

    pub(crate) fn begin_progress(&mut self, client: &Client) {
        self.has_progress = true;
        let launch = &self.prepared.resolved.launch;
        let entry = launch.entry.as_deref().unwrap_or_default();
        client.begin_progress(token(self.number), format!("Simulating {entry}: {}", launch.name), Some(0));
    }

    pub(crate) fn report_progress(&self, client: &Client, steps: u64, max_steps: u64) {
        self.announce(client, steps, max_steps);
        if self.has_progress {
            let percentage = (u128::from(steps) * 100 / u128::from(max_steps.max(1))).min(100) as u32;
            let message = format!("{steps} warp instructions");
            client.report_progress(token(self.number), message, Some(percentage));
        }
    }

    /// Sends the progress to a client that shows it in its own view.
    fn announce(&self, client: &Client, steps: u64, max_steps: u64) {
        if self.is_announced {
            let launch = &self.prepared.resolved.launch;
            let entry = launch.entry.as_deref().unwrap_or_default().to_owned();
            let running = RunningParams { entry, launch: launch.name.to_string(), steps, max_steps };
            client.run_progress(&self.uri, Some(running));
        }
    }
}

/// What a run reports while it is in progress.
pub(crate) struct Reports<'r> {
    /// The number of executed warp instructions.
    pub(crate) steps: &'r (dyn Fn(u64) + Sync),
    /// The lanes of the beginning of a long run.
    pub(crate) beginning: &'r (dyn Fn(Outcome) + Sync),
}

/// Executes a run, unless its result is already known. `None` if it was stopped; an error is the message of a panic.
pub(crate) fn execute(
    prepared: &Prepared,
    known: Option<Outcome>,
    warp_request: WarpRequest,
    stop: &AtomicBool,
    reports: &Reports<'_>,
) -> Option<Result<Outcome, String>> {
    let cancelled = || stop.load(Ordering::Relaxed);
    let start = Instant::now();
    let reported = Mutex::new(start);
    let has_begun = AtomicBool::new(known.is_some());
    let progress = |executed: u64| {
        // The first thread that gets here computes the beginning, then continues with the run.
        if start.elapsed() >= LONG && !has_begun.swap(true, Ordering::Relaxed) {
            let beginning = prepared.beginning(executed / SHARE, warp_request, &cancelled);
            if let Ok(Some(outcome)) = beginning {
                (reports.beginning)(outcome);
            }
        }
        // If the lock is taken, another thread is reporting.
        if let Ok(mut reported) = reported.try_lock()
            && reported.elapsed() >= REPORT_INTERVAL
        {
            *reported = Instant::now();
            (reports.steps)(executed);
        }
    };
    let run = || prepared.execute(known, warp_request, &cancelled, &progress, &Cores::all());
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(outcome)) => Some(Ok(outcome)),
        Ok(Err(Cancelled)) => None,
        Err(panic) => Some(Err(panic_message(&*panic))),
    }
}
