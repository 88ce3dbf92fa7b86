//! Tells the client how far a long launch is, so that the user can cancel it.

use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;
use warplens_sim_warp::Progress;

use crate::output::Output;

/// A launch that is shorter is not reported.
const PATIENCE: Duration = Duration::from_millis(500);
const INTERVAL: Duration = Duration::from_millis(200);

/// The progress of a launch request.
pub(crate) struct LaunchProgress<'o, W> {
    output: &'o Output<W>,
    /// The number of the request.
    request: u64,
    is_wanted: bool,
    started: Instant,
    /// When the client was told last; `None` if it was not.
    told: Mutex<Option<Instant>>,
}

/// The id of the progress of a launch request.
pub(crate) fn id(request: u64) -> String {
    format!("launch-{request}")
}

impl<W: Write> LaunchProgress<'_, W> {
    pub(crate) fn new(output: &Output<W>, request: u64, is_wanted: bool) -> LaunchProgress<'_, W> {
        LaunchProgress { output, request, is_wanted, started: Instant::now(), told: Mutex::default() }
    }

    /// Reports how far a run is, unless the client was told just now.
    pub(crate) fn report(&self, progress: Progress) {
        if !self.is_wanted || self.started.elapsed() < PATIENCE {
            return;
        }
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let Progress { steps, blocks_done, blocks } = progress;
        let mut body = json!({ "progressId": id(self.request), "message": format!("{steps} steps") });
        if blocks > 1 {
            body["percentage"] = json!(blocks_done * 100 / blocks);
        }
        let event = match *told {
            Some(last) if last.elapsed() < INTERVAL => return,
            Some(_) => "progressUpdate",
            None => {
                body["title"] = json!("Recording the launch");
                body["requestId"] = json!(self.request);
                body["cancellable"] = json!(true);
                "progressStart"
            }
        };
        *told = Some(Instant::now());
        // A client that has gone is noticed by the next response.
        let _ = self.output.event(event, body);
    }

    /// The launch is over.
    pub(crate) fn end(self) {
        if self.told.into_inner().is_ok_and(|told| told.is_some()) {
            let _ = self.output.event("progressEnd", json!({ "progressId": id(self.request) }));
        }
    }
}
