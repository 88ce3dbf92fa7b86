//! Writing a trace while a program runs: one recorder a warp, a handful of instructions a visit.
//!
//! Equal neighbouring visits are folded as they come, and everything that can be derived (unions, counts, sums of lanes) is
//! derived when a fold ends, so the common visit costs two compares and one add.

use crate::trace::{Counters, LineTrace, Mask, StatementId, Totals, Visit};

/// The visits of one statement by one warp, while it runs.
#[derive(Clone, Debug, Default)]
struct Line {
    open: Option<Visit>,
    folded: Vec<Visit>,
    count: u64,
    active: Mask,
    executed: Mask,
    active_lanes: u64,
    executed_lanes: u64,
    truncated: bool,
}

impl Line {
    fn close(&mut self, max_visits: usize, budget: &mut usize) {
        let Some(visit) = self.open.take() else { return };
        self.count += visit.repeat;
        self.active |= visit.active;
        self.executed |= visit.executed;
        self.active_lanes += visit.repeat * u64::from(visit.active.count_ones());
        self.executed_lanes += visit.repeat * u64::from(visit.executed.count_ones());
        if self.truncated || self.folded.len() >= max_visits || *budget == 0 {
            self.truncated = true;
        } else {
            *budget -= 1;
            self.folded.push(visit);
        }
    }
}

/// Records the visits of one warp.
#[derive(Clone, Debug)]
pub struct Recorder {
    lines: Vec<Line>,
    /// One a statement, or none at all where nobody counts.
    counters: Vec<Counters>,
    max_visits: usize,
    budget: usize,
}

impl Recorder {
    /// A recorder for a program of `statements` statements that keeps at most `max_visits` folded visits a statement, and
    /// `budget` in all.
    pub fn new(statements: usize, max_visits: usize, budget: usize) -> Self {
        Recorder { lines: vec![Line::default(); statements], counters: Vec::new(), max_visits, budget }
    }

    /// From now on each statement has counters.
    pub fn count_costs(&mut self) {
        self.counters.resize(self.lines.len(), Counters::default());
    }

    /// Notes what an access of `statement` cost, if that is counted.
    pub fn cost(&mut self, statement: StatementId, cost: &Counters) {
        if let Some(counters) = self.counters.get_mut(statement.index()) {
            counters.add(cost);
        }
    }

    /// Notes that `active` lanes came to `statement` and `executed` of them acted.
    #[inline]
    pub fn visit(&mut self, statement: StatementId, active: Mask, executed: Mask) {
        let line = &mut self.lines[statement.index()];
        if let Some(open) = &mut line.open
            && open.active == active
            && open.executed == executed
        {
            open.repeat += 1;
            return;
        }
        line.close(self.max_visits, &mut self.budget);
        line.open = Some(Visit { active, executed, repeat: 1 });
    }

    /// Changes the newest visit of `statement`: for statements whose masks are known only after the fact.
    pub fn amend(&mut self, statement: StatementId, active: Mask, executed: Mask) {
        let line = &mut self.lines[statement.index()];
        match &mut line.open {
            Some(open) if open.repeat == 1 => {
                open.active = active;
                open.executed = executed;
            }
            Some(open) => {
                open.repeat -= 1;
                self.visit(statement, active, executed);
            }
            None => self.visit(statement, active, executed),
        }
    }

    /// Ends the recording: the statements that were reached, and the visits that may still be kept by later warps.
    pub fn finish(mut self) -> (Vec<LineTrace>, usize) {
        let mut lines = Vec::new();
        for (index, line) in self.lines.iter_mut().enumerate() {
            line.close(self.max_visits, &mut self.budget);
            if line.count == 0 {
                continue;
            }
            lines.push(LineTrace {
                statement: StatementId(index as u32),
                count: line.count,
                active: line.active,
                executed: line.executed,
                active_lanes: line.active_lanes,
                executed_lanes: line.executed_lanes,
                visits: std::mem::take(&mut line.folded),
                truncated: line.truncated,
                counters: self.counters.get(index).map(|&cost| Box::new(cost)),
            });
        }
        (lines, self.budget)
    }
}

/// The sums over warps: one line a statement, without visits.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    lines: Vec<Option<LineTrace>>,
    totals: Totals,
}

impl Summary {
    /// Adds what one warp did.
    pub fn add(&mut self, lines: &[LineTrace]) {
        for line in lines {
            let index = line.statement.index();
            if self.lines.len() <= index {
                self.lines.resize(index + 1, None);
            }
            self.totals.warp_instructions += line.count;
            self.totals.thread_instructions += line.active_lanes;
            self.totals.executed_thread_instructions += line.executed_lanes;
            match &mut self.lines[index] {
                Some(sum) => {
                    sum.count += line.count;
                    sum.active |= line.active;
                    sum.executed |= line.executed;
                    sum.active_lanes += line.active_lanes;
                    sum.executed_lanes += line.executed_lanes;
                    if let Some(cost) = &line.counters {
                        sum.counters.get_or_insert_default().add(cost);
                    }
                }
                none => *none = Some(LineTrace { visits: Vec::new(), truncated: true, ..line.clone() }),
            }
        }
    }

    /// The statements reached by any warp, and the totals.
    pub fn finish(self) -> (Vec<LineTrace>, Totals) {
        (self.lines.into_iter().flatten().collect(), self.totals)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visits(lines: &[LineTrace], statement: u32) -> Vec<(Mask, Mask, u64)> {
        let line = lines.iter().find(|line| line.statement == StatementId(statement)).expect("reached");
        line.visits.iter().map(|visit| (visit.active, visit.executed, visit.repeat)).collect()
    }

    #[test]
    fn equal_neighbours_fold() {
        let mut recorder = Recorder::new(2, 10, 100);
        for _ in 0..3 {
            recorder.visit(StatementId(0), 0xf, 0x3);
            recorder.visit(StatementId(1), 0xf, 0xf);
        }
        recorder.visit(StatementId(0), 0x3, 0x3);
        let (lines, budget) = recorder.finish();
        assert_eq!(visits(&lines, 0), [(0xf, 0x3, 3), (0x3, 0x3, 1)]);
        assert_eq!(visits(&lines, 1), [(0xf, 0xf, 3)]);
        assert_eq!((lines[0].count, lines[0].active_lanes, lines[0].executed_lanes), (4, 14, 8));
        assert_eq!(budget, 97);
    }

    #[test]
    fn beyond_the_bound_counts_stay_right() {
        let mut recorder = Recorder::new(1, 2, 100);
        for mask in [1, 2, 4, 8] {
            recorder.visit(StatementId(0), mask, mask);
        }
        let (lines, _) = recorder.finish();
        assert!(lines[0].truncated);
        assert_eq!(lines[0].visits.len(), 2);
        assert_eq!((lines[0].count, lines[0].active), (4, 15));
    }

    #[test]
    fn costs_are_summed_over_visits_and_warps() {
        let mut summary = Summary::default();
        for _ in 0..2 {
            let mut recorder = Recorder::new(2, 10, 100);
            recorder.count_costs();
            recorder.visit(StatementId(1), 1, 1);
            let mut cost = Counters::default();
            cost.shared.passes = 3;
            recorder.cost(StatementId(1), &cost);
            recorder.cost(StatementId(1), &cost);
            summary.add(&recorder.finish().0);
        }
        let passes = |line: &LineTrace| line.counters.as_ref().map(|counters| counters.shared.passes);
        assert_eq!(summary.finish().0.iter().map(passes).collect::<Vec<_>>(), [Some(12)]);
    }

    #[test]
    fn a_statement_never_reached_is_not_listed() {
        let (lines, _) = Recorder::new(3, 2, 100).finish();
        assert!(lines.is_empty());
    }

    #[test]
    fn the_newest_visit_can_be_amended() {
        let mut recorder = Recorder::new(1, 10, 100);
        recorder.visit(StatementId(0), 3, 3);
        recorder.visit(StatementId(0), 3, 3);
        recorder.amend(StatementId(0), 3, 1);
        let (lines, _) = recorder.finish();
        assert_eq!(visits(&lines, 0), [(3, 3, 1), (3, 1, 1)]);
    }

    #[test]
    fn sums_over_warps() {
        let mut summary = Summary::default();
        for mask in [0xff, 0x0f] {
            let mut recorder = Recorder::new(1, 10, 100);
            recorder.visit(StatementId(0), mask, mask & 1);
            summary.add(&recorder.finish().0);
        }
        let (lines, totals) = summary.finish();
        assert_eq!((lines[0].count, lines[0].active, lines[0].active_lanes), (2, 0xff, 12));
        assert_eq!(
            totals,
            Totals { warp_instructions: 2, thread_instructions: 12, executed_thread_instructions: 2 }
        );
    }
}
