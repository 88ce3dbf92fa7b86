//! The listed warps of a run with their visits, and the sums over all warps.

use crate::memory::DeviceMemory;
use crate::note::{MAX_NOTES, Note};
use crate::record::{Recorder, Summary};
use crate::trace::{Finding, Output, RunResult, Status, WarpTrace};
use crate::values::Values;

/// The warps that have exited.
#[derive(Default)]
pub struct Listing {
    /// The listed warps, with the linear indices of their blocks.
    warps: Vec<(u64, WarpTrace)>,
    truncated: bool,
    summary: Summary,
    notes: Vec<Note>,
    /// The value trace of the requested warp.
    pub values: Option<Values>,
}

impl Listing {
    /// Adds a listed warp of a block.
    pub fn list(&mut self, block: u64, trace: WarpTrace) {
        self.summary.add(&trace.lines);
        self.warps.push((block, trace));
    }

    /// Adds a warp that is not listed because it is beyond the limits or was not requested, and resets its recorder.
    pub fn count(&mut self, recorder: &mut Recorder, is_beyond: bool) {
        self.summary.count(recorder);
        self.truncated |= is_beyond;
    }

    pub fn note(&mut self, notes: Vec<Note>) {
        let left = MAX_NOTES.saturating_sub(self.notes.len());
        self.notes.extend(notes.into_iter().take(left));
    }

    /// Adds the warps of other blocks.
    pub fn append(&mut self, others: Listing) {
        self.warps.extend(others.warps);
        self.truncated |= others.truncated;
        self.note(others.notes);
        self.values = self.values.take().or(others.values);
        self.summary.add(&others.summary.finish().0);
    }

    /// The result of the run; the listed warps are in the order of the grid.
    pub fn finish(
        mut self,
        status: Status,
        findings: Vec<Finding>,
        memory: DeviceMemory,
        output: Output,
    ) -> RunResult {
        self.warps.sort_by_key(|(block, trace)| (*block, trace.warp));
        let (summed, totals) = self.summary.finish();
        RunResult {
            status,
            findings,
            totals,
            warps: self.warps.into_iter().map(|(_, trace)| trace).collect(),
            warps_truncated: self.truncated,
            summed,
            memory,
            output,
            values: self.values,
            last_store: None,
            notes: self.notes,
            model_diff: None,
            accessed: None,
            order_log: None,
        }
    }
}
