//! Sums over the visits of a statement.

use std::ops::Range;
use std::sync::Arc;

use super::runs::RunValue;
use crate::trace::{LineTrace, Mask, StatementId, Totals, Visit};

/// Sums over the visits of a run of statements. All active lanes execute its statements, except perhaps the last one.
///
/// Most visits are *full*: all active lanes execute the last statement as well. A full visit changes three fields. No
/// two of them are adjacent, because the compiler would vectorize adjacent ones, which is slower than three additions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(super) struct Sums {
    pub(super) count: u64,
    /// Active lanes that do not execute the last statement, summed over all visits.
    idle_lanes: u64,
    /// The union of the lanes of full visits.
    full: Mask,
    /// The union of the active lanes of all other visits.
    active: Mask,
    active_lanes: u64,
    /// The union of the lanes that execute the last statement in those visits.
    executed: Mask,
}

impl Sums {
    /// The sums of a recorded line.
    pub(super) fn of(line: &LineTrace) -> Sums {
        let &LineTrace { count, active, executed, active_lanes, executed_lanes, .. } = line;
        Sums { count, idle_lanes: active_lanes - executed_lanes, full: 0, active, active_lanes, executed }
    }

    /// Adds a visit; the lanes in `executed` execute the last statement.
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

    /// Adds a run of `statements` statements with these sums to the totals of a launch.
    pub(super) fn add_to(&self, totals: &mut Totals, statements: u32) {
        let statements = u64::from(statements);
        totals.warp_instructions += statements * self.count;
        totals.thread_instructions += statements * self.active_lanes;
        totals.executed_thread_instructions += statements * self.active_lanes - self.idle_lanes;
    }

    /// The lines of a run of statements with these sums, without visits and counters.
    pub(super) fn lines(&self, statements: Range<u32>) -> impl Iterator<Item = LineTrace> {
        let (last, before) = (statements.end - 1, self.before_last());
        let line = move |sums: &Sums, statement| LineTrace {
            statement: StatementId(statement),
            count: sums.count,
            active: sums.full | sums.active,
            executed: sums.full | sums.executed,
            active_lanes: sums.active_lanes,
            executed_lanes: sums.active_lanes - sums.idle_lanes,
            visits: Arc::default(),
            truncated: true,
            counters: None,
        };
        statements.map(move |statement| line(if statement == last { self } else { &before }, statement))
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

impl RunValue for Sums {
    fn before_last(&self) -> Sums {
        Sums { idle_lanes: 0, full: self.full | self.active, active: 0, executed: 0, ..*self }
    }
}
