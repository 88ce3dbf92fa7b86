//! The listed waves of a run with their visits, and the sums over all waves.

use crate::memory::DeviceMemory;
use crate::record::{Recorder, Summary};
use crate::trace::{
    Finding, Mask, Output, Reconvergence, RegisterValues, RunOptions, RunResult, Status, Visit, WarpId,
    WarpTrace,
};

/// The listed waves that have exited, and the sums over all waves.
pub(crate) struct Listing<'o> {
    options: &'o RunOptions,
    summary: Summary,
    /// With the number of the workgroup in the order of the grid.
    traces: Vec<(u64, WarpTrace)>,
    /// Remaining budget of visits.
    visits: usize,
    /// Waves that are listed or will be.
    listed: usize,
    truncated: bool,
}

/// A wave that has exited.
pub(crate) struct FinishedWave {
    pub(crate) id: WarpId,
    pub(crate) launched: Mask,
    pub(crate) recorder: Recorder,
    pub(crate) registers: Option<Vec<RegisterValues>>,
    pub(crate) reconvergences: Vec<Reconvergence>,
}

impl<'o> Listing<'o> {
    pub(crate) fn new(options: &'o RunOptions) -> Self {
        Listing {
            options,
            summary: Summary::default(),
            traces: Vec::new(),
            visits: options.limits.max_trace / size_of::<Visit>(),
            listed: 0,
            truncated: false,
        }
    }

    /// Returns how many of the next `waves` waves are listed: always the first ones.
    pub(crate) fn reserve(&mut self, waves: u32) -> u32 {
        let capacity = self.options.limits.max_warps.saturating_sub(self.listed);
        let reserved = waves.min(u32::try_from(capacity).unwrap_or(u32::MAX));
        self.listed += reserved as usize;
        reserved
    }

    /// Whether a wave is listed, in a workgroup with `reserved` listed waves.
    pub(crate) fn lists(&self, id: WarpId, reserved: u32) -> bool {
        id.warp < reserved || self.options.warp == Some(id)
    }

    /// A recorder for a wave of a workgroup with `reserved` listed waves.
    pub(crate) fn recorder(&self, statements: usize, id: WarpId, reserved: u32) -> Recorder {
        let visits = if self.lists(id, reserved) { self.options.limits.max_visits } else { 0 };
        Recorder::new(statements, visits, self.visits)
    }

    /// Adds a wave that has exited.
    pub(crate) fn take(&mut self, group: u64, wave: FinishedWave, reserved: u32) {
        let FinishedWave { id, launched, recorder, registers, reconvergences } = wave;
        let (lines, _) = recorder.finish();
        self.summary.add(&lines);
        if !self.lists(id, reserved) {
            self.truncated = true;
            return;
        }
        let used: usize = lines.iter().map(|line| line.visits.len()).sum();
        self.visits = self.visits.saturating_sub(used);
        let trace = WarpTrace { cta: id.cta, warp: id.warp, launched, lines, registers, reconvergences };
        self.traces.push((group, trace));
    }

    /// The result of the run.
    pub(crate) fn finish(
        mut self,
        status: Status,
        findings: Vec<Finding>,
        memory: DeviceMemory,
    ) -> RunResult {
        self.traces.sort_by_key(|(number, trace)| (*number, trace.warp));
        let (summed, totals) = self.summary.finish();
        RunResult {
            status,
            findings,
            totals,
            warps: self.traces.into_iter().map(|(_, trace)| trace).collect(),
            warps_truncated: self.truncated,
            summed,
            memory,
            values: None,
            output: Output::default(),
            model_diff: None,
        }
    }
}
