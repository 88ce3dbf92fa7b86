//! Reports of data races, worded alike for every language.

use rustc_hash::FxHashSet;

use super::findings::MAX_TITLE;
use crate::finding_kind::FindingKind;
use crate::ids::StatementId;
use crate::trace::{Finding, Related};

#[derive(Clone, Debug)]
pub struct RacingThread {
    /// The position in the block, and the position of the block.
    pub thread: [u32; 3],
    pub block: [u32; 3],
    /// Lane and warp; WAVE calls a warp a wave.
    pub lane: u32,
    pub warp: u32,
    pub group: &'static str,
    pub reads: bool,
}

/// A race between two accesses.
pub struct RaceReport<'r> {
    /// Whether both accesses store the same value.
    pub same_value: bool,
    /// The kind of memory, with which the title starts: `Shared`.
    pub memory: &'static str,
    pub object: &'r str,
    /// The thread of the access at which the race was detected.
    pub later: RacingThread,
    /// The thread and the statement of the earlier access.
    pub earlier: RacingThread,
    pub earlier_statement: StatementId,
    /// What is missing between the accesses: `no barrier between`.
    pub missing: &'r str,
    /// What orders the accesses, or why they need no order.
    pub fix: &'r str,
}

impl RaceReport<'_> {
    pub fn message(&self) -> String {
        let RaceReport { later, earlier, fix, missing, .. } = self;
        let mut title = self.title();
        if !self.same_value && title.chars().count() + missing.len() + 2 <= MAX_TITLE {
            title = format!("{title}; {missing}");
        }
        format!("{title}\n{fix}\n{}, {}", self.place(later), self.place(earlier))
    }

    /// `Shared-memory race: sdata[32] read by thread (0,0,0), written by thread (32,0,0)`; without the term if both
    /// store the same value.
    fn title(&self) -> String {
        let RaceReport { later, earlier, same_value, .. } = self;
        let object = self.object.replace('`', "");
        let object = object.strip_prefix("local memory at ").unwrap_or(&object);
        let [here, there] = [later, earlier].map(|thread| self.name(thread));
        let what = match (later.reads, earlier.reads) {
            (false, false) => format!("{object} written by {here} and {there}"),
            (false, true) => format!("{object} read by {there}, written by {here}"),
            _ => format!("{object} read by {here}, written by {there}"),
        };
        if *same_value { what } else { format!("{}-memory race: {what}", self.memory) }
    }

    /// Names a thread by what distinguishes the two: `lane 3`, `thread (32,0,0)`, `block (1,0,0)`.
    fn name(&self, thread: &RacingThread) -> String {
        let RaceReport { later, earlier, .. } = self;
        match (later.block == earlier.block, later.warp == earlier.warp) {
            (true, true) => format!("lane {}", thread.lane),
            (true, false) => format!("thread {}", position(thread.thread)),
            (false, _) => format!("block {}", position(thread.block)),
        }
    }

    /// `thread (32,0,0) is lane 0 of warp 1`
    fn place(&self, thread: &RacingThread) -> String {
        let RacingThread { lane, warp, group, .. } = thread;
        format!("{} is lane {lane} of {group} {warp}", self.thread(thread))
    }

    /// `thread (32,0,0)`, with the block if it distinguishes the two.
    fn thread(&self, RacingThread { thread, block, .. }: &RacingThread) -> String {
        match self.later.block == self.earlier.block {
            true => format!("thread {}", position(*thread)),
            false => format!("thread {} of block {}", position(*thread), position(*block)),
        }
    }

    /// The earlier access, as a related statement.
    pub fn related(&self) -> Related {
        let access = if self.earlier.reads { "reads" } else { "writes" };
        let message = format!("{} {access} {} here", self.thread(&self.earlier), self.object);
        Related { statement: self.earlier_statement, message }
    }
}

/// A position in a block or a grid: `(32,0,0)`.
pub fn position([x, y, z]: [u32; 3]) -> String {
    format!("({x},{y},{z})")
}

/// Removes uninitialized reads at `raced` statements: the read merely preceded the racing write.
pub fn remove_raced_reads(findings: &mut Vec<Finding>, raced: &FxHashSet<StatementId>) {
    findings.retain(|finding| {
        let is_raced = finding.statement.is_some_and(|statement| raced.contains(&statement));
        finding.kind != FindingKind::UninitializedRead || !is_raced
    });
}
