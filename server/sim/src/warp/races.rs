//! Reports of data races, in the same words for every language.

use rustc_hash::FxHashSet;

use crate::ids::StatementId;
use crate::trace::{Finding, Related};

/// A race between two accesses. The first access is described relative to the second.
pub(crate) struct RaceReport<'r> {
    /// Whether both accesses leave the same value.
    pub(crate) same_value: bool,
    /// The lane of the second access, and whether it reads.
    pub(crate) lane: u32,
    pub(crate) reads: bool,
    /// The memory location.
    pub(crate) location: &'r str,
    /// The thread of the first access, its statement, and whether it reads.
    pub(crate) other: &'r str,
    pub(crate) other_statement: StatementId,
    pub(crate) other_reads: bool,
    /// What orders the accesses, or why nothing has to.
    pub(crate) fix: &'r str,
}

impl RaceReport<'_> {
    /// The message of the finding.
    pub(crate) fn message(&self) -> String {
        let RaceReport { lane, location, other, fix, .. } = self;
        let title = if self.same_value { "lane" } else { "data race: lane" };
        let access = if self.reads { "reads" } else { "writes" };
        let first = self.first_access();
        format!(
            "{title} {lane} {access} {location} that {other} {first} with no synchronization between them; {fix}"
        )
    }

    /// The first access.
    pub(crate) fn related(&self) -> Related {
        let message = format!("{} {} it here", self.other, self.first_access());
        Related { statement: self.other_statement, message }
    }

    fn first_access(&self) -> &'static str {
        if self.other_reads { "read" } else { "wrote" }
    }
}

/// Removes the uninitialized reads at `raced` statements: the read preceded the racing write.
pub(crate) fn remove_raced_reads(findings: &mut Vec<Finding>, raced: &FxHashSet<StatementId>) {
    findings.retain(|finding| {
        let is_raced = finding.statement.is_some_and(|statement| raced.contains(&statement));
        finding.code != "uninitialized-read" || !is_raced
    });
}
