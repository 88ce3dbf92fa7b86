//! Writing a trace while a program runs: one recorder a warp, a handful of instructions a visit.
//!
//! Equal neighbouring visits are folded as they come, and everything that can be derived (unions, counts, sums of lanes) is
//! derived when a fold ends, so the common visit costs two compares and one add; where no more visits are kept, each is
//! counted at once. Consecutive statements of straight-line code have the same visits, which are stored once: a *run* of
//! statements is created when it is first reached, and split when a later visit covers only a part of it.

mod runs;
mod summary;
mod sums;

use std::sync::Arc;

use crate::step_stream::StepStream;
use crate::trace::{Counters, LineTrace, Mask, StatementId, Visit};
use runs::Runs;
pub use summary::Summary;
use sums::Sums;

/// The visits of each statement of a run by one warp.
#[derive(Clone, Copy, Debug, Default)]
struct Visits {
    /// Whether no more visits are kept.
    truncated: bool,
    /// The newest visit, not counted yet; repeated 0 times where there is none.
    open: Visit,
    sums: Sums,
}

/// Records the visits of one warp.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    runs: Runs<Visits>,
    /// The folded visits of each run, by its first statement; empty if visits are not kept.
    folded: Vec<Vec<Visit>>,
    /// One a statement, or empty if counters are off.
    counters: Vec<Counters>,
    max_visits: usize,
    budget: usize,
    /// Receives each step, if a caller wants them.
    stream: Option<StepStream>,
}

impl Recorder {
    /// A recorder for a program of `statements` statements that keeps at most `max_visits` folded visits a statement, and
    /// `budget` in all; those that statements share count once.
    pub fn new(statements: usize, max_visits: usize, budget: usize) -> Self {
        let truncated = max_visits == 0 || budget == 0;
        Recorder {
            runs: Runs::new(statements, Visits { truncated, ..Visits::default() }),
            folded: if truncated { Vec::new() } else { vec![Vec::new(); statements] },
            counters: Vec::new(),
            max_visits,
            budget,
            stream: None,
        }
    }

    /// Sends each step to a stream, too.
    pub fn stream_to(&mut self, stream: Option<StepStream>) {
        self.stream = stream;
    }

    /// Whether the steps are sent to a stream.
    pub fn is_streaming(&self) -> bool {
        self.stream.is_some()
    }

    /// The memory of a recorder for a program of `statements` statements, without visits.
    pub fn bytes(statements: usize) -> u64 {
        statements as u64 * size_of::<runs::Run<Visits>>() as u64
    }

    /// Enables counters for each statement.
    pub fn count_costs(&mut self) {
        self.counters.resize(self.runs.statements(), Counters::default());
    }

    /// Adds the counters of an access of `statement`, if counters are enabled.
    pub fn cost(&mut self, statement: StatementId, cost: &Counters) {
        if let Some(counters) = self.counters.get_mut(statement.index()) {
            counters.add(cost);
        }
    }

    /// Records a visit of `statement` by `active` lanes, of which `executed` execute it.
    #[inline(always)]
    pub fn visit(&mut self, statement: StatementId, active: Mask, executed: Mask) {
        self.visit_some(statement.0, statement.0 + 1, active, executed);
    }

    /// Records a visit of each statement in `first..end`, in order, by `active` lanes, of which `executed` execute it.
    #[inline(always)]
    pub fn visit_run(&mut self, first: u32, end: u32, active: Mask, executed: Mask) {
        if first < end {
            self.visit_some(first, end, active, executed);
        }
    }

    /// [`Self::visit_run`] of at least one statement.
    #[inline(always)]
    pub(crate) fn visit_some(&mut self, first: u32, end: u32, active: Mask, executed: Mask) {
        if self.stream.is_some() {
            self.send(first, end, active, executed);
        }
        if self.runs.at(first).end == end {
            self.count_visit(first, active, executed);
        } else {
            self.visit_runs(first, end, active, executed);
        }
    }

    #[cold]
    #[inline(never)]
    fn send(&self, first: u32, end: u32, active: Mask, executed: Mask) {
        if let Some(stream) = &self.stream {
            stream.send(first, end, active, executed);
        }
    }

    /// [`Self::visit_some`] for several runs, and for parts of runs.
    #[inline(never)]
    fn visit_runs(&mut self, first: u32, end: u32, active: Mask, executed: Mask) {
        let mut at = first;
        while at < end {
            let part = self.runs.at(at).end;
            if part <= at || part > end {
                return self.visit_parts(at, end, active, executed);
            }
            self.count_visit(at, active, executed);
            at = part;
        }
    }

    /// Counts a visit of the run that starts at `first`.
    #[inline(always)]
    fn count_visit(&mut self, first: u32, active: Mask, executed: Mask) {
        let visits = &mut self.runs.at(first).value;
        if visits.truncated {
            visits.sums.add(Visit { active, executed, repeat: 1 });
        } else if visits.open.active == active && visits.open.executed == executed {
            visits.open.repeat += 1;
        } else {
            self.open(first, active, executed);
        }
    }

    /// [`Self::visit_runs`] for a range that does not consist of runs.
    #[cold]
    #[inline(never)]
    fn visit_parts(&mut self, first: u32, end: u32, active: Mask, executed: Mask) {
        let mut at = first;
        while at < end {
            let part = at;
            let folded = &mut self.folded;
            at = self.runs.arrange(part, end, |head, other| {
                if !folded.is_empty() {
                    folded[other as usize] = folded[head as usize].clone();
                }
            });
            self.count_visit(part, active, executed);
        }
    }

    /// The number of recorded visits of a statement.
    #[cold]
    pub fn visits_of(&self, statement: StatementId) -> u64 {
        self.runs.value_of(statement.0).map_or(0, |visits| visits.sums.count + visits.open.repeat)
    }

    /// Starts a new fold of the run at `first`.
    #[inline(never)]
    fn open(&mut self, first: u32, active: Mask, executed: Mask) {
        self.close(first);
        let visits = &mut self.runs.at(first).value;
        let visit = Visit { active, executed, repeat: 1 };
        if visits.truncated {
            visits.sums.add(visit);
        } else {
            visits.open = visit;
        }
    }

    /// Ends the fold of the run at `first`.
    fn close(&mut self, first: u32) {
        let visits = &mut self.runs.at(first).value;
        let visit = std::mem::take(&mut visits.open);
        if visit.repeat == 0 {
            return;
        }
        visits.sums.add(visit);
        let folded = &mut self.folded[first as usize];
        if folded.len() < self.max_visits && self.budget > 0 {
            self.budget -= 1;
            folded.push(visit);
        } else {
            visits.truncated = true;
        }
    }

    /// The first statement, the end and the sums of the first run from `at` on; its sums are then zero.
    fn take_sums(&mut self, at: u32) -> Option<(u32, u32, Sums)> {
        let first = self.runs.next(at)?;
        self.close(first);
        let run = self.runs.at(first);
        Some((first, run.end, std::mem::take(&mut run.value.sums)))
    }

    /// Calls `add` with the counters of each statement; they are then zero.
    fn take_counters(&mut self, mut add: impl FnMut(usize, &Counters)) {
        for (statement, counters) in self.counters.iter_mut().enumerate() {
            add(statement, counters);
            *counters = Counters::default();
        }
    }

    /// Ends the recording: the reached statements, and the remaining budget of visits for later warps.
    pub fn finish(mut self) -> (Vec<LineTrace>, usize) {
        let (mut lines, mut at) = (Vec::new(), 0);
        while let Some((first, end, sums)) = self.take_sums(at) {
            at = end;
            let truncated = self.runs.at(first).value.truncated;
            let folded = self.folded.get_mut(first as usize).map(std::mem::take).unwrap_or_default();
            let visits: Arc<[Visit]> = folded.into();
            lines.extend((first..end).map(|statement| {
                let counters = self.counters.get(statement as usize).map(|&cost| Box::new(cost));
                LineTrace { visits: Arc::clone(&visits), truncated, ..sums.line(statement, counters) }
            }));
        }
        (lines, self.budget)
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

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
    fn statements_of_a_run_have_the_same_visits_until_it_is_split() {
        let mut recorder = Recorder::new(6, 10, 100);
        recorder.visit_run(0, 6, 0xf, 0xf);
        recorder.visit_run(2, 6, 0x3, 0x3);
        recorder.visit_run(2, 4, 0x1, 0x1);
        let (lines, budget) = recorder.finish();
        assert_eq!(visits(&lines, 1), [(0xf, 0xf, 1)]);
        assert_eq!(visits(&lines, 3), [(0xf, 0xf, 1), (0x3, 0x3, 1), (0x1, 0x1, 1)]);
        assert_eq!(visits(&lines, 5), [(0xf, 0xf, 1), (0x3, 0x3, 1)]);
        assert_eq!(budget, 100 - 5);
    }

    proptest! {
        /// Recording a run is equivalent to recording its statements one by one.
        #[test]
        fn a_run_equals_its_statements(
            visited in vec((0u32..12, 0u32..12, 1u64..4, 0u64..2), 0..60),
            max_visits in 0usize..6,
        ) {
            let new = || Recorder::new(12, max_visits, usize::MAX);
            let (mut runs, mut single) = (new(), new());
            for (first, end, active, executed) in visited {
                runs.visit_run(first, end, active, executed);
                for statement in first..end {
                    single.visit(StatementId(statement), active, executed);
                }
            }
            prop_assert_eq!(runs.finish().0, single.finish().0);
        }
    }

    #[test]
    fn a_statement_never_reached_is_not_listed() {
        let (lines, _) = Recorder::new(3, 2, 100).finish();
        assert!(lines.is_empty());
    }
}
