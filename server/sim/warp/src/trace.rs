//! The result of a run, in one format for every language: masks per statement, findings, totals, final state.
//!
//! Plain data that compares by value. Statements are numbered; the decoder's caller maps the numbers to text positions.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::accessed_bytes::AccessedBytes;
use crate::advice::Advice;
use crate::finding_kind::FindingKind;
use crate::memory::DeviceMemory;
use crate::note::Note;
use crate::order_log::OrderLog;
use crate::race_scope::RaceScope;
use crate::recording::Tap;
use crate::schedule::Schedule;
use crate::step_stream::WarpSteps;
use crate::values::{TraceRequest, Values};

mod counters;

pub use crate::ids::{Mask, StatementId, WarpId};
pub use crate::severity::Severity;
pub use crate::values::RegisterValues;
pub use counters::{Counters, Sectors, Wavefronts};

/// Equal consecutive visits of one statement by one warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visit {
    /// Lanes of the group that reached the statement.
    pub active: Mask,
    /// The active lanes that were not predicated off.
    pub executed: Mask,
    /// How many consecutive visits had these masks.
    pub repeat: u64,
}

/// The visits of one statement by one warp, or by the whole launch in [`RunResult::summed`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineTrace {
    pub statement: StatementId,
    /// Number of visits, counted even after they are no longer kept.
    pub count: u64,
    /// Union of the active masks.
    pub active: Mask,
    /// Union of the executed masks.
    pub executed: Mask,
    /// Active lanes summed over the visits ("threads executed" of NVIDIA's counters).
    pub active_lanes: u64,
    /// Executing lanes summed over the visits ("not predicated off threads executed").
    pub executed_lanes: u64,
    /// The visits in order of execution, with equal neighbors folded; empty in sums over warps. Shared by statements
    /// that were always visited together.
    pub visits: Arc<[Visit]>,
    /// Whether later visits are missing from `visits`.
    pub truncated: bool,
    /// Memory counters, if the run options request them.
    pub counters: Option<Box<Counters>>,
}

/// One warp's masks, statement by statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarpTrace {
    /// The block (workgroup).
    pub cta: [u32; 3],
    /// The warp's index in its block.
    pub warp: u32,
    /// The lanes that exist; the last warp of a block may be partial.
    pub launched: Mask,
    /// The statements that were reached, in statement order.
    pub lines: Vec<LineTrace>,
    /// Final values of the entry function's registers, if the run options request them.
    pub registers: Option<Vec<RegisterValues>>,
    /// The reconvergences in statement order, each one once, up to a limit.
    pub reconvergences: Vec<Reconvergence>,
}

/// Groups of lanes that reached a statement separately and continued together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reconvergence {
    pub statement: StatementId,
    /// The groups in order of arrival, at least two. Their union is the active mask of a visit.
    pub parts: Vec<Mask>,
}

impl WarpTrace {
    /// The trace of `statement`, or `None` if the warp never reached it.
    pub fn line(&self, statement: StatementId) -> Option<&LineTrace> {
        let at = self.lines.binary_search_by_key(&statement, |line| line.statement).ok()?;
        Some(&self.lines[at])
    }

    /// The reconvergences at `statement`.
    pub fn reconvergences_at(&self, statement: StatementId) -> &[Reconvergence] {
        let start = self.reconvergences.partition_point(|one| one.statement < statement);
        let end = self.reconvergences.partition_point(|one| one.statement <= statement);
        &self.reconvergences[start..end]
    }
}

impl LineTrace {
    /// Active lanes as a fraction of full warps: 1 if every visit had all lanes. `width` is the width of the warp.
    pub fn efficiency(&self, width: u32) -> f64 {
        let max = self.count * u64::from(width);
        if max == 0 { 1.0 } else { self.active_lanes as f64 / max as f64 }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
pub enum Status {
    /// Every thread exited.
    Finished,
    /// A trap or a memory fault.
    Faulted,
    /// [`Limits::max_steps`] was reached.
    StepLimit,
    /// Deadlock or livelock: threads spin or wait for a condition that no thread can satisfy.
    NoProgress,
    /// The run reached an unsupported instruction; a finding names it.
    Unsupported,
}

impl Status {
    /// The name in JSON and in listings.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Finished => "finished",
            Status::Faulted => "faulted",
            Status::StepLimit => "step-limit",
            Status::NoProgress => "no-progress",
            Status::Unsupported => "unsupported",
        }
    }
}

/// A statement related to a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    pub statement: StatementId,
    /// How it relates to the finding.
    pub message: String,
}

/// A problem or a fact that a run found in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub kind: FindingKind,
    pub severity: Severity,
    /// One or two sentences.
    pub message: String,
    /// The statement; `None` if the finding concerns the launch as a whole.
    pub statement: Option<StatementId>,
    pub cta: [u32; 3],
    pub warp: u32,
    pub lanes: Mask,
    /// The 1-based visit of the statement by the warp; `None` if it is unknown or the last one.
    pub visit: Option<u64>,
    pub related: Vec<Related>,
    /// What the message of a race recommends.
    pub advice: Option<Advice>,
    /// For a race whose message names both threads, how far apart they are.
    pub racing: Option<RaceScope>,
    /// The inferred launch that may be the cause, instead of the kernel.
    pub guess: Option<GuessedLaunch>,
    /// For a data race, whether an address was computed from the contents of a buffer or from a scalar argument that decides
    /// which threads share it.
    pub has_computed_address: bool,
    /// For a deadlock at an mbarrier, whether the wait is the first one and would pass with the other parity.
    pub starts_late: bool,
    /// The schedule that shows it, if the default one does not.
    pub schedule: Option<Schedule>,
}

/// An inferred launch under which something was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuessedLaunch {
    /// The one that was run and is shown.
    Shown,
    /// Another one that was tried, by its number.
    Tried(usize),
}

impl Finding {
    /// A finding about the launch as a whole.
    pub fn about_launch(kind: FindingKind, message: String) -> Finding {
        Finding {
            kind,
            severity: kind.severity(),
            message,
            statement: None,
            cta: [0; 3],
            warp: 0,
            lanes: 0,
            visit: None,
            related: Vec::new(),
            advice: None,
            racing: None,
            guess: None,
            has_computed_address: false,
            starts_late: false,
            schedule: None,
        }
    }
}

/// Sums over all visits of all warps of the launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Totals {
    /// Number of visits.
    pub warp_instructions: u64,
    /// Active lanes, summed over the visits.
    pub thread_instructions: u64,
    /// Executing lanes, summed over the visits.
    pub executed_thread_instructions: u64,
}

/// Text that the program printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// The text in order of execution; bytes that are not UTF-8 are replaced.
    pub text: String,
    /// Whether the text was cut at [`Limits::max_output`].
    pub truncated: bool,
}

#[derive(Clone, Debug)]
pub struct RunResult {
    pub status: Status,
    /// In the order of detection.
    pub findings: Vec<Finding>,
    /// Sums over all warps, listed or not.
    pub totals: Totals,
    /// The first [`Limits::max_warps`] warps (and [`RunOptions::warp`]), ordered by block, then warp.
    pub warps: Vec<WarpTrace>,
    /// Whether some warps are not listed because of the limits.
    pub warps_truncated: bool,
    /// The statements summed over all warps, without visits.
    pub summed: Vec<LineTrace>,
    /// Device memory at the end of the run; buffers are read back by address.
    pub memory: DeviceMemory,
    /// The traced register values of one warp, if [`RunOptions::trace`] requests them.
    pub values: Option<Values>,
    /// The last store to the byte at [`RunOptions::watch`].
    pub last_store: Option<LaneStore>,
    /// Text that the program printed.
    pub output: Output,
    /// What is known about statements besides lanes and registers, for the listed warps of runs with checks.
    pub notes: Vec<Note>,
    /// The comparison with the reference model, for models that have one.
    pub model_diff: Option<Box<ModelDiff>>,
    /// The bytes that the run accessed, if [`RunOptions::coverage`] requests them and the simulator records them.
    pub accessed: Option<Box<AccessedBytes>>,
    /// The reads whose values depend on the order of threads, if [`RunOptions::log_order`] requests them.
    pub order_log: Option<Box<OrderLog>>,
}

/// A store, or an atomic operation, of one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneStore {
    pub statement: StatementId,
    pub warp: WarpId,
    pub lane: u32,
}

/// A run of the same launch under the language's reference model, and the differences between both runs.
#[derive(Clone, Debug)]
pub struct ModelDiff {
    /// The name of the reference model.
    pub model: &'static str,
    pub warps: Vec<WarpTrace>,
    /// The first difference of each warp, in warp order.
    pub divergences: Vec<Divergence>,
}

/// The first visit of a warp that the reference run lacks, or has with different masks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    pub warp: WarpId,
    pub statement: StatementId,
    /// The 1-based visit of the statement.
    pub visit: u64,
    /// The active and executed lanes in this run; `None` if only the reference run has the visit.
    pub here: Option<(Mask, Mask)>,
    /// The active and executed lanes in the reference run.
    pub there: Option<(Mask, Mask)>,
    /// Possible causes in this warp, latest first: a sentence without its full stop, and its statement.
    pub why: Vec<(&'static str, StatementId)>,
}

impl RunResult {
    /// The trace of one warp, if it is listed.
    pub fn warp(&self, cta: [u32; 3], warp: u32) -> Option<&WarpTrace> {
        self.warps.iter().find(|trace| trace.cta == cta && trace.warp == warp)
    }

    pub fn first_error(&self) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.severity == Severity::Error)
    }

    /// The first error, or else why the run did not finish: under an inferred launch that is a warning.
    pub fn first_failure(&self) -> Option<&Finding> {
        let unfinished = self.status != Status::Finished;
        let is_warning = |finding: &&Finding| finding.severity == Severity::Warning;
        self.first_error().or_else(|| self.findings.iter().find(is_warning).filter(|_| unfinished))
    }

    /// The warnings and errors.
    pub fn accusations(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.severity != Severity::Information)
    }

    /// The result without device memory, and with the trace of one warp only.
    pub fn of_warp(&self, cta: [u32; 3], warp: u32) -> RunResult {
        RunResult {
            status: self.status,
            findings: self.findings.clone(),
            totals: self.totals,
            warps: self.warp(cta, warp).into_iter().cloned().collect(),
            warps_truncated: self.warps_truncated,
            summed: self.summed.clone(),
            memory: DeviceMemory::default(),
            values: self.values.clone(),
            last_store: self.last_store,
            output: self.output.clone(),
            notes: self.notes.clone(),
            model_diff: self.model_diff.clone(),
            accessed: None,
            order_log: None,
        }
    }

    /// About how many bytes the result of a run without a value trace takes: its memory, its accesses and its traces.
    pub fn held_bytes(&self) -> usize {
        let visits = |line: &LineTrace| size_of::<LineTrace>() + size_of_val(&*line.visits);
        let traces: usize = self.warps.iter().flat_map(|warp| &warp.lines).map(visits).sum();
        let accessed = self.accessed.as_ref().map_or(0, |accessed| accessed.held_bytes());
        self.memory.reserved_bytes() + accessed + traces
    }
}

/// Limits that keep a run finite. The result says which limit was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Warp instructions of the whole launch.
    pub max_steps: u64,
    /// Bytes of simulated memory of all kinds.
    pub max_memory: u64,
    /// Folded visits kept per statement and warp.
    pub max_visits: usize,
    /// Bytes of the trace, divided evenly among the listed warps.
    pub max_trace: usize,
    /// Warps listed.
    pub max_warps: usize,
    /// Findings kept.
    pub max_findings: usize,
    /// Bytes of shadow memory while [`Checks`] are enabled.
    pub max_shadow: u64,
    /// Bytes of blocks that have started and not ended: their registers, their local memory, and the shared and tensor memory
    /// of blocks that wait for others. The records of their warps may use twice as many.
    pub max_block_bytes: u64,
    /// Bytes of printed text kept.
    pub max_output: usize,
}

impl Limits {
    /// Default number of bytes for the trace and shadow memory together; unfinished blocks may use half as many.
    pub const RECORDS: u64 = 256 << 20;

    /// Limits with a quarter of `bytes` for the trace and the rest for shadow memory, and half as much for unfinished blocks.
    #[must_use]
    pub fn with_records(self, bytes: u64) -> Limits {
        let max_trace = usize::try_from(bytes / 4).unwrap_or(usize::MAX);
        Limits { max_trace, max_shadow: bytes - bytes / 4, max_block_bytes: bytes / 2, ..self }
    }
}

impl Default for Limits {
    fn default() -> Self {
        let without_records = Limits {
            max_steps: 10_000_000,
            max_memory: 1 << 30,
            max_visits: 4_096,
            max_trace: 0,
            max_warps: 1_024,
            max_findings: 200,
            max_shadow: 0,
            max_block_bytes: 0,
            max_output: 1 << 20,
        };
        without_records.with_records(Limits::RECORDS)
    }
}

/// Optional checks of a run. A check costs time only if it is enabled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Checks {
    /// Data races in shared and global memory.
    pub races: bool,
    /// Reads of registers and of shared and local memory that were never written.
    pub uninitialized: bool,
    /// Integer divisions by zero.
    pub division: bool,
}

impl Checks {
    /// All of them.
    pub const ALL: Checks = Checks { races: true, uninitialized: true, division: true };
}

/// Limits, checks and optional results of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RunOptions {
    pub limits: Limits,
    /// Whether to fill [`WarpTrace::registers`].
    pub registers: bool,
    /// A warp to list even if it is beyond [`Limits::max_warps`].
    pub warp: Option<WarpId>,
    /// Whether to list only [`RunOptions::warp`], which saves the time of recording the other warps. Everything else,
    /// including [`RunResult::warps_truncated`], is as if they were listed.
    pub one_warp: bool,
    /// Enabled checks.
    pub checks: Checks,
    /// Whether the run ends at its first fault, without a search for further ones.
    pub ends_at_fault: bool,
    /// Whether asynchronous operations complete at issue instead of as late as the program's waits allow.
    pub eager: bool,
    /// Whether to fill [`LineTrace::counters`].
    pub counters: bool,
    /// A warp whose register values are traced into [`RunResult::values`]; the run may stop once they are complete.
    pub trace: Option<TraceRequest>,
    /// The address of a byte of device memory whose last store is reported in [`RunResult::last_store`].
    pub watch: Option<u64>,
    /// Whether the accesses of each step are listed for a [`Tap`].
    pub records: bool,
    /// Whether to fill [`RunResult::accessed`].
    pub coverage: bool,
    /// The order in which threads run; `None` for the default one.
    pub schedule: Option<Schedule>,
    /// Whether loads see the newest values also under a schedule that has older ones.
    pub newest_values: bool,
    /// Whether to fill [`RunResult::order_log`].
    pub log_order: bool,
}

impl RunOptions {
    /// Whether to list the warp, given whether the limits allow it.
    pub fn lists(&self, id: WarpId, is_within_limits: bool) -> bool {
        self.warp == Some(id) || !self.one_warp && is_within_limits
    }
}

/// Progress of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Executed warp instructions.
    pub steps: u64,
    /// Blocks that have exited.
    pub blocks_done: u64,
    pub blocks: u64,
}

/// The caller's control of a run. Its functions are called every few thousand steps, from any thread of the run.
#[derive(Clone, Copy)]
pub struct Control<'a> {
    /// Whether to cancel the run.
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Receives the progress of the run.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Threads to run blocks on in addition to the caller's own.
    pub workers: Option<&'a dyn Workers>,
    /// Receives the steps of a warp; only in runs without workers.
    pub steps: Option<&'a WarpSteps>,
    /// Receives the steps of all warps; only in runs without workers.
    pub tap: Option<&'a Tap>,
}

/// A caller's thread pool for a run. The result does not depend on it.
pub trait Workers: Sync {
    /// The number of threads.
    fn count(&self) -> usize;

    /// Calls `work` concurrently on every available thread (at least one) and returns when all calls have returned.
    fn together(&self, work: &(dyn Fn() + Sync));

    /// Runs with fewer steps than this stay on the caller's thread.
    fn worth(&self) -> u64 {
        200_000
    }
}

impl Control<'static> {
    /// Runs to the end without cancellation or progress reports.
    pub fn none() -> Self {
        Control { cancelled: &|| false, progress: &|_| {}, workers: None, steps: None, tap: None }
    }
}

/// The caller cancelled the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

pub type RunOutcome = Result<RunResult, Cancelled>;
