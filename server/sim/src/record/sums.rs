//! Sums over the visits of a statement.

use std::sync::Arc;

use crate::trace::{Counters, LineTrace, Mask, StatementId, Visit};

/// Sums over visits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums {
    pub(super) count: u64,
    active: Mask,
    executed: Mask,
    pub(super) active_lanes: u64,
    pub(super) executed_lanes: u64,
}

impl Sums {
    /// The sums of a line.
    pub(super) fn of(line: &LineTrace) -> Sums {
        let &LineTrace { count, active, executed, active_lanes, executed_lanes, .. } = line;
        Sums { count, active, executed, active_lanes, executed_lanes }
    }

    #[inline(always)]
    pub(super) fn add(&mut self, Visit { active, executed, repeat }: Visit) {
        self.count += repeat;
        self.active |= active;
        self.executed |= executed;
        self.active_lanes += repeat * u64::from(active.count_ones());
        self.executed_lanes += repeat * u64::from(executed.count_ones());
    }

    /// The line of a statement with these sums, without visits.
    pub(super) fn line(&self, statement: u32, counters: Option<Box<Counters>>) -> LineTrace {
        LineTrace {
            statement: StatementId(statement),
            count: self.count,
            active: self.active,
            executed: self.executed,
            active_lanes: self.active_lanes,
            executed_lanes: self.executed_lanes,
            visits: Arc::default(),
            truncated: true,
            counters,
        }
    }

    pub(super) fn join(&mut self, other: &Sums) {
        self.count += other.count;
        self.active |= other.active;
        self.executed |= other.executed;
        self.active_lanes += other.active_lanes;
        self.executed_lanes += other.executed_lanes;
    }
}
