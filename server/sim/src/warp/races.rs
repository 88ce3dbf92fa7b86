//! Reports of data races, in the same words for every language.

use rustc_hash::FxHashSet;

use super::findings::MAX_TITLE;
use crate::ids::StatementId;
use crate::trace::{Finding, Related};

/// A thread of a race.
#[derive(Clone, Debug)]
pub(crate) struct RacingThread {
    /// Its position in its block, and that of the block.
    pub(crate) thread: [u32; 3],
    pub(crate) block: [u32; 3],
    /// Its lane and warp: `lane 3 of warp 1`.
    pub(crate) lane: String,
    pub(crate) reads: bool,
}

/// A race between two accesses.
pub(crate) struct RaceReport<'r> {
    /// Whether both accesses leave the same value.
    pub(crate) same_value: bool,
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
        let (thread, lane) = (position(earlier.thread), &earlier.lane);
        let other = match later.block == earlier.block {
            true => format!("thread {thread} is {lane}"),
            false => format!("in block {} it is thread {thread}, {lane}", position(earlier.block)),
        };
        format!("{title}\n{fix}\n{other}")
    }

    /// `thread (32,0,0) writes `sdata[32]`, thread (0,0,0) reads it`
    fn title(&self) -> String {
        let RaceReport { object, later, earlier, same_value, .. } = self;
        let (what, here, there) = match later.block == earlier.block {
            true => ("thread", position(later.thread), position(earlier.thread)),
            false => ("block", position(later.block), position(earlier.block)),
        };
        match (later.reads, earlier.reads) {
            (false, false) if *same_value => {
                format!("{what}s {here} and {there} write the same value to {object}")
            }
            (false, false) => format!("{what}s {here} and {there} write {object}"),
            (false, true) if *same_value => {
                format!("{what} {here} writes {object} without a change, {what} {there} reads it")
            }
            (false, true) => format!("{what} {here} writes {object}, {what} {there} reads it"),
            _ => format!("{what} {here} reads {object}, {what} {there} writes it"),
        }
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
        finding.code != "uninitialized-read" || !is_raced
    });
}
