//! What a launch runs on, under whatever model: its shape, memory, bounds, what is kept of its waves, and how it ends. How waves
//! take turns is for the models.

use crate::memory::DeviceMemory;
use crate::trace::{
    Cancelled, Control, Finding, Mask, Progress, Related, RunOptions, RunResult, StatementId, Status, WarpId,
};
use crate::values::{TraceRequest, Values};

use super::LaunchConfig;
use super::listing::Listing;
use super::memory::over_limit;
use super::state::Geometry;

/// Steps between two questions to the caller.
pub(crate) const POLL: u64 = 4096;

/// What ends the whole run.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) status: Status,
    pub(crate) finding: Finding,
}

/// Why a run ends before all workgroups have.
pub(crate) enum End {
    Fault(Fault),
    StepLimit,
    Cancelled,
    /// What was to be seen of a wave was seen.
    Looked,
}

/// A launch on its way.
pub(crate) struct Stage<'l> {
    pub(crate) options: &'l RunOptions,
    control: Control<'l>,
    pub(crate) geometry: Geometry,
    /// What stands in registers at the start.
    pub(crate) registers: Vec<(u8, u32)>,
    pub(crate) local_bytes: usize,
    pub(crate) memory: DeviceMemory,
    pub(crate) steps: u64,
    /// Counts stores that changed something.
    pub(crate) changes: u64,
    pub(crate) findings: Vec<Finding>,
    pub(crate) listing: Listing<'l>,
    pub(crate) groups: u64,
    pub(crate) groups_done: u64,
    /// What was seen of the wave that somebody looks at.
    pub(crate) values: Option<Values>,
}

impl<'l> Stage<'l> {
    /// For waves of at most `widest` lanes, and a kernel that says how much local memory it wants, or does not.
    pub(crate) fn new(
        launch: LaunchConfig,
        widest: usize,
        local_memory: Option<u32>,
        options: &'l RunOptions,
        control: Control<'l>,
    ) -> Self {
        let geometry = Geometry {
            grid: launch.grid,
            workgroup: launch.workgroup,
            width: launch.wave_width.clamp(1, widest as u32),
            waves: u32::try_from(launch.waves()).unwrap_or(u32::MAX),
        };
        Stage {
            options,
            control,
            geometry,
            groups: launch.workgroups(),
            local_bytes: local_memory.unwrap_or(launch.local_memory) as usize,
            registers: launch.registers,
            memory: launch.memory,
            steps: 0,
            changes: 0,
            findings: Vec::new(),
            listing: Listing::new(options),
            groups_done: 0,
            values: None,
        }
    }

    /// Whether there is room for the memories, and for waves with so many bytes of registers.
    pub(crate) fn check_room(&self, wave_bytes: u64) -> Result<(), End> {
        let needed =
            u64::from(self.geometry.waves) * wave_bytes + self.local_bytes as u64 + self.memory.size();
        match over_limit(needed, self.options) {
            Some(finding) => Err(End::Fault(Fault { status: Status::Faulted, finding })),
            None => Ok(()),
        }
    }

    /// How to look at a wave, if somebody wants to.
    pub(crate) fn look_at(&self, wave: WarpId) -> Option<TraceRequest> {
        self.options.trace.filter(|look| look.warp == wave)
    }

    /// Tells the caller how far it is, and asks whether to go on.
    pub(crate) fn poll(&self) -> Result<(), End> {
        let progress = Progress { steps: self.steps, blocks_done: self.groups_done, blocks: self.groups };
        (self.control.progress)(progress);
        if (self.control.cancelled)() { Err(End::Cancelled) } else { Ok(()) }
    }

    /// A workgroup has come to its end: whether to go on.
    pub(crate) fn group_done(&mut self) -> Result<(), End> {
        self.groups_done += 1;
        if self.values.is_some() { Err(End::Looked) } else { self.poll() }
    }

    /// What the run gives back.
    pub(crate) fn finish(mut self, ended: Result<Status, End>) -> Result<RunResult, Cancelled> {
        let status = match ended {
            Ok(status) => status,
            Err(End::StepLimit) => Status::StepLimit,
            Err(End::Looked) => Status::Finished,
            Err(End::Cancelled) => return Err(Cancelled),
            Err(End::Fault(fault)) => {
                self.findings.push(fault.finding);
                fault.status
            }
        };
        let result = self.listing.finish(status, self.findings, self.memory);
        Ok(RunResult { values: self.values, ..result })
    }
}

/// A finding about the waves of a workgroup that cannot go on: it stands at the first, and names where others are.
pub(crate) fn about_waves(
    (code, message): (&'static str, String),
    cta: [u32; 3],
    waves: impl IntoIterator<Item = Waiting>,
) -> Finding {
    let mut waves = waves.into_iter();
    let finding = Finding { cta, ..Finding::about_launch(code, message) };
    let Some(first) = waves.next() else { return finding };
    let related = waves.filter_map(|wave| {
        let message = format!("wave {} {}", wave.index, wave.what);
        Some(Related { statement: wave.statement?, message })
    });
    let related = related.take(MOST_RELATED).collect();
    Finding { statement: first.statement, warp: first.index, lanes: first.lanes, related, ..finding }
}

/// Waves beside the first that a finding names.
const MOST_RELATED: usize = 8;

/// A wave that cannot go on.
pub(crate) struct Waiting {
    pub(crate) index: u32,
    pub(crate) statement: Option<StatementId>,
    pub(crate) lanes: Mask,
    /// What it does there, behind its number.
    pub(crate) what: &'static str,
}
