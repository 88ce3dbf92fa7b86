//! Reports of data races, in the same words for every language.

use rustc_hash::FxHashSet;

use super::findings::MAX_TITLE;
use crate::ids::StatementId;
use crate::trace::{Finding, Related};
use crate::warp::finding_kind::FindingKind;

/// A thread of a race.
#[derive(Clone, Debug)]
pub(crate) struct RacingThread {
    /// Its position in its block, and that of the block.
    pub(crate) thread: [u32; 3],
    pub(crate) block: [u32; 3],
    /// Its lane and its warp, which WAVE calls a wave.
    pub(crate) lane: u32,
    pub(crate) warp: u32,
    pub(crate) group: &'static str,
    pub(crate) reads: bool,
}

/// A race between two accesses.
pub(crate) struct RaceReport<'r> {
    /// Whether both accesses leave the same value.
    pub(crate) same_value: bool,
    /// The memory: `Shared`.
    pub(crate) memory: &'static str,
    /// The object.
    pub(crate) object: &'r str,
    /// The thread of the access at which the race was found.
    pub(crate) later: RacingThread,
    /// The thread of the access before it, and its statement.
    pub(crate) earlier: RacingThread,
    pub(crate) earlier_statement: StatementId,
    /// What is missing between the accesses: `no barrier between`.
    pub(crate) missing: &'r str,
    /// What orders the accesses, or why nothing has to.
    pub(crate) fix: &'r str,
}

impl RaceReport<'_> {
    /// The message of the finding.
    pub(crate) fn message(&self) -> String {
        let RaceReport { later, earlier, fix, missing, .. } = self;
        let mut title = self.title();
        if !self.same_value && title.chars().count() + missing.len() + 2 <= MAX_TITLE {
            title = format!("{title}; {missing}");
        }
        format!("{title}\n{fix}\n{}, {}", self.place(later), self.place(earlier))
    }

    /// `Shared-memory race: sdata[32] read by thread (0,0,0), written by thread (32,0,0)`; without the term if both write
    /// the same value.
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

    /// A thread, as far as the two differ: `lane 3`, `thread (32,0,0)`, `block (1,0,0)`.
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
        let block = match self.later.block == self.earlier.block {
            true => String::new(),
            false => format!(" of block {}", position(thread.block)),
        };
        let RacingThread { thread, lane, warp, group, .. } = thread;
        format!("thread {}{block} is lane {lane} of {group} {warp}", position(*thread))
    }

    /// The first access.
    pub(crate) fn related(&self) -> Related {
        let RacingThread { thread, block, reads, .. } = &self.earlier;
        let access = if *reads { "reads" } else { "writes" };
        let block = match *block == self.later.block {
            true => String::new(),
            false => format!(" of block {}", position(*block)),
        };
        let message = format!("thread {}{block} {access} {} here", position(*thread), self.object);
        Related { statement: self.earlier_statement, message }
    }
}

/// A position in a block or a grid: `(32,0,0)`.
pub(crate) fn position([x, y, z]: [u32; 3]) -> String {
    format!("({x},{y},{z})")
}

/// Removes the uninitialized reads at `raced` statements: the read preceded the racing write.
pub(crate) fn remove_raced_reads(findings: &mut Vec<Finding>, raced: &FxHashSet<StatementId>) {
    findings.retain(|finding| {
        let is_raced = finding.statement.is_some_and(|statement| raced.contains(&statement));
        finding.kind != FindingKind::UninitializedRead || !is_raced
    });
}
