//! The result of a run, the same for every language: masks per statement, findings, totals, final state.
//!
//! Plain data that compares by value. Statements have numbers; the decoder's caller maps them to text positions.

use std::sync::Arc;

use serde::Serialize;

use crate::finding_kind::FindingKind;
use crate::memory::DeviceMemory;
use crate::note::Note;
use crate::race_scope::RaceScope;
use crate::step_stream::WarpSteps;
use crate::values::{TraceRequest, Values};

mod counters;

pub use crate::ids::{Mask, StatementId, WarpId};
pub use crate::severity::Severity;
pub use crate::values::RegisterValues;
pub use counters::{Counters, Sectors, Wavefronts};

/// Equal neighbouring visits of one statement by one warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visit {
    /// Lanes of the group that reached the statement.
    pub active: Mask,
    /// The active lanes that were not predicated off.
    pub executed: Mask,
    /// How many visits in a row had these masks.
    pub repeat: u64,
}

/// The visits of one statement by one warp, or by the whole launch in [`RunResult::summed`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineTrace {
    /// Which statement.
    pub statement: StatementId,
    /// Number of visits, counted even where they are no longer kept.
    pub count: u64,
    /// Union of the active masks.
    pub active: Mask,
    /// Union of the executed masks.
    pub executed: Mask,
    /// Active lanes summed over the visits ("threads executed" of NVIDIA's counters).
    pub active_lanes: u64,
    /// Executing lanes summed over the visits ("not predicated off threads executed").
    pub executed_lanes: u64,
    /// The visits in order of execution, equal neighbours folded; empty in a sum over warps. Statements that were always
    /// visited together share them.
    pub visits: Arc<[Visit]>,
    /// Whether later visits are missing from `visits`.
    pub truncated: bool,
    /// Memory counters, where the run options request them.
    pub counters: Option<Box<Counters>>,
}

/// One warp's masks, statement by statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarpTrace {
    /// The block (workgroup).
    pub cta: [u32; 3],
    /// The warp's number in its block.
    pub warp: u32,
    /// Lanes that exist; the last warp of a block may be partial.
    pub launched: Mask,
    /// Statements that were reached, in statement order.
    pub lines: Vec<LineTrace>,
    /// Final values of the entry's registers, where the run options request them.
    pub registers: Option<Vec<RegisterValues>>,
    /// Reconvergences in statement order, each once, up to a limit.
    pub reconvergences: Vec<Reconvergence>,
}

/// Groups of lanes that reached a statement separately and continued together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reconvergence {
    /// Which statement.
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
    /// Active lanes relative to full warps: 1 if every visit had all lanes. `width` is the warp's.
    pub fn efficiency(&self, width: u32) -> f64 {
        let max = self.count * u64::from(width);
        if max == 0 { 1.0 } else { self.active_lanes as f64 / max as f64 }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// The statement.
    pub statement: StatementId,
    /// Its part in the finding.
    pub message: String,
}

/// A problem or a fact that a run found in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The kind of problem.
    pub kind: FindingKind,
    /// The severity.
    pub severity: Severity,
    /// One or two sentences.
    pub message: String,
    /// The statement, unless the finding concerns the launch as a whole.
    pub statement: Option<StatementId>,
    /// The block.
    pub cta: [u32; 3],
    /// The warp in the block.
    pub warp: u32,
    /// The lanes concerned.
    pub lanes: Mask,
    /// The visit of the statement by the warp, from 1; `None` where it is not known or is the last one.
    pub visit: Option<u64>,
    /// Related statements.
    pub related: Vec<Related>,
    /// The scope of the barrier that the message recommends, in a data race that one prevents.
    pub barrier: Option<RaceScope>,
    /// Whether it may be due to a launch that was inferred, and not to the kernel.
    pub depends_on_inference: bool,
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
            barrier: None,
            depends_on_inference: false,
        }
    }
}

/// Sums over all warps of the launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Visits.
    pub warp_instructions: u64,
    /// Active lanes over all visits.
    pub thread_instructions: u64,
    /// Executing lanes over all visits.
    pub executed_thread_instructions: u64,
}

/// Text that the program printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// In the order of execution; bytes that are not UTF-8 are replaced.
    pub text: String,
    /// Whether the text was truncated at [`Limits::max_output`].
    pub truncated: bool,
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// How the run ended.
    pub status: Status,
    /// In the order of detection.
    pub findings: Vec<Finding>,
    /// Over all warps, listed or not.
    pub totals: Totals,
    /// The first [`Limits::max_warps`] warps (and [`RunOptions::warp`]) in order of block, then warp.
    pub warps: Vec<WarpTrace>,
    /// Whether there were more warps than the limits list.
    pub warps_truncated: bool,
    /// The statements summed over all warps, without visits.
    pub summed: Vec<LineTrace>,
    /// Device memory at the end of the run; buffers are read back by address.
    pub memory: DeviceMemory,
    /// The traced register values of one warp, where [`RunOptions::trace`] requests them.
    pub values: Option<Values>,
    /// The last store to the byte that [`RunOptions::watch`] names.
    pub last_store: Option<LaneStore>,
    /// Text that the program printed.
    pub output: Output,
    /// What is known about statements besides lanes and registers, for the listed warps of runs with checks.
    pub notes: Vec<Note>,
    /// The comparison with another model, for models that are compared with one.
    pub model_diff: Option<Box<ModelDiff>>,
}

/// A store, or an atomic operation, of one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneStore {
    /// Which statement.
    pub statement: StatementId,
    /// The warp.
    pub warp: WarpId,
    /// The lane.
    pub lane: u32,
}

/// A run of the same launch under the language's reference model, and where the two runs differ.
#[derive(Clone, Debug)]
pub struct ModelDiff {
    /// The name of that model.
    pub model: &'static str,
    /// The traces of its warps.
    pub warps: Vec<WarpTrace>,
    /// The first difference of each warp, in the order of warps.
    pub divergences: Vec<Divergence>,
}

/// The first visit of a warp that the other run does not have, or has with different masks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The warp.
    pub warp: WarpId,
    /// The statement.
    pub statement: StatementId,
    /// Which visit of it; the first is 1.
    pub visit: u64,
    /// The active and executed lanes in this run; `None` where only the other run has the visit.
    pub here: Option<(Mask, Mask)>,
    /// The same in the other run.
    pub there: Option<(Mask, Mask)>,
    /// Possible causes in this warp, latest first: a sentence without its full stop, and the statement.
    pub why: Vec<(&'static str, StatementId)>,
}

impl RunResult {
    /// The trace of one warp, if it is listed.
    pub fn warp(&self, cta: [u32; 3], warp: u32) -> Option<&WarpTrace> {
        self.warps.iter().find(|trace| trace.cta == cta && trace.warp == warp)
    }
}

/// Limits that keep a run finite. The result reports a limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Warp instructions of the whole launch.
    pub max_steps: u64,
    /// Bytes of simulated memory of all kinds.
    pub max_memory: u64,
    /// Folded visits kept for a statement of a warp.
    pub max_visits: usize,
    /// Bytes of the trace, divided evenly among the listed warps.
    pub max_trace: usize,
    /// Warps listed.
    pub max_warps: usize,
    /// Findings kept.
    pub max_findings: usize,
    /// Bytes of shadow memory while [`Checks`] are on.
    pub max_shadow: u64,
    /// Bytes of printed text kept.
    pub max_output: usize,
}

impl Limits {
    /// Default bytes for the trace and shadow memory together.
    pub const RECORDS: u64 = 256 << 20;

    /// Limits with `bytes` for the trace (a quarter) and shadow memory (the remainder).
    pub fn with_records(self, bytes: u64) -> Limits {
        let max_trace = usize::try_from(bytes / 4).unwrap_or(usize::MAX);
        Limits { max_trace, max_shadow: bytes - bytes / 4, ..self }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            max_steps: 10_000_000,
            max_memory: 1 << 30,
            max_visits: 4_096,
            max_trace: (Limits::RECORDS / 4) as usize,
            max_warps: 1_024,
            max_findings: 200,
            max_shadow: Limits::RECORDS / 4 * 3,
            max_output: 1 << 20,
        }
    }
}

/// Optional checks of a run. A check costs time only where it is enabled.
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
    /// The limits.
    pub limits: Limits,
    /// Whether to fill [`WarpTrace::registers`].
    pub registers: bool,
    /// A warp to list even if it is beyond [`Limits::max_warps`].
    pub warp: Option<WarpId>,
    /// Whether to list no other warp than [`RunOptions::warp`], which saves the time of recording them. Everything else, also
    /// [`RunResult::warps_truncated`], is as if they were listed.
    pub one_warp: bool,
    /// Enabled checks.
    pub checks: Checks,
    /// Whether asynchronous operations complete at issue, instead of as late as the waits of the program allow.
    pub eager: bool,
    /// Whether to fill [`LineTrace::counters`].
    pub counters: bool,
    /// A warp whose register values to trace ([`RunResult::values`]); the run may stop once they are complete.
    pub trace: Option<TraceRequest>,
    /// The address of a byte of device memory whose last store to find ([`RunResult::last_store`]).
    pub watch: Option<u64>,
}

impl RunOptions {
    /// Whether to list a warp, which may be within the limits.
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
    /// Blocks of the launch.
    pub blocks: u64,
}

/// The caller's control of a run: called every few thousand steps, from any thread of the run.
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
}

/// A caller's thread pool for a run. The result does not depend on it.
pub trait Workers: Sync {
    /// The number of threads.
    fn count(&self) -> usize;

    /// Calls `work` concurrently on all available threads, at least one; returns when all calls have returned.
    fn together(&self, work: &(dyn Fn() + Sync));

    /// A run with fewer steps than this stays on the caller's thread.
    fn worth(&self) -> u64 {
        200_000
    }
}

impl Control<'static> {
    /// Runs to the end without cancellation or progress reports.
    pub fn none() -> Self {
        Control { cancelled: &|| false, progress: &|_| {}, workers: None, steps: None }
    }
}

/// The caller cancelled the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

/// The outcome of a run.
pub type RunOutcome = Result<RunResult, Cancelled>;
