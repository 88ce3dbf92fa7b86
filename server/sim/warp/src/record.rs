//! Records a trace while a program runs: one recorder per warp, a handful of instructions per visit.
//!
//! Consecutive statements of straight-line code are visited together and counted once. A *run* of statements is created
//! when it is first reached, and split when a later visit covers only a part of it. All active lanes execute the
//! statements of a run, except perhaps the last one, such as a branch. If visits are kept, equal consecutive visits are
//! folded as they come, and counted when the fold ends. The statements of a run then have the same visits, so a run
//! ends before a statement that only some lanes execute.

mod runs;
mod summary;
mod sums;

use std::sync::Arc;

use crate::step_stream::StepStream;
use crate::trace::{Counters, LineTrace, Mask, StatementId, Visit};
use runs::{RunValue, Runs};
pub use summary::Summary;
use sums::Sums;

/// The visits of a run of statements.
#[derive(Clone, Copy, Debug, Default)]
struct Visits {
    /// Whether visits are only counted: no more are kept, and no caller wants the steps.
    is_counted: bool,
    sums: Sums,
}

impl RunValue for Visits {
    fn before_last(&self) -> Visits {
        Visits { sums: self.sums.before_last(), ..*self }
    }
}

/// The kept visits of a run of statements.
#[derive(Clone, Debug, Default)]
struct KeptVisits {
    /// Whether the budget is used up, so that no more visits are kept.
    is_truncated: bool,
    /// The current fold, not yet counted or moved to `folded`; `repeat` is 0 if there is none.
    open: Visit,
    folded: Vec<Visit>,
}

/// Records the visits of one warp.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    runs: Runs<Visits>,
    /// The kept visits of each run, indexed by its first statement; empty if visits are not kept.
    kept: Vec<KeptVisits>,
    /// One per statement, or empty if counters are off.
    counters: Vec<Counters>,
    max_visits: usize,
    budget: usize,
    /// Receives each step, if a caller wants the steps.
    stream: Option<StepStream>,
}

impl Recorder {
    /// A recorder for a program of `statements` statements. Keeps at most `max_visits` folded visits per statement and
    /// `budget` in total; visits that statements share count once.
    pub fn new(statements: usize, max_visits: usize, budget: usize) -> Self {
        let is_counted = max_visits == 0 || budget == 0;
        Recorder {
            runs: Runs::new(statements, Visits { is_counted, sums: Sums::default() }),
            kept: if is_counted { Vec::new() } else { vec![KeptVisits::default(); statements] },
            counters: Vec::new(),
            max_visits,
            budget,
            stream: None,
        }
    }

    /// From now on, also sends each step to `stream`.
    pub fn stream_to(&mut self, stream: Option<StepStream>) {
        self.stream = stream;
        if self.stream.is_some() {
            self.runs.values_mut().for_each(|visits| visits.is_counted = false);
        }
    }

    /// Whether the steps are sent to a stream.
    #[inline]
    pub fn is_streaming(&self) -> bool {
        self.stream.is_some()
    }

    /// Bytes of a recorder for a program of `statements` statements, without visits.
    pub fn bytes(statements: usize) -> u64 {
        statements as u64 * size_of::<runs::Run<Visits>>() as u64
    }

    /// Enables counters for each statement.
    pub fn count_costs(&mut self) {
        self.counters.resize(self.runs.statements(), Counters::default());
    }

    /// Adds the counters of an access of `statement`, if counters are enabled.
    #[inline]
    pub fn cost(&mut self, statement: StatementId, cost: &Counters) {
        if let Some(counters) = self.counters.get_mut(statement.index()) {
            counters.add(cost);
        }
    }

    /// Records a visit of `statement` by `active` lanes; those in `executed` execute it.
    #[inline(always)]
    pub fn visit(&mut self, statement: StatementId, active: Mask, executed: Mask) {
        self.visit_some(statement.0, statement.0 + 1, active, executed);
    }

    /// Records a visit of each statement in `first..end`, in order, by `active` lanes. All of them execute every
    /// statement before the last; only the lanes in `executed` execute the last one.
    #[inline(always)]
    pub fn visit_run(&mut self, first: u32, end: u32, active: Mask, executed: Mask) {
        if first < end {
            self.visit_some(first, end, active, executed);
        }
    }

    /// Like [`Self::visit_run`], but `first..end` must not be empty.
    #[inline(always)]
    pub fn visit_some(&mut self, first: u32, end: u32, active: Mask, executed: Mask) {
        let run = self.runs.at(first);
        if run.end == end && run.value.is_counted {
            run.value.sums.add(Visit { active, executed, repeat: 1 });
        } else {
            self.visit_runs(first, end, active, executed);
        }
    }

    /// Like [`Self::visit_some`], but the range may cover several runs.
    #[inline(never)]
    fn visit_runs(&mut self, first: u32, end: u32, active: Mask, executed: Mask) {
        let mut at = first;
        while at < end {
            let run = self.runs.at(at);
            if run.end <= at || run.end > end || !run.value.is_counted {
                return self.visit_parts(at, end, active, executed);
            }
            at = run.end;
            let executed = if at == end { executed } else { active };
            run.value.sums.add(Visit { active, executed, repeat: 1 });
        }
    }

    /// The general case of [`Self::visit_runs`]: the range may cover parts of runs, and visits may be kept.
    #[inline(never)]
    fn visit_parts(&mut self, first: u32, end: u32, active: Mask, executed: Mask) {
        if self.stream.is_some() {
            self.send(first, end, active, executed);
        }
        let mut at = first;
        while at < end {
            let part = at;
            at = self.arrange(part, end);
            if at == end && active != executed && at - part > 1 && self.kept_of(part).is_some() {
                at = self.arrange(part, end - 1);
            }
            let executed = if at == end { executed } else { active };
            self.count(part, Visit { active, executed, repeat: 1 });
        }
    }

    #[cold]
    #[inline(never)]
    fn send(&self, first: u32, end: u32, active: Mask, executed: Mask) {
        let Some(stream) = &self.stream else { return };
        let last = if active == executed { end } else { end - 1 };
        if first < last {
            stream.send(first, last, active, active);
        }
        if last < end {
            stream.send(last, end, active, executed);
        }
    }

    /// Makes a run start at `first` and end no later than `end`; returns its end.
    #[inline(always)]
    fn arrange(&mut self, first: u32, end: u32) -> u32 {
        self.runs.arrange(first, end, |head, other| {
            if !self.kept.is_empty() {
                self.kept[other as usize] = self.kept[head as usize].clone();
            }
        })
    }

    /// The kept visits of the run that starts at `first`, or `None` if no more are kept.
    #[inline(always)]
    fn kept_of(&mut self, first: u32) -> Option<&mut KeptVisits> {
        self.kept.get_mut(first as usize).filter(|kept| !kept.is_truncated)
    }

    /// Counts or keeps a visit of the run that starts at `first`.
    #[inline(always)]
    fn count(&mut self, first: u32, visit: Visit) {
        match self.kept_of(first) {
            Some(kept) if (kept.open.active, kept.open.executed) == (visit.active, visit.executed) => {
                kept.open.repeat += visit.repeat;
            }
            Some(_) => self.open(first, visit),
            None => self.runs.at(first).value.sums.add(visit),
        }
    }

    /// The number of recorded visits of a statement.
    #[cold]
    pub fn visits_of(&self, statement: StatementId) -> u64 {
        let Some((first, visits)) = self.runs.of(statement.0) else { return 0 };
        let open = self.kept.get(first as usize).map_or(0, |kept| kept.open.repeat);
        visits.sums.count + open
    }

    /// The statements that were visited, with the numbers of their visits.
    #[cold]
    pub fn visits(&self) -> Vec<(StatementId, u64)> {
        let mut all = Vec::new();
        for (range, visits) in self.runs.iter() {
            let open = self.kept.get(range.start as usize).map_or(0, |kept| kept.open.repeat);
            let count = visits.sums.count + open;
            all.extend(range.filter(|_| count != 0).map(|statement| (StatementId(statement), count)));
        }
        all
    }

    /// The lanes that have executed each statement.
    #[cold]
    pub fn executed(&self) -> Vec<Mask> {
        let mut executed = vec![0; self.runs.statements()];
        for (range, visits) in self.runs.iter() {
            let mut sums = visits.sums;
            if let Some(kept) = self.kept.get(range.start as usize).filter(|kept| kept.open.repeat > 0) {
                sums.add(kept.open);
            }
            sums.lines(range).for_each(|line| executed[line.statement.index()] = line.executed);
        }
        executed
    }

    /// Ends the current fold of the run at `first` and starts a new one.
    #[inline(never)]
    fn open(&mut self, first: u32, visit: Visit) {
        self.close(first);
        match self.kept_of(first) {
            Some(kept) => kept.open = visit,
            None => self.runs.at(first).value.sums.add(visit),
        }
    }

    fn close(&mut self, first: u32) {
        let Some(kept) = self.kept.get_mut(first as usize) else { return };
        let visit = std::mem::take(&mut kept.open);
        if visit.repeat == 0 {
            return;
        }
        let visits = &mut self.runs.at(first).value;
        visits.sums.add(visit);
        if kept.folded.len() < self.max_visits && self.budget > 0 {
            self.budget -= 1;
            kept.folded.push(visit);
        } else {
            kept.is_truncated = true;
            visits.is_counted = self.stream.is_none();
        }
    }

    /// Takes the first statement, the end and the sums of the first run at or after `at`, leaving its sums at zero.
    fn take_sums(&mut self, at: u32) -> Option<(u32, u32, Sums)> {
        let first = self.runs.next(at)?;
        self.close(first);
        let run = self.runs.at(first);
        Some((first, run.end, std::mem::take(&mut run.value.sums)))
    }

    /// Calls `add` with the counters of each statement and resets them.
    fn take_counters(&mut self, mut add: impl FnMut(usize, &Counters)) {
        for (statement, counters) in self.counters.iter_mut().enumerate() {
            add(statement, counters);
            *counters = Counters::default();
        }
    }

    /// Ends the recording: returns the reached statements, and the visits left in the budget for later warps.
    pub fn finish(mut self) -> (Vec<LineTrace>, usize) {
        let (mut lines, mut at) = (Vec::new(), 0);
        while let Some((first, end, sums)) = self.take_sums(at) {
            at = end;
            let kept = self.kept.get_mut(first as usize).map(std::mem::take);
            let (visits, truncated): (Arc<[Visit]>, bool) =
                kept.map_or_else(|| (Arc::default(), true), |kept| (kept.folded.into(), kept.is_truncated));
            lines.extend(sums.lines(first..end).map(|line| {
                let counters = self.counters.get(line.statement.index()).map(|&cost| Box::new(cost));
                LineTrace { visits: Arc::clone(&visits), truncated, counters, ..line }
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
    fn equal_neighbors_fold() {
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
            visited in vec((0u32..12, 0u32..12, 1u64..4, 0u64..4), 0..60),
            max_visits in 0usize..6,
        ) {
            let new = || Recorder::new(12, max_visits, usize::MAX);
            let (mut runs, mut single) = (new(), new());
            for (first, end, active, executed) in visited {
                runs.visit_run(first, end, active, active & executed);
                for statement in first..end {
                    let executed = if statement + 1 == end { executed } else { !0 };
                    single.visit(StatementId(statement), active, active & executed);
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
