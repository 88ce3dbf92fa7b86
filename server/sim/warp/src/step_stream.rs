//! The steps of a warp as they happen: a caller receives them while the run is in progress, so that a long run needs no
//! memory for them.

use std::fmt;
use std::sync::{Arc, Mutex};

use crate::ids::{Mask, WarpId};

/// Receives the steps of a warp in order of execution.
pub trait StepSink: Send {
    /// The warp executed the statements `first..end` one after the other, each with these lanes.
    fn steps(&mut self, first: u32, end: u32, active: Mask, executed: Mask);
}

/// A sink that a run and its caller share.
#[derive(Clone)]
pub struct StepStream(Arc<Mutex<dyn StepSink>>);

impl StepStream {
    /// A stream to a sink.
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

/// The warp whose steps a caller receives, and the stream.
#[derive(Clone, Debug)]
pub struct WarpSteps {
    /// The warp.
    pub warp: WarpId,
    /// The receiver.
    pub stream: StepStream,
}

impl WarpSteps {
    /// The stream, if it is that of `warp`.
    pub fn of(&self, warp: WarpId) -> Option<StepStream> {
        (self.warp == warp).then(|| self.stream.clone())
    }
}
