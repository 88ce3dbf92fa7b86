//! Expectations of the launch that do not hold, with the lane that stored the first wrong element.

use warplens_sim_launch::Resolved;
use warplens_sim_warp::{Cancelled, Control, LaneStore, Mask, RunOptions, RunResult, Status};

use super::Reporter;
use crate::run::Prepared;

/// For how many expectations of a run the writer is looked for, which takes another run each.
const WRITERS: usize = 4;

#[derive(Debug, Clone)]
pub struct Unexpected {
    /// A sentence about the first wrong element.
    pub message: String,
    pub element: UnexpectedElement,
    /// The last store to it; `None` if no lane stored it, or if nobody looked for one.
    pub writer: Option<LaneStore>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnexpectedElement {
    pub buffer: String,
    pub index: u64,
}

impl Unexpected {
    /// The expectations that a finished run does not satisfy, without the writers of their elements.
    pub fn of(resolved: &Resolved, result: &RunResult) -> Vec<Unexpected> {
        if result.status != Status::Finished {
            return Vec::new();
        }
        let failed = resolved.failures(result).into_iter().map(|failure| {
            let element = UnexpectedElement { buffer: failure.name, index: failure.element };
            Unexpected { message: failure.message, element, writer: None }
        });
        failed.collect()
    }

    /// The message, then a line with the thread that stored the element.
    pub fn described(&self, reporter: Reporter) -> String {
        let threads =
            self.writer.and_then(|LaneStore { warp, lane, .. }| reporter.threads(warp, 1 << lane as Mask));
        match threads {
            Some(thread) => format!("{}\nstored by {thread}", self.message),
            None => self.message.clone(),
        }
    }
}

impl Prepared {
    /// The expectations that a run does not satisfy. Runs again to find the last stores to the elements.
    pub fn unexpected(&self, result: &RunResult, control: Control<'_>) -> Result<Vec<Unexpected>, Cancelled> {
        let mut all = Unexpected::of(&self.resolved, result);
        let control = Control { workers: None, steps: None, ..control };
        for unexpected in all.iter_mut().take(WRITERS) {
            let UnexpectedElement { buffer, index } = &unexpected.element;
            let Some(buffer) = self.resolved.buffer(buffer) else { continue };
            let watch = Some(buffer.address + index * buffer.element.bytes() as u64);
            let (eager, schedule) = (self.options.eager, self.options.schedule);
            let options = RunOptions { watch, eager, schedule, ..RunOptions::default() };
            unexpected.writer = self.again(options, control)?.last_store;
        }
        Ok(all)
    }
}
