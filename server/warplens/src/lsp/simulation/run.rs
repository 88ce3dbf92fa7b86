//! A run on a thread of its own: first the lanes, then a look at the values of the warp that is shown.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use warplens_ide::lanes::Prepared;
use warplens_sim::{Cancelled, Control, RunResult, TraceRequest, Values};

use crate::cores::Cores;
use crate::lsp::document::Edit;
use crate::lsp::job::panic_message;

/// How often a long run says how far it is.
const REPORT: Duration = Duration::from_millis(200);

/// A run under way.
pub(in crate::lsp) struct Run {
    pub(in crate::lsp) number: u64,
    pub(super) prepared: Arc<Prepared>,
    pub(super) look: TraceRequest,
    pub(super) stop: Arc<AtomicBool>,
    /// Edits of the text since it was prepared.
    pub(super) edits: Vec<Edit>,
    /// Whether the client shows its progress.
    pub(in crate::lsp) progress: bool,
}

/// What a run brings.
#[derive(Clone)]
pub(in crate::lsp) struct Outcome {
    pub(in crate::lsp) result: Arc<RunResult>,
    /// What was looked at.
    pub(in crate::lsp) look: TraceRequest,
    /// What was seen, in a language that has such a look.
    pub(in crate::lsp) values: Option<Arc<Values>>,
}

impl Run {
    /// Whether it will bring what this run with this look would.
    pub(super) fn brings(&self, prepared: &Prepared, look: TraceRequest) -> bool {
        self.look == look && self.prepared.same_run(prepared)
    }

    pub(in crate::lsp) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// What a user calls it.
    pub(in crate::lsp) fn title(&self) -> String {
        let launch = &self.prepared.resolved().launch;
        format!("{}: {}", launch.entry.as_deref().unwrap_or_default(), launch.name)
    }
}

/// Runs, unless the result is known, and looks; `None` when it was stopped.
pub(super) fn run(
    prepared: &Prepared,
    known: Option<Arc<RunResult>>,
    look: TraceRequest,
    stop: &AtomicBool,
    steps: &(dyn Fn(u64) + Sync),
) -> Option<Result<Outcome, String>> {
    let told = Mutex::new(Instant::now());
    let progress = |progress: warplens_sim::Progress| {
        // Who finds it locked comes from another thread at the same moment, and would say the same.
        if let Ok(mut told) = told.try_lock()
            && told.elapsed() >= REPORT
        {
            *told = Instant::now();
            steps(progress.steps);
        }
    };
    let cores = Cores::half();
    let alone = Control { cancelled: &|| stop.load(Ordering::Relaxed), progress: &progress, workers: None };
    let whole = || -> Result<Outcome, Cancelled> {
        let result = match known {
            Some(result) => result,
            None => Arc::new(prepared.run(Control { workers: Some(&cores), ..alone })?),
        };
        let values = prepared.look(look, alone)?.map(Arc::new);
        Ok(Outcome { result, look, values })
    };
    match catch_unwind(AssertUnwindSafe(whole)) {
        Ok(Ok(outcome)) => Some(Ok(outcome)),
        Ok(Err(Cancelled)) => None,
        Err(panic) => Some(Err(panic_message(&*panic))),
    }
}
