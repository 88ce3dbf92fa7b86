//! What a run gives back, the same for PTX and WAVE: masks per statement, findings, totals, final state.
//!
//! Plain data that compares by value. Statements are named by number; where a statement stands in a text is known to whoever
//! decoded the program, never here.

use std::sync::Arc;

use smol_str::SmolStr;

use crate::memory::DeviceMemory;
use crate::values::{Look, Values};

mod counters;

pub use counters::{Counters, Passes, Sectors};

/// The lanes of a warp, one bit each; bit 0 is lane 0. Wide enough for the widest wave (64).
pub type Mask = u64;

/// A statement of the decoded program, counted from 0 over all functions that the entry can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StatementId(pub u32);

impl StatementId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Equal neighbouring visits of one statement by one warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visit {
    /// Lanes of the group that came to the statement.
    pub active: Mask,
    /// Those of them whose guard let them act.
    pub executed: Mask,
    /// How many visits in a row had these masks.
    pub repeat: u64,
}

/// What one warp (or, in [`RunResult::summed`], the whole launch) did at one statement.
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
    /// What memory accesses cost, where the run was asked to count.
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
    /// Final values of the entry's registers, where the run was asked for them.
    pub registers: Option<Vec<RegisterValues>>,
    /// Who met where, in statement order: each once, and not without bound.
    pub meetings: Vec<Meeting>,
}

/// Lanes that came to a statement apart and went on together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Meeting {
    /// Which statement.
    pub statement: StatementId,
    /// The lanes that came together, in the order of their coming: two parts at least. All of them are the active lanes of
    /// a visit.
    pub parts: Vec<Mask>,
}

impl WarpTrace {
    /// What happened at `statement`, or `None` if it was never reached.
    pub fn line(&self, statement: StatementId) -> Option<&LineTrace> {
        let at = self.lines.binary_search_by_key(&statement, |line| line.statement).ok()?;
        Some(&self.lines[at])
    }

    /// Who met at `statement`.
    pub fn meetings_at(&self, statement: StatementId) -> &[Meeting] {
        let start = self.meetings.partition_point(|meeting| meeting.statement < statement);
        let end = self.meetings.partition_point(|meeting| meeting.statement <= statement);
        &self.meetings[start..end]
    }
}

/// A register's final value in every lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterValues {
    /// The name as written (`%r3`).
    pub name: SmolStr,
    /// Width in bits; 1 for a predicate.
    pub bits: u16,
    /// One value a lane of the full warp width; `None` where the lane never wrote it.
    pub lanes: Vec<Option<u128>>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Every thread came to its end.
    Finished,
    /// A trap or a memory fault.
    Faulted,
    /// [`Limits::max_steps`] was reached.
    StepLimit,
    /// Threads spin or wait for something that nobody can bring about.
    NoProgress,
    /// Something was reached that is not simulated; it is named in a finding.
    Unsupported,
}

impl Status {
    /// The word for it in JSON and in listings.
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

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The program is wrong, or the run could not go on.
    Error,
    /// Likely a mistake.
    Warning,
    /// Worth knowing.
    Information,
}

impl Severity {
    /// The word for it in JSON and in listings.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Information => "information",
        }
    }
}

/// Another place that a finding speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// Where.
    pub statement: StatementId,
    /// What is to be seen there.
    pub message: String,
}

/// Something the run showed about the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// A stable name (`divergent-barrier`).
    pub code: &'static str,
    /// How bad.
    pub severity: Severity,
    /// One or two sentences.
    pub message: String,
    /// Where, unless it concerns the launch as a whole.
    pub statement: Option<StatementId>,
    /// The block.
    pub cta: [u32; 3],
    /// The warp in the block.
    pub warp: u32,
    /// The lanes concerned.
    pub lanes: Mask,
    /// The other side, where there is one.
    pub related: Vec<Related>,
}

impl Finding {
    /// An error that concerns the launch as a whole.
    pub(crate) fn about_launch(code: &'static str, message: String) -> Finding {
        Finding {
            code,
            severity: Severity::Error,
            message,
            statement: None,
            cta: [0; 3],
            warp: 0,
            lanes: 0,
            related: Vec::new(),
        }
    }
}

/// Sums over all warps of the launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Visits.
    pub warp_instructions: u64,
    /// Active lanes over all visits.
    pub thread_instructions: u64,
    /// Executing lanes over all visits.
    pub executed_thread_instructions: u64,
}

/// What the program printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// In the order of execution; bytes that are no text are replaced.
    pub text: String,
    /// Whether more was printed than [`Limits::max_output`].
    pub truncated: bool,
}

/// Everything a run gives back.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// How it ended.
    pub status: Status,
    /// In the order in which they were found.
    pub findings: Vec<Finding>,
    /// Over all warps, listed or not.
    pub totals: Totals,
    /// The first [`Limits::max_warps`] warps (and the one asked for) in order of block, then warp.
    pub warps: Vec<WarpTrace>,
    /// Whether there were more warps than are listed.
    pub warps_truncated: bool,
    /// The statements summed over all warps, without visits.
    pub summed: Vec<LineTrace>,
    /// Device memory as the run left it; buffers are read back by address.
    pub memory: DeviceMemory,
    /// What the registers of one warp held, where the run was asked to look.
    pub values: Option<Values>,
    /// What the program printed.
    pub output: Output,
    /// What it is held against, where it ran under a model that is there for comparison.
    pub beside: Option<Box<Beside>>,
}

/// A run of the same launch under the model that a language is meant to have, and where the two part.
#[derive(Clone, Debug)]
pub struct Beside {
    /// The name of that model.
    pub model: &'static str,
    /// What its warps did.
    pub warps: Vec<WarpTrace>,
    /// Where warps part, each at most once, in the order of warps.
    pub partings: Vec<Parting>,
}

/// The first visit of a warp that the other run does not have, or has with other lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parting {
    /// The warp.
    pub warp: WarpId,
    /// Where.
    pub statement: StatementId,
    /// Which visit there; the first is 1.
    pub visit: u64,
    /// The lanes that came and those that acted here; `None` where only the other run comes.
    pub here: Option<(Mask, Mask)>,
    /// The same in the other run.
    pub there: Option<(Mask, Mask)>,
    /// What showed in this warp until then and may be the cause: a sentence without its end, and the statement. The latest
    /// comes first.
    pub why: Vec<(&'static str, StatementId)>,
}

impl RunResult {
    /// The trace of one warp, if it is listed.
    pub fn warp(&self, cta: [u32; 3], warp: u32) -> Option<&WarpTrace> {
        self.warps.iter().find(|trace| trace.cta == cta && trace.warp == warp)
    }
}

/// Bounds that keep a run finite. Hitting one is said in the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Warp instructions of the whole launch.
    pub max_steps: u64,
    /// Bytes of simulated memory of all kinds.
    pub max_memory: u64,
    /// Folded visits kept for a statement of a warp.
    pub max_visits: usize,
    /// Bytes of the trace. They are shared out evenly among the warps that are listed.
    pub max_trace: usize,
    /// Warps listed.
    pub max_warps: usize,
    /// Findings kept.
    pub max_findings: usize,
    /// Bytes of what is kept about memory while [`Checks`] are on.
    pub max_shadow: u64,
    /// Bytes of printed text kept.
    pub max_output: usize,
}

impl Limits {
    /// Bytes for the trace and for what checks keep, together, where nobody says otherwise.
    pub const RECORDS: u64 = 256 << 20;

    /// With so many bytes for the trace and for what checks keep: a quarter of them, and the rest.
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

/// One warp of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WarpId {
    /// The block (workgroup).
    pub cta: [u32; 3],
    /// The warp's number in its block.
    pub warp: u32,
}

/// What a run looks for beside what stops it. Each costs time only where it is on.
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

/// What a run keeps beside the masks, and its bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RunOptions {
    /// The bounds.
    pub limits: Limits,
    /// Whether [`WarpTrace::registers`] is wanted.
    pub registers: bool,
    /// A warp to list even if it lies beyond [`Limits::max_warps`].
    pub warp: Option<WarpId>,
    /// What to look for.
    pub checks: Checks,
    /// Whether [`LineTrace::counters`] are wanted.
    pub counters: bool,
    /// A warp whose values are wanted ([`RunResult::values`]); the run may end when it has.
    pub look: Option<Look>,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Warp instructions done.
    pub steps: u64,
    /// Blocks that came to their end.
    pub blocks_done: u64,
    /// Blocks of the launch.
    pub blocks: u64,
}

/// The caller's hold on a run: asked every few thousand steps, from any of the threads it runs on.
#[derive(Clone, Copy)]
pub struct Control<'a> {
    /// Whether the run should stop and give nothing.
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Told how far the run is.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Threads to run blocks on beside the caller's own, if there are any.
    pub workers: Option<&'a dyn Workers>,
}

/// Threads that a caller lends to a run. The result is the same with and without them.
pub trait Workers: Sync {
    /// How many there are.
    fn count(&self) -> usize;

    /// Calls `work` at the same time on as many threads as can be had, at least on one; returns when all calls have.
    fn together(&self, work: &(dyn Fn() + Sync));

    /// A run that has made fewer steps than this is not worth their time.
    fn worth(&self) -> u64 {
        200_000
    }
}

impl Control<'static> {
    /// Runs to the end and tells nobody.
    pub fn none() -> Self {
        Control { cancelled: &|| false, progress: &|_| {}, workers: None }
    }
}

/// The run was stopped by its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;
