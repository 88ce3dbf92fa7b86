//! The state of a launch that both models share: shape, memory, limits, listed waves, and how the run ends.
//! The models schedule the waves themselves.

use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::findings::with_titles;
use warplens_sim_warp::memory::DeviceMemory;
use warplens_sim_warp::record::Recorder;
use warplens_sim_warp::recording::{Space, Tap};
use warplens_sim_warp::schedule::Scheduler;
use warplens_sim_warp::trace::{
    Cancelled, Control, Finding, Mask, Progress, Related, RunOptions, RunOutcome, StatementId, Status, WarpId,
};

use super::listing::Listing;
use super::memory::over_limit;
use super::state::Geometry;
use super::value_tracer::ValueTracer;

/// How many steps pass between two polls of the caller.
pub(crate) const POLL: u64 = 4096;

#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) status: Status,
    /// Boxed, so that results without an error stay small.
    pub(crate) finding: Box<Finding>,
}

impl Fault {
    pub(crate) fn new(status: Status, finding: Finding) -> Fault {
        Fault { status, finding: Box::new(finding) }
    }
}

/// Why a run ends before all workgroups have exited.
pub(crate) enum RunEnd {
    Fault(Fault),
    StepLimit,
    Cancelled,
    Traced,
}

pub(crate) struct LaunchState<'l> {
    pub(crate) options: &'l RunOptions,
    control: Control<'l>,
    pub(crate) geometry: Geometry,
    /// Initial values.
    pub(crate) registers: Vec<(u8, u32)>,
    pub(crate) local_bytes: usize,
    pub(crate) memory: DeviceMemory,
    /// The memory at the start of the launch, until the recording is on.
    initial: Option<DeviceMemory>,
    pub(crate) steps: u64,
    /// Counts stores that changed memory.
    pub(crate) changes: u64,
    pub(crate) findings: Vec<Finding>,
    pub(crate) listing: Listing<'l>,
    pub(crate) groups: u64,
    pub(crate) groups_done: u64,
}

impl<'l> LaunchState<'l> {
    /// `widest` is the maximum wave width, `local_memory` the kernel's `.local_memory`.
    pub(crate) fn new(
        launch: LaunchConfig,
        widest: usize,
        local_memory: Option<u32>,
        options: &'l RunOptions,
        control: Control<'l>,
    ) -> Self {
        let geometry = Geometry {
            grid: launch.grid,
            workgroup: launch.block,
            width: launch.warp_width.clamp(1, widest as u32),
            waves: u32::try_from(launch.warps()).unwrap_or(u32::MAX),
        };
        let awaits_recording = control.tap.is_some_and(|tap| !tap.is_on());
        LaunchState {
            initial: awaits_recording.then(|| launch.memory.clone()),
            options,
            control,
            geometry,
            groups: launch.blocks(),
            local_bytes: local_memory.unwrap_or(launch.shared_memory) as usize,
            registers: launch.registers,
            memory: launch.memory,
            steps: 0,
            changes: 0,
            findings: Vec::new(),
            listing: Listing::new(options),
            groups_done: 0,
        }
    }

    /// Checks the memory limit. Each wave needs `wave_bytes` bytes for its registers and records `statements`
    /// statements.
    pub(crate) fn check_memory(&self, wave_bytes: u64, statements: usize) -> Result<(), RunEnd> {
        let each = wave_bytes + Recorder::bytes(statements);
        let needed = u64::from(self.geometry.waves) * each + self.local_bytes as u64 + self.memory.size();
        match over_limit(needed, self.options) {
            Some(finding) => Err(RunEnd::Fault(Fault::new(Status::Faulted, finding))),
            None => Ok(()),
        }
    }

    /// The choices of the launch's schedule, if it has another than the default one. Any number of workgroups may be suspended,
    /// so all of them, with waves of `wave_bytes` bytes, must fit into memory.
    pub(crate) fn scheduler(&self, wave_bytes: u64) -> Option<Box<Scheduler>> {
        let waves = u64::from(self.geometry.waves);
        let group_bytes = waves * wave_bytes + self.local_bytes as u64;
        let fits = self.groups.saturating_mul(group_bytes) <= self.options.limits.max_memory;
        let schedule = self.options.schedule.filter(|_| fits)?;
        // A workgroup is a cluster of its own.
        Some(Box::new(Scheduler::new(schedule, waves, 1, self.groups)))
    }

    /// The step at which to poll the caller.
    pub(crate) fn next_pause(&self) -> u64 {
        let next = self.control.tap.and_then(|tap| tap.next_pause(self.steps)).unwrap_or(u64::MAX);
        (self.steps + POLL).min(next)
    }

    /// The recording that does not receive the steps yet.
    pub(crate) fn awaited_recording(&self) -> Option<&'l Tap> {
        self.control.tap.filter(|tap| !tap.is_on())
    }

    pub(crate) fn wave_ended(&self, wave: WarpId) {
        self.control.tap.iter().for_each(|tap| tap.ended(wave, self.steps));
    }

    /// Begins to send steps to the recording, if its first step is due; sends what memory holds. The registers follow.
    pub(crate) fn begin_recording(&mut self) -> Option<&'l Tap> {
        let tap =
            self.awaited_recording().filter(|tap| tap.begins().is_some_and(|step| step <= self.steps))?;
        tap.begin(self.steps);
        if let Some(initial) = self.initial.take() {
            let (base, bytes) = self.memory.raw();
            tap.holds_bytes((Space::Global, 0, base), initial.raw().1, bytes);
        }
        Some(tap)
    }

    /// The value tracer of a wave, if the wave is traced.
    pub(crate) fn tracer(&self, wave: WarpId, statements: usize, registers: u16) -> Option<Box<ValueTracer>> {
        if let Some(tap) = self.control.tap.filter(|tap| tap.is_on()) {
            return Some(Box::new(ValueTracer::recording(tap, wave, registers, &self.registers)));
        }
        let request = self.options.trace.filter(|request| request.warp == wave)?;
        Some(Box::new(ValueTracer::new(statements, registers, &request, &self.registers)))
    }

    /// The recorder of a wave in a workgroup with `listed` listed waves.
    pub(crate) fn recorder(&self, statements: usize, wave: WarpId, listed: u32) -> Recorder {
        let mut recorder = self.listing.recorder(statements, wave, listed);
        recorder.stream_to(self.control.steps.and_then(|steps| steps.of(wave)));
        recorder
    }

    /// Whether the caller receives the steps of waves.
    pub(crate) fn streams(&self) -> bool {
        self.control.steps.is_some() || self.control.tap.is_some()
    }

    /// Reports progress to the caller and checks for cancellation.
    pub(crate) fn poll(&self) -> Result<(), RunEnd> {
        let progress = Progress { steps: self.steps, blocks_done: self.groups_done, blocks: self.groups };
        (self.control.progress)(progress);
        if (self.control.cancelled)() { Err(RunEnd::Cancelled) } else { Ok(()) }
    }

    /// Called when a workgroup has exited; checks whether to continue.
    pub(crate) fn group_done(&mut self) -> Result<(), RunEnd> {
        self.groups_done += 1;
        if self.listing.has_values() { Err(RunEnd::Traced) } else { self.poll() }
    }

    pub(crate) fn finish(mut self, ended: Result<Status, RunEnd>) -> RunOutcome {
        let status = match ended {
            Ok(status) => status,
            Err(RunEnd::StepLimit) => Status::StepLimit,
            Err(RunEnd::Traced) => Status::Finished,
            Err(RunEnd::Cancelled) => return Err(Cancelled),
            Err(RunEnd::Fault(fault)) => {
                self.findings.push(*fault.finding);
                fault.status
            }
        };
        Ok(self.listing.finish(status, with_titles(self.findings), self.memory))
    }
}

/// A finding about the blocked waves of a workgroup, located at the first one, with the others as related
/// locations.
pub(crate) fn blocked_waves(
    (kind, message): (FindingKind, String),
    cta: [u32; 3],
    waves: impl IntoIterator<Item = WaitingWave>,
) -> Finding {
    let mut waves = waves.into_iter();
    let finding = Finding { cta, ..Finding::about_launch(kind, message) };
    let Some(first) = waves.next() else { return finding };
    let related = waves.filter_map(|wave| {
        let message = format!("wave {} {}", wave.index, wave.what);
        Some(Related { statement: wave.statement?, message })
    });
    let related = related.take(MAX_RELATED).collect();
    Finding { statement: first.statement, warp: first.index, lanes: first.lanes, related, ..finding }
}

/// How many related waves a finding names.
const MAX_RELATED: usize = 8;

pub(crate) struct WaitingWave {
    pub(crate) index: u32,
    pub(crate) statement: Option<StatementId>,
    pub(crate) lanes: Mask,
    /// The predicate of the related message: `wave 3 …`.
    pub(crate) what: &'static str,
}
