//! Sums over the visits of a statement.

use std::sync::Arc;

use crate::trace::{Counters, LineTrace, Mask, StatementId, Visit};

/// Sums over visits.
///
/// Most visits are *full*: all active lanes execute the statement. They change three fields, of which no two are neighbours: the
/// compiler would make a vector of these, which takes longer than the three additions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(super) struct Sums {
    pub(super) count: u64,
    /// Active lanes that do not execute the statement, of all visits.
    idle_lanes: u64,
    /// The lanes of any full visit.
    full: Mask,
    /// The active lanes of any other visit.
    active: Mask,
    pub(super) active_lanes: u64,
    /// The executing lanes of any other visit.
    executed: Mask,
}

impl Sums {
    /// The sums of a line.
    pub(super) fn of(line: &LineTrace) -> Sums {
        let &LineTrace { count, active, executed, active_lanes, executed_lanes, .. } = line;
        Sums { count, idle_lanes: active_lanes - executed_lanes, full: 0, active, active_lanes, executed }
    }

    #[inline(always)]
    pub(super) fn add(&mut self, Visit { active, executed, repeat }: Visit) {
        self.count += repeat;
        self.active_lanes += repeat * u64::from(active.count_ones());
        if active == executed {
            self.full |= active;
        } else {
            self.idle_lanes += repeat * u64::from((active & !executed).count_ones());
            self.active |= active;
            self.executed |= executed;
        }
    }

    /// Executing lanes of all visits.
    pub(super) fn executed_lanes(&self) -> u64 {
        self.active_lanes - self.idle_lanes
    }

    /// The line of a statement with these sums, without visits.
    pub(super) fn line(&self, statement: u32, counters: Option<Box<Counters>>) -> LineTrace {
        LineTrace {
            statement: StatementId(statement),
            count: self.count,
            active: self.full | self.active,
            executed: self.full | self.executed,
            active_lanes: self.active_lanes,
            executed_lanes: self.executed_lanes(),
            visits: Arc::default(),
            truncated: true,
            counters,
        }
    }

    pub(super) fn join(&mut self, other: &Sums) {
        self.count += other.count;
        self.idle_lanes += other.idle_lanes;
        self.full |= other.full;
        self.active |= other.active;
        self.active_lanes += other.active_lanes;
        self.executed |= other.executed;
    }
}
