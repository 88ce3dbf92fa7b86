//! Streams the steps of a warp to a caller while the run is in progress, so that a long run does not have to store
//! them.

use std::fmt;
use std::sync::{Arc, Mutex};

use crate::ids::{Mask, WarpId};

/// Receives the steps of a warp in order of execution.
pub trait StepSink: Send {
    /// The warp executed statements `first..end` in order, each with these lanes.
    fn steps(&mut self, first: u32, end: u32, active: Mask, executed: Mask);
}

/// A sink shared by a run and its caller.
#[derive(Clone)]
pub struct StepStream(Arc<Mutex<dyn StepSink>>);

impl StepStream {
    pub fn new<S: StepSink + 'static>(sink: Arc<Mutex<S>>) -> StepStream {
        StepStream(sink)
    }

    pub(crate) fn send(&self, first: u32, end: u32, active: Mask, executed: Mask) {
        if let Ok(mut sink) = self.0.lock() {
            sink.steps(first, end, active, executed);
        }
    }
}

impl fmt::Debug for StepStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StepStream")
    }
}

/// A warp and the stream that receives its steps.
#[derive(Clone, Debug)]
pub struct WarpSteps {
    pub warp: WarpId,
    pub stream: StepStream,
}

impl WarpSteps {
    /// The stream, if `warp` is the requested one.
    pub fn of(&self, warp: WarpId) -> Option<StepStream> {
        (self.warp == warp).then(|| self.stream.clone())
    }
}
