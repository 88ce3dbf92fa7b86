//! Selects the waves of a run that are listed with their visits: the first ones, and the requested one.

use warplens_sim_warp::listing;
use warplens_sim_warp::memory::DeviceMemory;
use warplens_sim_warp::record::Recorder;
use warplens_sim_warp::trace::{
    Finding, Mask, Output, Reconvergence, RegisterValues, RunOptions, RunResult, Status, Visit, WarpId,
    WarpTrace,
};
use warplens_sim_warp::values::Values;

/// The waves that have exited, and the remaining budget.
pub(crate) struct Listing<'o> {
    options: &'o RunOptions,
    waves: listing::Listing,
    /// The remaining budget of visits.
    visits: usize,
    /// The number of waves that are listed or will be.
    listed: usize,
}

pub(crate) struct FinishedWave {
    pub(crate) id: WarpId,
    pub(crate) launched: Mask,
    pub(crate) recorder: Recorder,
    pub(crate) registers: Option<Vec<RegisterValues>>,
    pub(crate) reconvergences: Vec<Reconvergence>,
    pub(crate) values: Option<Values>,
}

impl<'o> Listing<'o> {
    pub(crate) fn new(options: &'o RunOptions) -> Self {
        Listing {
            options,
            waves: listing::Listing::default(),
            visits: options.limits.max_trace / size_of::<Visit>(),
            listed: 0,
        }
    }

    /// Returns how many of the next `waves` waves are within the limits: always the first ones.
    pub(crate) fn reserve(&mut self, waves: u32) -> u32 {
        let capacity = self.options.limits.max_warps.saturating_sub(self.listed);
        let reserved = waves.min(u32::try_from(capacity).unwrap_or(u32::MAX));
        self.listed += reserved as usize;
        reserved
    }

    /// Whether a wave is listed, if its workgroup has `reserved` waves within the limits.
    pub(crate) fn lists(&self, id: WarpId, reserved: u32) -> bool {
        self.options.lists(id, id.warp < reserved)
    }

    /// The recorder of a wave, if its workgroup has `reserved` waves within the limits.
    pub(crate) fn recorder(&self, statements: usize, id: WarpId, reserved: u32) -> Recorder {
        let visits = if self.lists(id, reserved) { self.options.limits.max_visits } else { 0 };
        Recorder::new(statements, visits, self.visits)
    }

    pub(crate) fn take(&mut self, group: u64, wave: FinishedWave, reserved: u32) {
        let FinishedWave { id, launched, mut recorder, registers, reconvergences, values } = wave;
        self.waves.values = self.waves.values.take().or(values);
        if !self.lists(id, reserved) {
            return self.waves.count(&mut recorder, id.warp >= reserved);
        }
        let (lines, _) = recorder.finish();
        let used: usize = lines.iter().map(|line| line.visits.len()).sum();
        self.visits = self.visits.saturating_sub(used);
        let trace = WarpTrace { cta: id.cta, warp: id.warp, launched, lines, registers, reconvergences };
        self.waves.list(group, trace);
    }

    pub(crate) fn has_values(&self) -> bool {
        self.waves.values.is_some()
    }

    pub(crate) fn finish(self, status: Status, findings: Vec<Finding>, memory: DeviceMemory) -> RunResult {
        self.waves.finish(status, findings, memory, Output::default())
    }
}
